// SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

#include "console.hpp"
#include "file_bytes.hpp"
#include "journal.hpp"
#include "pair.hpp"
#include "pair_list.hpp"
#include "tables.hpp"
#include "text.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace fricp::batch {

namespace {

constexpr int pause = 2; // milliseconds between looks at MPI, which has nothing to wait at besides the sockets

std::string journal_path(const Arguments &arguments) {
  return (std::filesystem::path(arguments.pair.output) / "results.jsonl").string();
}

/** A worker somewhere, and what it has to do. */
struct Slot {
  int rank = 0;
  std::size_t worker = 0;
  std::vector<std::size_t> rows;
  std::ptrdiff_t group = -1;
};

class Leader {
public:
  Leader(const Arguments &arguments, Crew &crew, Ranks &ranks)
      : arguments_(arguments), crew_(crew), ranks_(ranks), rows_(read_pairs(arguments.list)), journal_(open_journal()),
        open_(journal_.open_rows(arguments.retry)), schedule_(rows_, open_, arguments.list),
        line_(!arguments.pair.quiet) {
    for (int rank = 0; rank < ranks.count(); ++rank) {
      for (std::size_t worker = 0; worker < crew.size(); ++worker) {
        slots_.push_back({rank, worker, {}, -1});
      }
    }
  }

  int run() {
    while (answered_ < open_.size()) {
      hand_out();
      for (const Crew::Packet &packet : crew_.receive(ranks_.count() > 1 ? pause : -1)) {
        keep(slots_[packet.worker], packet.bytes);
      }
      for (Ranks::Packet packet; ranks_.receive(packet);) {
        keep(slots_[static_cast<std::size_t>(packet.rank) * crew_.size() + packet.worker], packet.bytes);
      }
      sync_now_and_then();
      if (line_.is_due()) {
        line_.show(std::to_string(rows_.size() - open_.size() + answered_) + " of " + std::to_string(rows_.size()) +
                   " pairs, " + speed());
      }
    }
    journal_.sync();
    line_.wipe();
    return finish(write_tables(arguments_.pair.output, journal_, rows_, arguments_.list));
  }

private:
  Journal open_journal() const {
    check_apart(arguments_.pair.output, rows_, arguments_.list);
    std::error_code fault;
    std::filesystem::create_directories(arguments_.pair.output, fault);
    if (fault) {
      tool::fail(arguments_.pair.output, 0, "cannot be made: " + fault.message());
    }
    return Journal(journal_path(arguments_), fingerprint(arguments_.pair), rows_);
  }

  /** Some pairs ahead, so that no worker waits for us; fewer near the end, where they would wait for a worker. */
  std::size_t depth() const {
    constexpr std::size_t most = 8;
    return std::clamp<std::size_t>(schedule_.left() / (4 * slots_.size()), 1, most);
  }

  void hand_out() {
    for (std::size_t level = 1, last = depth(); level <= last; ++level) {
      for (Slot &slot : slots_) {
        if (slot.rows.size() < level && schedule_.left() > 0) {
          give(slot, schedule_.next(slot.group));
        }
      }
    }
  }

  void give(Slot &slot, std::size_t number) {
    const Row &row = rows_[number];
    const std::string &list = arguments_.list;
    const std::string packet =
        packed({number, beside(list, row.source), beside(list, row.target), beside(list, row.init)});
    slot.rows.push_back(number);
    if (slot.rank == 0) {
      crew_.send(slot.worker, packet);
    } else {
      ranks_.send(slot.rank, slot.worker, packet);
    }
  }

  /** A pair may be answered twice if its worker was killed just after its answer. */
  void keep(Slot &slot, const std::string &packet) {
    const Answer answer = unpacked_answer(packet);
    const auto place = std::find(slot.rows.begin(), slot.rows.end(), answer.row);
    if (place == slot.rows.end()) {
      return;
    }
    slot.rows.erase(place);
    journal_.append(answer.row, answer.json);
    ++answered_;
    if (arguments_.pair.verbose || (journal_.failed(answer.row) && !arguments_.pair.quiet)) {
      line_.wipe();
      const std::string what = journal_.failed(answer.row) ? answer.json : "registered";
      tool::complain(rows_[answer.row].name + ": " + what, program_name);
    }
  }

  void sync_now_and_then() {
    constexpr double interval = 1; // seconds of results that a failure of power may cost
    if (clock_.seconds() > synced_ + interval) {
      journal_.sync();
      synced_ = clock_.seconds();
    }
  }

  std::string speed() const {
    return tool::rounded(static_cast<double>(answered_) / std::max(clock_.seconds(), 1e-9), 3) + " pairs a second";
  }

  int finish(const Totals &totals) const {
    if (!arguments_.pair.quiet) {
      std::printf("%zu pairs: %zu registered, %zu of them to be trusted, %zu failed; %zu were finished before\n",
                  rows_.size(), totals.registered, totals.trusted, totals.failed, rows_.size() - open_.size());
      std::printf("%s s, %s; %zu edges; results in %s\n", tool::rounded(clock_.seconds(), 3).c_str(), speed().c_str(),
                  totals.edges, tool::printable(arguments_.pair.output).c_str());
    }
    tool::flush_output();
    return totals.failed > 0 ? 1 : arguments_.pair.strict && totals.trusted < totals.registered ? 3 : 0;
  }

  const Arguments &arguments_;
  Crew &crew_;
  Ranks &ranks_;
  tool::Clock clock_;
  std::vector<Row> rows_;
  Journal journal_;
  std::vector<std::size_t> open_;
  Schedule schedule_;
  std::vector<Slot> slots_;
  std::size_t answered_ = 0;
  double synced_ = 0; /**< seconds */
  tool::LiveLine line_;
};

/** @return the status of a shell's command; 128 and the signal if one ended it. */
int run_once(std::vector<std::string> words) {
  std::vector<char *> pointers;
  for (std::string &word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execvp(pointers[0], pointers.data());
    tool::complain("--launch: " + words[0] + " cannot be started", program_name);
    ::_exit(2);
  }
  int state = 0;
  if (child < 0 || ::waitpid(child, &state, 0) != child) {
    throw tool::Error("--launch: no process can be started");
  }
  return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

} // namespace

int lead(const Arguments &arguments, Crew &crew, Ranks &ranks) {
  const auto over = [&ranks] {
    for (int rank = 1; rank < ranks.count(); ++rank) {
      ranks.send(rank, 0, "");
    }
  };
  try {
    const int status = Leader(arguments, crew, ranks).run();
    over();
    return status;
  } catch (...) {
    over();
    throw;
  }
}

void follow(Crew &crew, Ranks &ranks) {
  for (;;) {
    for (Ranks::Packet packet; ranks.receive(packet);) {
      if (packet.bytes.empty()) {
        return;
      }
      crew.send(packet.worker, packet.bytes);
    }
    for (const Crew::Packet &packet : crew.receive(pause)) {
      ranks.send(0, packet.worker, packet.bytes);
    }
  }
}

int supervise(const Arguments &arguments, int count, char **words) {
  std::vector<std::string> command;
  std::string_view line = arguments.launch;
  for (std::string_view word; tool::next_word(line, word);) {
    command.emplace_back(word);
  }
  command.push_back(tool::this_program());
  for (const std::string &word : words_for_ranks(count, words)) {
    command.push_back(word);
  }
  const auto written = [&arguments] {
    std::error_code fault;
    const std::uintmax_t size = std::filesystem::file_size(journal_path(arguments), fault);
    return fault ? 0 : size;
  };
  constexpr int patience = 3; // starts that bring nothing
  for (int vain = 0;;) {
    const std::uintmax_t before = written();
    const int status = run_once(command);
    vain = written() > before ? 0 : vain + 1;
    if (status <= 3 || vain == patience) {
      return status <= 3 ? status : 1;
    }
    tool::complain("the ranks ended with status " + std::to_string(status) + ": they are started again", program_name);
  }
}

} // namespace fricp::batch
