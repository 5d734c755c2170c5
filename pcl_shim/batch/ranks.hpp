// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file ranks.hpp
 * MPI, as far as it is needed: packets to and from rank 0. The only file that knows of it is ranks.cpp.
 */
#ifndef FRICP_BATCH_RANKS_HPP
#define FRICP_BATCH_RANKS_HPP

#include <cstddef>
#include <list>
#include <memory>
#include <string>

namespace fricp::batch {

/** @return whether something started this process as one of many. Asked before MPI is. */
bool is_launched();
/** @return this process's number then, as its environment has it; else 0. */
int launched_rank();

/** An end of the run that nothing but a new one mends: `--launch` starts it. */
constexpr int broken_status = 75;

class Ranks {
public:
  /** Starts MPI if is_launched(); else there is one rank. */
  Ranks();
  ~Ranks();
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;

  int rank() const {
    return rank_;
  }
  int count() const {
    return count_;
  }
  struct Packet {
    int rank = 0; /**< where it is from */
    std::size_t worker = 0;
    std::string bytes; /**< "": the end */
  };
  /** Returns at once; packets arrive in order. */
  void send(int rank, std::size_t worker, const std::string &bytes);
  /** @return false: there is none now. */
  bool receive(Packet &packet);
  /** Ends all ranks. */
  [[noreturn]] void abort();

private:
  struct Sending;
  int rank_ = 0;
  int count_ = 1;
  bool active_ = false;
  std::list<std::unique_ptr<Sending>> sending_;
};

} // namespace fricp::batch

#endif
