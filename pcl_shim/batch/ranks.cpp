// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.hpp"

#include <cstdlib>
#include <initializer_list>

#include <mpi.h>

namespace fricp::batch {

namespace {

constexpr int tag = 1;

/** What mpirun, srun --mpi=pmix and srun --mpi=pmi2 set. (Slurm's own variables stand in its scripts, too.) */
const char *rank_text() {
  for (const char *const name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char *const text = std::getenv(name)) {
      return text;
    }
  }
  return nullptr;
}

} // namespace

bool is_launched() {
  return rank_text() != nullptr;
}

int launched_rank() {
  const char *const text = rank_text();
  return text == nullptr ? 0 : std::atoi(text);
}

/** What MPI has not yet taken over. */
struct Ranks::Sending {
  std::string bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

Ranks::Ranks() : active_(is_launched()) {
  if (active_) {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }
}

Ranks::~Ranks() {
  if (active_) {
    for (const auto &packet : sending_) {
      MPI_Wait(&packet->request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
  }
}

void Ranks::send(int rank, std::size_t worker, const std::string &bytes) {
  sending_.push_back(std::make_unique<Sending>());
  Sending &packet = *sending_.back();
  packet.bytes = std::to_string(worker) + '\0' + bytes;
  MPI_Isend(packet.bytes.data(), static_cast<int>(packet.bytes.size()), MPI_BYTE, rank, tag, MPI_COMM_WORLD,
            &packet.request);
}

bool Ranks::receive(Packet &packet) {
  if (!active_) {
    return false;
  }
  sending_.remove_if([](const std::unique_ptr<Sending> &one) {
    int done = 0;
    MPI_Test(&one->request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
  if (there == 0) {
    return false;
  }
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const std::size_t end = bytes.find('\0');
  packet = {status.MPI_SOURCE, std::stoul(bytes.substr(0, end)), bytes.substr(end + 1)};
  return true;
}

void Ranks::abort() {
  if (active_) {
    MPI_Abort(MPI_COMM_WORLD, broken_status);
  }
  std::_Exit(broken_status);
}

} // namespace fricp::batch
