#include "converter/calibrate/constant_part.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/executor/executor.h"
#include "converter/operators/output_view.h"

namespace octet::calibrate {
namespace {

struct Middle {
  double at, half;  // in [at - half, at + half]
};

Middle MiddleOf(const Range& range) {
  const auto low = static_cast<double>(range.min), high = static_cast<double>(range.max);
  return {(low + high) / 2, (high - low) / 2};
}

bool Passes(const Middle& middle, double ratio) {
  return middle.half > 0 && std::abs(middle.at) > ratio * middle.half;
}

}  // namespace

std::vector<GroupRanges> CollectRanges(const graph::Graph& graph,
                                       const std::vector<const images::Dataset*>& inputs,
                                       const std::vector<int64_t>& samples, int threads,
                                       const std::vector<Grouped>& grouped) {
  std::vector<int> of_value(graph.values.size(), -1);
  std::vector<std::vector<int64_t>> group_strides;  // by grouped value: of its elements' groups
  std::vector<GroupRanges> all(grouped.size());
  for (size_t i = 0; i < grouped.size(); ++i) {
    of_value[static_cast<size_t>(grouped[i].value)] = static_cast<int>(i);
    const graph::Shape& groups = grouped[i].groups;
    std::vector<int64_t> strides = operators::RowMajorStrides(groups);
    for (size_t axis = 0; axis < groups.size(); ++axis) {
      if (groups[axis] == 1) strides[axis] = 0;
    }
    group_strides.push_back(std::move(strides));
    const int64_t count = graph::ElementCount(groups);
    const int64_t elements = graph::ElementCount(*graph.At(grouped[i].value).shape);
    constexpr float kNothingSeen = std::numeric_limits<float>::infinity();
    all[i].ranges.assign(static_cast<size_t>(count), Range{kNothingSeen, -kNothingSeen});
    all[i].values = elements / std::max<int64_t>(1, count) * static_cast<int64_t>(samples.size());
  }
  const auto workers = static_cast<size_t>(std::max(1, threads));
  std::vector<std::optional<executor::Executor>> executors(workers);
  std::vector<std::vector<GroupRanges>> seen(workers, all);
  executor::ParallelFor(
      static_cast<int64_t>(samples.size()), threads, [&](int thread, int64_t item) {
        const auto worker = static_cast<size_t>(thread);
        if (!executors[worker]) executors[worker].emplace(graph);
        std::vector<graph::Tensor> loaded;
        loaded.reserve(inputs.size());
        for (const images::Dataset* input : inputs) {
          loaded.push_back(input->Load(samples[static_cast<size_t>(item)]));
        }
        executors[worker]->Run(loaded, [&](graph::ValueId id, const graph::Tensor& tensor) {
          const int which = of_value[static_cast<size_t>(id)];
          if (which < 0) return;
          const auto i = static_cast<size_t>(which);
          GroupRanges& own = seen[worker][i];
          operators::ForEachPlace(tensor.shape, 0, group_strides[i], [&](size_t k, size_t group) {
            const float value = tensor.floats[k];
            if (!std::isfinite(value)) own.is_finite = false;
            Range& range = own.ranges[group];
            range.min = std::min(range.min, value);
            range.max = std::max(range.max, value);
          });
        });
      });
  for (const auto& of_worker : seen) {
    for (size_t i = 0; i < all.size(); ++i) {
      all[i].is_finite &= of_worker[i].is_finite;
      for (size_t g = 0; g < all[i].ranges.size(); ++g) {
        all[i].ranges[g].min = std::min(all[i].ranges[g].min, of_worker[i].ranges[g].min);
        all[i].ranges[g].max = std::max(all[i].ranges[g].max, of_worker[i].ranges[g].max);
      }
    }
  }
  return all;
}

bool HasConstantPart(const GroupRanges& seen, double slack) {
  if (!seen.is_finite || seen.values < kLeastValues) return false;
  Range all = seen.ranges[0];
  for (const Range& range : seen.ranges) {
    all.min = std::min(all.min, range.min);
    all.max = std::max(all.max, range.max);
  }
  if (Passes(MiddleOf(all), kLargestRatio - slack)) return true;
  const double ratio = kLargestGroupRatio - slack;
  return std::any_of(seen.ranges.begin(), seen.ranges.end(),
                     [ratio](const Range& range) { return Passes(MiddleOf(range), ratio); });
}

std::vector<float> ConstantPart(const GroupRanges& seen, const std::vector<float>& own) {
  std::vector<float> part;
  bool own_suffices = !own.empty();
  for (size_t g = 0; g < seen.ranges.size(); ++g) {
    const Middle middle = MiddleOf(seen.ranges[g]);
    if (own_suffices) {
      const double rest = middle.at - static_cast<double>(own[g]);
      own_suffices = !Passes({rest, middle.half}, kLargestRatio);
    }
    if (std::abs(middle.at) <= middle.half) {
      part.push_back(0);
    } else if (middle.half == 0) {
      part.push_back(static_cast<float>(middle.at));
    } else {
      // Multiples of a power of two in (half / 8, half / 4].
      const double unit = std::ldexp(1.0, std::ilogb(middle.half) - 2);
      part.push_back(static_cast<float>(std::round(middle.at / unit) * unit));
    }
  }
  return own_suffices ? own : part;
}

}  // namespace octet::calibrate
