// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file file_bytes.hpp
 * Files as a whole: read as bytes, written all or not at all.
 */
#ifndef FRICP_TOOL_FILE_BYTES_HPP
#define FRICP_TOOL_FILE_BYTES_HPP

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace fricp::tool {

/** The content of a file; of a pipe too. Throws Error. */
class FileBytes {
public:
  explicit FileBytes(const std::string &path);
  ~FileBytes();
  FileBytes(const FileBytes &) = delete;
  FileBytes &operator=(const FileBytes &) = delete;

  std::string_view view() const {
    return {data_, size_};
  }

private:
  const char *data_ = nullptr;
  std::size_t size_ = 0;
  bool mapped_ = false;
  std::vector<char> read_; /**< of what cannot be mapped */
};

/**
 * A file that appears under its name only when it is complete: written beside it and renamed by commit(). Without
 * commit() nothing is left. The path "-" is standard output; a device or a pipe is written to as it is.
 */
class OutputFile {
public:
  explicit OutputFile(const std::string &path);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  /** Throws an Error unless a file of that name could be written: asked before the work begins. */
  static void check(const std::string &path);

  void write(const void *data, std::size_t size);
  void write(std::string_view text) {
    write(text.data(), text.size());
  }
  /** Everything is on its way to the disk; throws an Error if it did not fit. */
  void close();
  /** After close(): give the file its name. */
  void commit();

private:
  std::string path_;      /**< as given, for messages */
  std::string target_;    /**< where it goes: symbolic links followed */
  std::string temporary_; /**< "" if written in place */
  std::FILE *stream_ = nullptr;
};

} // namespace fricp::tool

#endif
