// SPDX-License-Identifier: BSD-3-Clause
#include "worker.hpp"

#include "console.hpp"
#include "pair.hpp"
#include "report.hpp"
#include "text.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fricp::batch {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_packet = 1U << 16U;

[[noreturn]] void fail_errno(const char *what) {
  throw tool::Error(std::string(what) + ": " + std::generic_category().message(errno));
}

/** @return false at the end: the other side is gone. @param flags  MSG_PEEK leaves the packet where it is. */
bool take(int socket, int flags, std::string &packet) {
  packet.resize(longest_packet);
  ssize_t got = 0;
  do {
    got = ::recv(socket, packet.data(), packet.size(), flags);
  } while (got < 0 && errno == EINTR);
  packet.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return got > 0;
}

void put(int socket, const std::string &packet) {
  ssize_t sent = 0;
  do {
    sent = ::send(socket, packet.data(), packet.size(), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) {
    fail_errno("a worker cannot be reached");
  }
}

Request unpacked(const std::string &packet) {
  const std::vector<std::string_view> parts = tool::parts_of(packet, '\0');
  return {std::stoul(std::string(parts.at(0))), std::string(parts.at(1)), std::string(parts.at(2)),
          std::string(parts.at(3))};
}

std::string answer(std::size_t row, const std::string &json) {
  return std::to_string(row) + '\0' + json;
}

std::string failure(std::size_t row, const std::string &why) {
  return answer(row, Json({{"error", tool::printable(why)}}).dump());
}

/** The tool's report in a line, without what would make a million of them long. */
std::string report_line(const tool::Outcome &outcome) {
  Json report = tool::report_of(outcome);
  report.erase("candidates");
  report.erase("levels");
  report.erase("trace");
  Json line = {{"error", nullptr}};
  line.update(report);
  return line.dump();
}

void set_timer(double seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - static_cast<double>(timer.it_value.tv_sec)));
  if (seconds > 0 && timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) {
    timer.it_value.tv_usec = 1;
  }
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

/** The process that registers. */
class Worker {
public:
  Worker(const Arguments &arguments, int socket, std::atomic<int> &busy)
      : arguments_(arguments), socket_(socket), busy_(busy) {
  }

  /** A request stays in the socket, and busy is set, while it is worked on: the keeper sees by these what was lost. */
  void serve() {
    for (std::string packet; take(socket_, MSG_PEEK, packet); take(socket_, 0, packet)) {
      busy_ = 1;
      set_timer(arguments_.pair_limit);
      const std::string result = attempt(unpacked(packet));
      set_timer(0);
      put(socket_, result);
      busy_ = 0;
    }
  }

private:
  std::string attempt(const Request &request) {
    try {
      return answer(request.row, result_of(request));
    } catch (const std::bad_alloc &) {
      return failure(request.row, "out of memory");
    } catch (const std::exception &fault) {
      return failure(request.row, fault.what());
    }
  }

  std::string result_of(const Request &request) {
    const tool::Clock clock;
    tool::Options options = arguments_.pair;
    options.output.clear();
    options.source = request.source;
    options.target = request.target;
    options.init = request.init.empty() ? options.init : request.init;
    const std::unique_ptr<tool::Pair> before = std::move(pair_); // gone if this one throws
    pair_ = std::make_unique<tool::Pair>(options, before.get());
    for (const tool::Cloud *const cloud : {&pair_->source, &pair_->target}) {
      const std::string doubt = tool::doubt_about(*cloud);
      if (!doubt.empty() && !options.quiet) {
        tool::complain("warning: " + doubt, program_name);
      }
    }
    tool::Outcome outcome = tool::register_pair(*pair_, options.solver);
    outcome.total_seconds = clock.seconds();
    return report_line(outcome);
  }

  const Arguments &arguments_;
  int socket_;
  std::atomic<int> &busy_;
  std::unique_ptr<tool::Pair> pair_; /**< the last one, for its target */
};

/** The processes end with their parents; where memory is short, a worker is what the system should take. */
void become_child(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(0);
  }
}

void limit_memory(double mebibytes) {
  if (mebibytes > 0) {
    const auto bytes = static_cast<rlim_t>(mebibytes * 1048576.0);
    const rlimit limit = {bytes, bytes};
    ::setrlimit(RLIMIT_DATA, &limit);
  }
  if (const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); file >= 0) {
    [[maybe_unused]] const ssize_t written = ::write(file, "500", 3);
    ::close(file);
  }
}

std::string end_of(int state, const Arguments &arguments) {
  if (!WIFSIGNALED(state)) {
    return "its process ended with status " + std::to_string(WEXITSTATUS(state));
  }
  const int signal = WTERMSIG(state);
  if (signal == SIGALRM) {
    return "took longer than " + tool::shortest(arguments.pair_limit) + " s (--pair-limit)";
  }
  const std::string name = std::string(::strsignal(signal)) + ", signal " + std::to_string(signal);
  return signal == SIGKILL ? "its process was killed (" + name + "): perhaps the machine is out of memory"
                           : "its process crashed (" + name + ")";
}

/** Forks workers, one after the other's end, until there is nothing to do. */
[[noreturn]] void keep(const Arguments &arguments, int socket) {
  void *const page =
      ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) {
    ::_exit(1);
  }
  auto &busy = *new (page) std::atomic<int>(0);
  constexpr int patience = 3; // workers that end before they begin
  for (int idle = 0; idle < patience;) {
    const pid_t keeper = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
      become_child(keeper);
      limit_memory(arguments.memory_limit);
      Worker(arguments, socket, busy).serve();
      ::_exit(0);
    }
    int state = 0;
    while (child > 0 && ::waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    if (child > 0 && WIFEXITED(state) && WEXITSTATUS(state) == 0) {
      ::_exit(0);
    }
    idle = busy != 0 ? 0 : idle + 1;
    std::string packet;
    if (busy.exchange(0) != 0 && take(socket, 0, packet)) {
      put(socket, failure(unpacked(packet).row, end_of(state, arguments)));
    }
  }
  ::_exit(1);
}

} // namespace

std::string packed(const Request &request) {
  return std::to_string(request.row) + '\0' + request.source + '\0' + request.target + '\0' + request.init;
}

Answer unpacked_answer(const std::string &packet) {
  const std::size_t end = packet.find('\0');
  return {std::stoul(packet.substr(0, end)), packet.substr(end + 1)};
}

Crew::Crew(const Arguments &arguments, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
      fail_errno("no socket for a worker");
    }
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
      fail_errno("no process for a worker");
    }
    if (child == 0) {
      become_child(parent);
      ::close(ends[0]);
      for (const int socket : sockets_) {
        ::close(socket);
      }
      try {
        keep(arguments, ends[1]);
      } catch (...) {
        ::_exit(1); // nobody is there any more to be told
      }
    }
    ::close(ends[1]);
    sockets_.push_back(ends[0]);
  }
}

Crew::~Crew() {
  for (const int socket : sockets_) {
    ::close(socket);
  }
}

void Crew::send(std::size_t worker, const std::string &packet) {
  put(sockets_[worker], packet);
}

std::vector<Crew::Packet> Crew::receive(int milliseconds) {
  std::vector<pollfd> asked;
  for (const int socket : sockets_) {
    asked.push_back({socket, POLLIN, 0});
  }
  ::poll(asked.data(), asked.size(), milliseconds);
  std::vector<Packet> packets;
  for (std::size_t k = 0; k < asked.size(); ++k) {
    if (asked[k].revents != 0) {
      Packet packet = {k, {}};
      if (!take(asked[k].fd, 0, packet.bytes)) {
        throw tool::Error("a worker's keeper was killed: the same command, run again, goes on from here");
      }
      packets.push_back(std::move(packet));
    }
  }
  return packets;
}

} // namespace fricp::batch
