#include "converter/report/memory_timeline.h"

#include <algorithm>
#include <utility>

namespace octet::report {
namespace {

uint64_t Aligned(uint64_t bytes) {
  return (bytes + blob::kTensorAlignment - 1) / blob::kTensorAlignment * blob::kTensorAlignment;
}

// Bytes covered by [first, second) runs.
uint64_t Covered(std::vector<std::pair<uint64_t, uint64_t>> runs) {
  std::sort(runs.begin(), runs.end());
  uint64_t sum = 0, end = 0;
  for (const auto& [from, to] : runs) {
    if (to <= end) continue;
    sum += to - std::max(from, end);
    end = to;
  }
  return sum;
}

}  // namespace

MemoryTimeline TimelineOf(const write::Plan& plan) {
  MemoryTimeline timeline;
  timeline.plan = NameOf(plan.program.plan);
  timeline.arena_bytes = plan.memory.arena_bytes;
  timeline.lower_bound_bytes = plan.memory.lower_bound_bytes;
  const size_t count = plan.program.layers.size();
  for (const lower::Layer& layer : plan.program.layers) timeline.layers.push_back(layer.name);
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> runs(count);
  for (size_t t = 0; t < plan.program.tensors.size() && count > 0; ++t) {
    const lower::Tensor& tensor = plan.program.tensors[t];
    const plan::Placement& place = plan.memory.tensors[t];
    MemoryTimeline::Tensor row;
    row.name = tensor.name;
    row.offset_bytes = place.offset_bytes;
    row.bytes = Aligned(tensor.Size());
    row.first_layer = place.first_layer == blob::kNone ? 0 : place.first_layer;
    row.last_layer = std::min<size_t>(place.last_layer, count - 1);
    for (size_t i = row.first_layer; i <= row.last_layer; ++i) {
      runs[i].emplace_back(row.offset_bytes, row.offset_bytes + row.bytes);
    }
    timeline.tensors.push_back(std::move(row));
  }
  for (auto& layer : runs) timeline.live_bytes.push_back(Covered(std::move(layer)));
  return timeline;
}

}  // namespace octet::report
