// Offline dynamic storage allocation: tensors are intervals in time with a size; greedy placement
// in several orders, then a bounded seeded search over orders, keeps the best (J. Lee, Y.
// Pisarchyk, "Efficient Memory Management for Deep Neural Net Inference", 2020, describes the
// greedy-by-size family used here).
#include "converter/plan/plan.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "converter/support/not_possible.h"

namespace octet::plan {
namespace {

constexpr uint64_t kLargestArena = uint64_t{1} << 31;

// A run of bytes shared by tensors that are computed in place of each other.
struct Buffer {
  uint64_t bytes = 0;
  int64_t first = 0, last = 0;  // layers, inclusive; -1: before the first layer
  uint64_t offset = 0;
};

uint64_t Aligned(uint64_t bytes) {
  return (bytes + blob::kTensorAlignment - 1) / blob::kTensorAlignment * blob::kTensorAlignment;
}

struct Lifetimes {
  std::vector<int64_t> first, last;  // by tensor
};

Lifetimes LifetimesOf(const lower::Program& program) {
  const auto layer_count = static_cast<int64_t>(program.layers.size());
  Lifetimes life;
  life.first.assign(program.tensors.size(), -1);
  life.last.assign(program.tensors.size(), -1);
  for (int64_t i = 0; i < layer_count; ++i) {
    const lower::Layer& layer = program.layers[static_cast<size_t>(i)];
    life.first[static_cast<size_t>(layer.output)] = i;
    life.last[static_cast<size_t>(layer.output)] = i;
    for (int input : layer.inputs) life.last[static_cast<size_t>(input)] = i;
  }
  // An input nobody reads dies in the first layer, not before it: the caller writes it all the
  // same.
  for (const lower::ModelInput& input : program.inputs) {
    int64_t& last = life.last[static_cast<size_t>(input.tensor)];
    last = std::max<int64_t>(last, 0);
  }
  for (const lower::ModelState& state : program.states) {
    int64_t& last = life.last[static_cast<size_t>(state.read)];
    last = std::max<int64_t>(last, 0);
    life.last[static_cast<size_t>(state.written)] = layer_count;
  }
  for (const auto& parts : program.outputs) {
    for (const lower::OutputPart& part : parts)
      life.last[static_cast<size_t>(part.tensor)] = layer_count;
  }
  return life;
}

// Buffer of every tensor: its own, or that of the input it replaces.
std::vector<size_t> ShareInPlace(const lower::Program& program, const Lifetimes& life,
                                 std::vector<Buffer>* buffers) {
  std::vector<size_t> of(program.tensors.size(), SIZE_MAX);
  const auto fresh = [&](size_t tensor) {
    of[tensor] = buffers->size();
    buffers->push_back(
        Buffer{Aligned(program.tensors[tensor].Size()), life.first[tensor], life.last[tensor], 0});
  };
  for (const lower::ModelInput& input : program.inputs) fresh(static_cast<size_t>(input.tensor));
  for (const lower::ModelState& state : program.states) fresh(static_cast<size_t>(state.read));
  for (size_t i = 0; i < program.layers.size(); ++i) {
    const lower::Layer& layer = program.layers[i];
    const auto output = static_cast<size_t>(layer.output);
    if (blob::WorksInPlace(layer.op)) {
      const auto input = static_cast<size_t>(layer.inputs[0]);
      const bool dies = life.last[input] == static_cast<int64_t>(i);
      const bool twice = std::count(layer.inputs.begin(), layer.inputs.end(), layer.inputs[0]) > 1;
      if (dies && !twice && program.tensors[input].Size() == program.tensors[output].Size()) {
        of[output] = of[input];
        (*buffers)[of[input]].last = life.last[output];
        continue;
      }
    }
    fresh(output);
  }
  return of;
}

// By layer, from the one before the first on.
std::vector<int64_t> BytesAlive(const std::vector<Buffer>& buffers, int64_t last_layer) {
  std::vector<int64_t> bytes(static_cast<size_t>(last_layer) + 3, 0);
  for (const Buffer& buffer : buffers) {
    bytes[static_cast<size_t>(buffer.first + 1)] += static_cast<int64_t>(buffer.bytes);
    bytes[static_cast<size_t>(buffer.last + 2)] -= static_cast<int64_t>(buffer.bytes);
  }
  std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
  return bytes;
}

uint64_t LowerBound(const std::vector<Buffer>& buffers, int64_t layer_count) {
  const std::vector<int64_t> bytes = BytesAlive(buffers, layer_count);
  return static_cast<uint64_t>(*std::max_element(bytes.begin(), bytes.end()));
}

// Places buffers in `order`, each at the lowest offset free for its whole life. Stops early above
// `limit`.
uint64_t Place(const std::vector<size_t>& order, uint64_t limit, std::vector<Buffer>* buffers) {
  std::vector<const Buffer*> placed;  // by offset
  uint64_t total = 0;
  for (size_t index : order) {
    Buffer& buffer = (*buffers)[index];
    uint64_t offset = 0;
    for (const Buffer* other : placed) {
      if (other->first > buffer.last || other->last < buffer.first) continue;
      if (other->offset >= offset + buffer.bytes) break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    buffer.offset = offset;
    total = std::max(total, offset + buffer.bytes);
    if (total > limit) return total;
    placed.insert(std::ranges::upper_bound(placed, buffer.offset, {}, &Buffer::offset), &buffer);
  }
  return total;
}

// Layer by layer, those with most bytes alive first, and of each the largest buffers first (greedy
// by breadth): what meets at the peak lies without a gap.
std::vector<size_t> OrderByBreadth(const std::vector<Buffer>& buffers) {
  std::vector<int64_t> layers;
  int64_t end = 0;
  for (const Buffer& buffer : buffers) {
    layers.push_back(buffer.first);
    end = std::max(end, buffer.last);
  }
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  const std::vector<int64_t> bytes = BytesAlive(buffers, end);
  std::ranges::stable_sort(layers, std::greater{},
                           [&](int64_t layer) { return bytes[static_cast<size_t>(layer + 1)]; });
  std::vector<size_t> order, left(buffers.size());
  std::iota(left.begin(), left.end(), 0);
  for (const int64_t layer : layers) {
    const auto rest = std::stable_partition(left.begin(), left.end(), [&](size_t i) {
      return buffers[i].first > layer || buffers[i].last < layer;
    });
    std::ranges::stable_sort(rest, left.end(), std::greater{},
                             [&](size_t i) { return buffers[i].bytes; });
    order.insert(order.end(), rest, left.end());
    left.erase(rest, left.end());
    if (left.empty()) break;
  }
  return order;
}

// Each compares every buffer with those that are placed: seconds for as many as no exporter writes.
int Attempts(size_t buffers) {
  constexpr size_t kAttempts = 4000, kMany = 2048, kComparisons = size_t{1} << 31;
  return static_cast<int>(buffers <= kMany ? kAttempts : kComparisons / (buffers * buffers));
}

uint64_t Search(std::vector<Buffer>* buffers, uint64_t lower_bound) {
  std::vector<size_t> order(buffers->size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<size_t>> starts;
  const auto sorted_by = [&](auto key) {
    std::vector<size_t> result = order;
    std::ranges::stable_sort(result, std::greater{}, [&](size_t i) { return key((*buffers)[i]); });
    starts.push_back(result);
  };
  sorted_by([](const Buffer& b) { return b.bytes; });
  sorted_by([](const Buffer& b) { return b.bytes * static_cast<uint64_t>(b.last - b.first + 1); });
  sorted_by([](const Buffer& b) { return static_cast<uint64_t>(b.last - b.first); });
  sorted_by([](const Buffer& b) { return static_cast<uint64_t>(1000000 - b.first); });
  starts.push_back(OrderByBreadth(*buffers));
  uint64_t best = UINT64_MAX;
  std::vector<size_t> best_order = order;
  std::vector<size_t> top;  // buffers that reach the end of the arena in the best order
  // Orders as good as the best are taken too: a plateau is left by walking over it.
  const auto attempt = [&](const std::vector<size_t>& candidate) {
    std::vector<Buffer> trial = *buffers;
    const uint64_t total = Place(candidate, best, &trial);
    if (total > best) return;
    best = total;
    best_order = candidate;
    top.clear();
    for (size_t i = 0; i < trial.size(); ++i) {
      if (trial[i].offset + trial[i].bytes == total) top.push_back(i);
    }
  };
  for (const auto& start : starts) attempt(start);
  // From the best order on: random swaps, or a buffer at the top is placed earlier. The seed is
  // fixed, so that a model always gets the same plan.
  std::minstd_rand random(1);
  for (int i = 0; i < Attempts(order.size()) && best > lower_bound && order.size() > 1; ++i) {
    std::vector<size_t> candidate = best_order;
    if (i % 2 == 0) {
      const auto at = std::find(candidate.begin(), candidate.end(), top[random() % top.size()]);
      const auto earlier =
          static_cast<std::ptrdiff_t>(random() % (static_cast<size_t>(at - candidate.begin()) + 1));
      std::rotate(candidate.begin() + earlier, at, at + 1);
      attempt(candidate);
      continue;
    }
    const int swaps = 1 + static_cast<int>(random() % 4);
    for (int s = 0; s < swaps; ++s) {
      std::swap(candidate[random() % candidate.size()], candidate[random() % candidate.size()]);
    }
    attempt(candidate);
  }
  return Place(best_order, UINT64_MAX, buffers);
}

}  // namespace

MemoryPlan PlanMemory(const lower::Program& program) {
  const Lifetimes life = LifetimesOf(program);
  std::vector<Buffer> buffers;
  const std::vector<size_t> of = ShareInPlace(program, life, &buffers);
  MemoryPlan plan;
  const auto layer_count = static_cast<int64_t>(program.layers.size());
  plan.lower_bound_bytes = LowerBound(buffers, layer_count);
  plan.arena_bytes = Search(&buffers, plan.lower_bound_bytes);
  if (plan.arena_bytes >= kLargestArena) {
    RuleOut(
        "activations need {} MiB; a plan may use 2048 MiB; lower the input size with --input-shape",
        plan.arena_bytes >> 20);
  }
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    Placement placement;
    placement.offset_bytes = static_cast<uint32_t>(buffers[of[i]].offset);
    placement.first_layer = life.first[i] < 0 ? blob::kNone : static_cast<uint32_t>(life.first[i]);
    placement.last_layer = static_cast<uint32_t>(life.last[i]);
    plan.tensors.push_back(placement);
  }
  return plan;
}

}  // namespace octet::plan
