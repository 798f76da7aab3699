// All levels, plans and thread counts of one network, timed in turn.
#ifndef OCTET_BENCH_MODELS_MEASURE_H_
#define OCTET_BENCH_MODELS_MEASURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "octet/octet.h"

namespace octet::bench {

struct Choice {
  std::vector<octet_isa> levels;
  std::vector<std::string> plans;
  std::vector<uint32_t> threads;
  uint32_t rounds = 9;
};

struct Result {
  std::string network, isa, plan;
  uint32_t threads = 1;
  double median_ms = 0, min_ms = 0;
  uint64_t macs = 0, output_hash = 0;
  double gmacs = 0;       // 10^9 multiply-accumulates a second, by the median
  double peak_gmacs = 0;  // of one core at this level, 0 where not known
};

// Each round runs every combination for about 20 ms after one untimed inference, so that a slow
// spell of the machine hits all of them. Throws std::runtime_error where int8 outputs differ.
std::vector<Result> Measure(const std::string& network, const std::vector<uint8_t>& blob,
                            const Choice& choice);

}  // namespace octet::bench

#endif  // OCTET_BENCH_MODELS_MEASURE_H_
