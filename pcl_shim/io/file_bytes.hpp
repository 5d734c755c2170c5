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

/** The content of a file; of a pipe too, up to 1 GiB. Throws an Error, also if the file is changed meanwhile. */
class FileBytes {
public:
  /** Throws an Error if what begins so is not worth reading on. */
  using Judge = void (*)(std::string_view beginning, const std::string &path);

  /** @param judge  is asked after the first 64 KiB, if there is more. */
  explicit FileBytes(const std::string &path, Judge judge = nullptr);

  std::string_view view() const {
    return {data_.data(), size_};
  }

private:
  void await_writer(int file, const std::string &path);
  /** @param expected  bytes of a plain file; 0: of unknown size, read to its end. */
  void read(int file, const std::string &path, std::size_t expected, Judge judge);

  std::vector<char> data_; /**< room, of which size_ bytes are read */
  std::size_t size_ = 0;
};

/** @return the file of this program, whatever it was called by; "" if the system does not tell. */
std::string this_program();

/** From now on, a signal that ends the program removes the unfinished files first. */
void remove_unfinished_files_on_signals();

/**
 * Throws a UsageError if an output is an input or another output, under whatever name. Devices may be named twice; "-"
 * is standard output.
 */
void check_distinct(const std::vector<std::string> &inputs, const std::vector<std::string> &outputs);

/**
 * A file that appears under its name only when it is complete: written beside it and renamed by commit(). Without
 * commit() nothing is left, not even after a signal. The path "-" is standard output; a device or a pipe is written to
 * as it is.
 */
class OutputFile {
public:
  explicit OutputFile(const std::string &path);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  /** Throws an Error unless a file of that name could be written: asked before the work begins. */
  static void check(const std::string &path);

  /** The same of a folder for several, which need not be there yet. */
  static void check_folder(const std::string &path);

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
  int slot_ = -1;         /**< of temporary_ among the unfinished files */
  std::FILE *stream_ = nullptr;
};

} // namespace fricp::tool

#endif
