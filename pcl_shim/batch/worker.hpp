// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file worker.hpp
 * A rank's workers: processes that register one pair after the other, so that a crash costs a pair and no rank.
 *
 * Each worker has a keeper, its parent, that does nothing but wait for its end: it tells of which pair it died, and forks
 * the next one. Keepers are forked before MPI is started, since a process that has started MPI is not to be forked.
 * Requests and answers are packets of one socket, so those that a dead worker had not yet taken are there for the next.
 */
#ifndef FRICP_BATCH_WORKER_HPP
#define FRICP_BATCH_WORKER_HPP

#include "arguments.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace fricp::batch {

/** One pair: number and paths. */
struct Request {
  std::size_t row = 0;
  std::string source;
  std::string target;
  std::string init;
};

std::string packed(const Request &request);

/** Of the row and the JSON object of its result. */
struct Answer {
  std::size_t row = 0;
  std::string json;
};

Answer unpacked_answer(const std::string &packet);

class Crew {
public:
  /** Forks the keepers. Throws an Error. */
  Crew(const Arguments &arguments, std::size_t count);
  ~Crew();
  Crew(const Crew &) = delete;
  Crew &operator=(const Crew &) = delete;

  std::size_t size() const {
    return sockets_.size();
  }
  void send(std::size_t worker, const std::string &packet);

  struct Packet {
    std::size_t worker;
    std::string bytes;
  };
  /**
   * Waits for answers. @param milliseconds  at most; -1: until there is one.
   * Throws an Error if a keeper was killed: its worker's pairs are then lost to this run.
   */
  std::vector<Packet> receive(int milliseconds);

private:
  std::vector<int> sockets_;
};

} // namespace fricp::batch

#endif
