// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstring>
#include <exception>

#include "bench.hpp"

namespace {

const char usage[] =
    "usage: fricp_bench SUBCOMMAND [arguments]\n"
    "  pairs DIR [--method NAME]... [--only TEXT] [--threads N] [--tsv FILE] [--full] [--search tree|flann|brute] "
    "[--cpu]\n"
    "      [--jobs N] [--poses FILE]\n"
    "      every pair of DIR/index.tsv from its init.txt: errors, passed, iterations, seconds\n"
    "  scenes [--method NAME]... [--count N] [--jobs N] [--tsv FILE] [--poses FILE] [--full] [--cpu]\n"
    "      640 generated partial scans: right, passes, seconds by kind and overlap\n"
    "  places [--count N] [--sensors | --maps N] [--jobs N] [--tsv FILE]\n"
    "      scans of generated streets, forests, rooms, corridors, yards and tables by auto: right, believed\n"
    "  evaluate DIR [--method NAME]... [--only TEXT] [--without TEXT] [--group TEXT]... [--jobs N] [--markdown FILE]\n"
    "           [--svg FILE] [--tsv FILE] [--keep-regions] [--cpu]\n"
    "      the paper's table and alpha-recall of fricp's methods and PCL's on the pairs of DIR\n"
    "  synthetic [--study TEXT] [--method NAME]... [--count N] [--points N] [--jobs N] [--markdown FILE] [--svg DIR]\n"
    "      the paper's studies on generated scenes; processor time\n"
    "  picture FILE.svg\n"
    "      the README's picture: a pair apart, by auto and by icp, coloured by the error\n"
    "  ablation [DIR] [--method NAME]... [--rule TEXT | --set RULE=VALUE,...] [--pairs-only] [--only TEXT] [--every K] "
    "[--jobs N]\n"
    "           [--markdown FILE]\n"
    "      what each rule and constant is worth, on the graded pairs of DIR and the scenes\n"
    "  search [--pair DIR]... [--points N,N,...] [--queries N] [--reps N] [--shuffle] [--keep-regions] [--cpu]\n"
    "      nearest neighbours: fricp, FLANN, nanoflann\n"
    "  register [--pair DIR]... [--pairs DIR [--only TEXT]] [--points N,N,...] [--lidar N,N,...] [--method NAME]...\n"
    "           [--reps N] [--budget SECONDS] [--threads N] [--start centroid] [--count-normals] [--no-memory] "
    "[--keep-regions] [--cpu]\n"
    "      whole registrations: fricp's methods and PCL's\n"
    "  normals [--pair DIR]... [--pairs DIR [--only TEXT]] [--points N,N,...] [--reps N] [--threads N] "
    "[--keep-regions] "
    "[--cpu]\n"
    "      normals of the targets: the core's and PCL's\n"
    "  threads [--pair DIR]... [--points N,N,...] [--threads 1,2,...] [--method NAME]... [--reps N] [--busy N]\n"
    "      speed-up and equal bits\n"
    "  scaling [--points N,N,...] [--method NAME]... [--reps N] [--threads N] [--cpu]\n"
    "      slope of time in the number of points\n"
    "  memory [--points N,N,...] [--method NAME]... [--threads N]\n"
    "      peak bytes a point, allocations of a second registration\n"
    "A JSON line begins with '{'. See README.md in tests/bench.\n";

struct Subcommand {
  const char *name;
  int (*run)(int, char **);
};

const Subcommand subcommands[] = {
    {"pairs", bench::run_pairs},       {"scenes", bench::run_scenes},       {"places", bench::run_places},
    {"evaluate", bench::run_evaluate}, {"synthetic", bench::run_synthetic}, {"picture", bench::run_picture},
    {"ablation", bench::run_ablation}, {"search", bench::run_search},       {"register", bench::run_register},
    {"normals", bench::run_normals},   {"peak", bench::run_peak},           {"threads", bench::run_threads},
    {"scaling", bench::run_scaling},   {"memory", bench::run_memory}};

} // namespace

int main(int argc, char **argv) {
  if (argc >= 2 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0)) {
    std::fputs(usage, stdout);
    return 0;
  }
  try {
    for (const Subcommand &s : subcommands)
      if (argc >= 2 && std::strcmp(argv[1], s.name) == 0) {
        const int status = s.run(argc - 2, argv + 2);
        bench::flush_json();
        return status;
      }
    std::fputs(usage, stderr);
    return 2;
  } catch (const bench::UsageError &e) {
    std::fprintf(stderr, "fricp_bench: %s; see --help\n", e.what());
    return 2;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "fricp_bench: %s\n", e.what());
    return 1;
  }
}
