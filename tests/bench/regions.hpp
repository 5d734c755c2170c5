// SPDX-License-Identifier: BSD-3-Clause
#ifndef FRICP_BENCH_REGIONS_HPP
#define FRICP_BENCH_REGIONS_HPP

namespace bench {

/**
 * FLANN opens an OpenMP region of one thread for each query, also when PCL asks it for a single point. With gcc's run
 * time that is two futex calls a query: little on a bare machine, several microseconds on some virtual ones. With
 * `skip`, such regions are plain calls from now on: the peers then show what their search itself costs, and ratios are
 * comparable between machines. Nothing of fricp is affected: it opens no region for one thread.
 */
void skip_one_thread_regions(bool skip);

} // namespace bench

#endif
