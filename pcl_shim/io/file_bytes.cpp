// SPDX-License-Identifier: BSD-3-Clause
#include "file_bytes.hpp"

#include "text.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fricp::tool {

namespace fs = std::filesystem;

namespace {

/** An open file that closes itself. */
class Descriptor {
public:
  explicit Descriptor(const std::string &path) : file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (file < 0 && path == "-")
      fail(path, 0, "there is no such file; standard input is /dev/stdin");
    if (file < 0)
      fail_errno(path, "cannot be opened");
  }
  ~Descriptor() {
    ::close(file);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  int file;
};

/** @return true for a descriptor's name, and for what exists and a rename must not replace, such as /dev/null. */
bool is_special(const std::string &name, const fs::path &target) {
  for (const char *const folder : {"/dev/fd/", "/dev/std", "/proc/self/fd/"})
    if (name.compare(0, std::strlen(folder), folder) == 0)
      return true;
  std::error_code fault;
  const fs::file_status status = fs::status(target, fault);
  return fs::exists(status) && !fs::is_regular_file(status);
}

fs::path behind_links(const std::string &path) {
  std::error_code fault;
  const fs::path target = fs::weakly_canonical(fs::absolute(path), fault);
  return fault ? fs::path(path) : target;
}

struct stat status_of(int file, const std::string &path) {
  struct stat status = {};
  if (::fstat(file, &status) != 0)
    fail_errno(path, "cannot be read");
  return status;
}

std::string unfinished_name(const std::string &target) {
  return target + ".part" + std::to_string(::getpid());
}

/** Names of unfinished files, where a signal handler reaches them: who takes a name out of its slot owns it. */
std::array<std::atomic<char *>, 8> unfinished = {};
static_assert(std::atomic<char *>::is_always_lock_free);

extern "C" void remove_unfinished(int signal) {
  for (std::atomic<char *> &slot : unfinished)
    if (const char *const name = slot.exchange(nullptr))
      ::unlink(name);
  ::raise(signal); // with its default action, as soon as this handler returns
}

int note_unfinished(const std::string &name) {
  char *const copy = ::strdup(name.c_str());
  for (std::size_t k = 0; copy != nullptr && k < unfinished.size(); ++k) {
    char *empty = nullptr;
    if (unfinished[k].compare_exchange_strong(empty, copy))
      return static_cast<int>(k);
  }
  std::free(copy);
  return -1;
}

void forget_unfinished(int slot) {
  if (slot >= 0)
    std::free(unfinished[static_cast<std::size_t>(slot)].exchange(nullptr));
}

/** An output "-" is standard output, under whatever name. */
bool is_same_file(const std::string &one, const std::string &other) {
  struct stat first = {};
  struct stat second = {};
  const bool have_first = ::stat(one == "-" ? "/dev/stdout" : one.c_str(), &first) == 0;
  const bool have_second = ::stat(other == "-" ? "/dev/stdout" : other.c_str(), &second) == 0;
  if (have_first && have_second)
    return (one == "-" && other == "-") ||
           (!S_ISCHR(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino);
  return !have_first && !have_second && behind_links(one) == behind_links(other);
}

} // namespace

FileBytes::FileBytes(const std::string &path, Judge judge) {
  const Descriptor input(path);
  const struct stat before = status_of(input.file, path);
  if (S_ISDIR(before.st_mode))
    fail(path, 0, "is a directory, not a cloud or a matrix");
  if (S_ISFIFO(before.st_mode))
    await_writer(input.file, path);
  ::fcntl(input.file, F_SETFL, ::fcntl(input.file, F_GETFL) & ~O_NONBLOCK);
  const std::size_t expected = S_ISREG(before.st_mode) ? static_cast<std::size_t>(before.st_size) : 0;
  try {
    read(input.file, path, expected, judge);
  } catch (const std::bad_alloc &) {
    fail(path, 0, "not enough memory for its bytes");
  }
  const struct stat after = status_of(input.file, path);
  if (expected > 0 &&
      (size_ != expected || after.st_size != before.st_size || //
       after.st_mtim.tv_sec != before.st_mtim.tv_sec || after.st_mtim.tv_nsec != before.st_mtim.tv_nsec))
    fail(path, 0, "was changed by another program while it was read");
}

/** Opening a named pipe waited for no writer; now wait a while for one, since none may ever come. */
void FileBytes::await_writer(int file, const std::string &path) {
  constexpr int patience = 5; // seconds
  pollfd asked = {file, POLLIN, 0};
  if (::poll(&asked, 1, 1000 * patience) != 0)
    return;
  data_.resize(1);
  const ssize_t got = ::read(file, data_.data(), 1); // 0 without a writer; one may have come just now
  if (got == 0)
    fail(path, 0, "nothing writes to this pipe (waited " + std::to_string(patience) + " seconds)");
  size_ = got > 0 ? 1 : 0;
}

void FileBytes::read(int file, const std::string &path, std::size_t expected, Judge judge) {
  constexpr std::size_t beginning = 1U << 16U;
  constexpr std::size_t longest = 1U << 30U; // of what has no size
  const std::size_t most = expected > 0 ? expected : longest;
  for (std::size_t room = std::min(most, beginning);; room = expected > 0 ? most : std::min(2 * room, most)) {
    data_.resize(room + 1); // one more, to see the end
    while (size_ <= room) {
      const ssize_t got = ::read(file, data_.data() + size_, room + 1 - size_);
      if (got < 0 && errno != EINTR)
        fail_errno(path, "cannot be read");
      if (got == 0)
        return;
      size_ += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    if (expected == room)
      return;
    if (room == longest)
      fail(path, 0, "more than 1 GiB from a pipe or a device: name a file instead");
    if (room == beginning && judge != nullptr)
      judge(view(), path);
  }
}

std::string this_program() {
  std::error_code fault;
  return fs::read_symlink("/proc/self/exe", fault).string();
}

void remove_unfinished_files_on_signals() {
  struct sigaction action = {};
  action.sa_handler = remove_unfinished;
  action.sa_flags = SA_RESETHAND;
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ}) {
    struct sigaction before = {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) // as nohup leaves it
      ::sigaction(signal, &action, nullptr);
  }
}

void check_distinct(const std::vector<std::string> &inputs, const std::vector<std::string> &outputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    for (const std::string &input : inputs)
      if (is_same_file(*output, input))
        throw UsageError("the output " + tool::quoted(*output) + " would overwrite the input " + tool::quoted(input));
    for (auto other = outputs.begin(); other != output; ++other)
      if (is_same_file(*output, *other))
        throw UsageError("two outputs to " + tool::quoted(*output));
  }
}

void OutputFile::check(const std::string &path) {
  if (path == "-")
    return;
  const fs::path target = behind_links(path);
  std::error_code fault;
  if (fs::is_directory(target, fault))
    fail(path, 0, "cannot be written: is a directory");
  const bool special = is_special(path, target);
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const std::string asked = special ? target.string() : parent.string();
  if (::access(asked.c_str(), special ? W_OK : W_OK | X_OK) != 0)
    fail_errno(path, "cannot be written");
  if (!special && ::access(unfinished_name(target.string()).c_str(), F_OK) != 0 && errno != ENOENT)
    fail_errno(path, "cannot be written"); // the name is too long with what is put behind it
}

void OutputFile::check_folder(const std::string &path) {
  std::error_code fault;
  fs::path there = fs::absolute(path).lexically_normal();
  while (!fs::exists(there, fault) && there.has_relative_path())
    there = there.parent_path();
  if (!fs::is_directory(there, fault))
    fail(path, 0, "cannot be made: " + there.string() + " is not a directory");
  if (::access(there.c_str(), W_OK | X_OK) != 0)
    fail_errno(path, "cannot be made or written to");
}

OutputFile::OutputFile(const std::string &path) : path_(path) {
  if (path == "-") {
    stream_ = stdout;
    return;
  }
  target_ = behind_links(path).string();
  if (is_special(path, target_)) {
    stream_ = std::fopen(target_.c_str(), "wb");
  } else {
    temporary_ = unfinished_name(target_);
    slot_ = note_unfinished(temporary_);
    stream_ = std::fopen(temporary_.c_str(), "wbx");
  }
  if (stream_ == nullptr) {
    const int reason = errno;
    temporary_.clear();
    forget_unfinished(slot_);
    errno = reason;
    fail_errno(path_, "cannot be written");
  }
}

OutputFile::~OutputFile() {
  if (stream_ != nullptr && stream_ != stdout)
    std::fclose(stream_);
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    forget_unfinished(slot_);
  }
}

void OutputFile::write(const void *data, std::size_t size) {
  if (size > 0 && std::fwrite(data, 1, size, stream_) != size)
    fail_errno(path_, "cannot be written");
}

void OutputFile::close() {
  std::FILE *const stream = stream_;
  stream_ = nullptr;
  if ((stream == stdout ? std::fflush(stream) : std::fclose(stream)) != 0)
    fail_errno(path_, "cannot be written");
}

void OutputFile::commit() {
  if (temporary_.empty())
    return;
  std::error_code fault;
  const fs::file_status before = fs::status(target_, fault);
  if (fs::is_regular_file(before))
    fs::permissions(temporary_, before.permissions(), fault);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
    fail_errno(path_, "cannot be written");
  forget_unfinished(slot_);
  temporary_.clear();
}

} // namespace fricp::tool
