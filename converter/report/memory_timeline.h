// A plan's arena over time: what lives where while each layer runs.
#ifndef OCTET_CONVERTER_REPORT_MEMORY_TIMELINE_H_
#define OCTET_CONVERTER_REPORT_MEMORY_TIMELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/write/write.h"

namespace octet::report {

struct MemoryTimeline {
  struct Tensor {
    std::string name;
    uint64_t offset_bytes = 0, bytes = 0;    // as the plan aligns them
    size_t first_layer = 0, last_layer = 0;  // both included
  };
  std::string plan;
  uint64_t arena_bytes = 0, lower_bound_bytes = 0;
  std::vector<std::string> layers;
  // By layer: bytes of the arena in use while it runs; bytes that two tensors share, one computed
  // in place of the other, count once. The largest is the plan's lower bound.
  std::vector<uint64_t> live_bytes;
  std::vector<Tensor> tensors;
};

MemoryTimeline TimelineOf(const write::Plan& plan);

}  // namespace octet::report

#endif  // OCTET_CONVERTER_REPORT_MEMORY_TIMELINE_H_
