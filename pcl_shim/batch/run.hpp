// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file run.hpp
 * A whole run: rank 0 hands out the pairs and keeps the results, the others pass them on to their workers.
 */
#ifndef FRICP_BATCH_RUN_HPP
#define FRICP_BATCH_RUN_HPP

#include "arguments.hpp"
#include "ranks.hpp"
#include "worker.hpp"

namespace fricp::batch {

/** On rank 0. Throws an Error. @return the exit status. */
int lead(const Arguments &arguments, Crew &crew, Ranks &ranks);

/** On the others, until rank 0 says that it is over. */
void follow(Crew &crew, Ranks &ranks);

/** Starts the ranks by arguments.launch, and again as long as one was killed and pairs get finished. @return the status. */
int supervise(const Arguments &arguments, int count, char **words);

} // namespace fricp::batch

#endif
