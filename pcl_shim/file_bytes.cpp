// SPDX-License-Identifier: BSD-3-Clause
#include "file_bytes.hpp"

#include "text.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fricp::tool {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_errno(const std::string &path, const char *what) {
  fail(path, 0, std::string(what) + ": " + std::generic_category().message(errno));
}

std::size_t read_some(int file, char *data, std::size_t size, const std::string &path) {
  for (;;) {
    const ssize_t got = ::read(file, data, size);
    if (got >= 0) {
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) {
      fail_errno(path, "cannot be read");
    }
  }
}

class Descriptor {
public:
  explicit Descriptor(const std::string &path) : file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file < 0) {
      fail_errno(path, "cannot be opened");
    }
  }
  ~Descriptor() {
    ::close(file);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  int file;
};

/** @return true for something that exists and that a rename must not replace, such as /dev/null. */
bool is_special(const fs::path &path) {
  std::error_code fault;
  const fs::file_status status = fs::status(path, fault);
  return fs::exists(status) && !fs::is_regular_file(status);
}

fs::path behind_links(const std::string &path) {
  std::error_code fault;
  const fs::path target = fs::weakly_canonical(path, fault);
  return fault ? fs::path(path) : target;
}

} // namespace

FileBytes::FileBytes(const std::string &path) {
  const Descriptor input(path);
  struct stat status = {};
  if (::fstat(input.file, &status) != 0) {
    fail_errno(path, "cannot be read");
  }
  if (S_ISDIR(status.st_mode)) {
    fail(path, 0, "is a directory, not a cloud or a matrix");
  }
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void *const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, input.file, 0);
    if (memory != MAP_FAILED) {
      ::madvise(memory, size, MADV_SEQUENTIAL);
      data_ = static_cast<const char *>(memory);
      size_ = size;
      mapped_ = true;
      return;
    }
  }
  constexpr std::size_t chunk = 1 << 16;
  std::size_t got = 0;
  do {
    read_.resize(size_ + chunk);
    got = read_some(input.file, read_.data() + size_, chunk, path);
    size_ += got;
  } while (got > 0);
  data_ = read_.data();
}

FileBytes::~FileBytes() {
  if (mapped_) {
    ::munmap(const_cast<char *>(data_), size_);
  }
}

void OutputFile::check(const std::string &path) {
  if (path == "-") {
    return;
  }
  const fs::path target = behind_links(path);
  std::error_code fault;
  if (fs::is_directory(target, fault)) {
    fail(path, 0, "cannot be written: is a directory");
  }
  const bool special = is_special(target);
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const std::string asked = special ? target.string() : parent.string();
  if (::access(asked.c_str(), special ? W_OK : W_OK | X_OK) != 0) {
    fail_errno(path, "cannot be written");
  }
}

OutputFile::OutputFile(const std::string &path) : path_(path) {
  if (path == "-") {
    stream_ = stdout;
    return;
  }
  target_ = behind_links(path).string();
  if (is_special(target_)) {
    stream_ = std::fopen(target_.c_str(), "wb");
  } else {
    temporary_ = target_ + ".part" + std::to_string(::getpid());
    stream_ = std::fopen(temporary_.c_str(), "wbx");
  }
  if (stream_ == nullptr) {
    const int reason = errno;
    temporary_.clear();
    errno = reason;
    fail_errno(path_, "cannot be written");
  }
}

OutputFile::~OutputFile() {
  if (stream_ != nullptr && stream_ != stdout) {
    std::fclose(stream_);
  }
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
  }
}

void OutputFile::write(const void *data, std::size_t size) {
  if (size > 0 && std::fwrite(data, 1, size, stream_) != size) {
    fail_errno(path_, "cannot be written");
  }
}

void OutputFile::close() {
  std::FILE *const stream = stream_;
  stream_ = nullptr;
  if ((stream == stdout ? std::fflush(stream) : std::fclose(stream)) != 0) {
    fail_errno(path_, "cannot be written");
  }
}

void OutputFile::commit() {
  if (temporary_.empty()) {
    return;
  }
  std::error_code fault;
  const fs::file_status before = fs::status(target_, fault);
  if (fs::is_regular_file(before)) {
    fs::permissions(temporary_, before.permissions(), fault);
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail_errno(path_, "cannot be written");
  }
  temporary_.clear();
}

} // namespace fricp::tool
