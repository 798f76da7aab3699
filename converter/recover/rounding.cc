#include "converter/recover/rounding.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "converter/operators/matrix.h"

namespace octet::recover {
namespace {

// Of the mean diagonal of H, as in GPTQ: keeps directions that the data never took from being used
// to make up for anything.
constexpr double kDamping = 0.01;
// Columns rounded one by one before what they leave behind goes into all others by one product.
constexpr size_t kBlock = 64;

// X^T X of float rows, in double.
std::vector<double> MomentsOf(const LayerInputs& inputs, const std::vector<size_t>& order) {
  const size_t depth = inputs.depth;
  std::vector<float> sorted(inputs.rows * depth), sums(depth * depth);
  for (size_t r = 0; r < inputs.rows; ++r) {
    const float* row = &inputs.values[r * depth];
    for (size_t k = 0; k < depth; ++k) sorted[r * depth + k] = row[order[k]];
  }
  const auto k = static_cast<int64_t>(depth), rows = static_cast<int64_t>(inputs.rows);
  operators::MultiplyMatrices(k, k, rows, 1, {sorted.data(), k, true}, {sorted.data(), k}, 0,
                              sums.data(), k);
  double mean = 0;
  for (size_t i = 0; i < depth; ++i) mean += static_cast<double>(sums[i * depth + i]);
  mean /= static_cast<double>(depth);
  std::vector<double> moments(sums.begin(), sums.end());
  for (size_t i = 0; i < depth; ++i) moments[i * depth + i] += kDamping * mean;
  return moments;
}

// Weakest columns first: they are rounded last.
std::vector<size_t> OrderOf(const LayerInputs& inputs) {
  std::vector<double> power(inputs.depth, 0);
  for (size_t at = 0; at < inputs.values.size(); ++at) {
    const auto value = static_cast<double>(inputs.values[at]);
    power[at % inputs.depth] += value * value;
  }
  std::vector<size_t> order(inputs.depth);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return power[i]; });
  return order;
}

int8_t Nearest(double steps) {
  return static_cast<int8_t>(std::clamp(std::floor(steps + 0.5), -127.0, 127.0));
}

}  // namespace

std::vector<int8_t> RoundRows(const LayerInputs& inputs, std::span<const float> weights,
                              std::span<const float> scales) {
  const size_t depth = inputs.depth, outputs = scales.size();
  std::vector<int8_t> codes(weights.size());
  const std::vector<size_t> order = OrderOf(inputs);
  std::vector<double> factor = MomentsOf(inputs, order);
  if (!operators::FactorCholesky(static_cast<int64_t>(depth), factor.data())) {
    for (size_t at = 0; at < codes.size(); ++at) {
      codes[at] =
          Nearest(static_cast<double>(weights[at]) / static_cast<double>(scales[at / depth]));
    }
    return codes;
  }
  // Errors and what is wanted by column: [depth][outputs].
  std::vector<float> error(depth * outputs, 0), wanted(depth * outputs);
  for (size_t k = 0; k < depth; ++k) {
    for (size_t o = 0; o < outputs; ++o) wanted[k * outputs + o] = weights[o * depth + order[k]];
  }
  std::vector<float> ratio;  // rows of R in the block, over their diagonal
  const auto columns = static_cast<int64_t>(outputs), stride = static_cast<int64_t>(depth);
  for (size_t end = depth; end > 0;) {
    const size_t begin = end > kBlock ? end - kBlock : 0;
    ratio.assign((end - begin) * depth, 0);
    for (size_t k = begin; k < end; ++k) {
      const double* row = &factor[k * depth];
      for (size_t j = k + 1; j < depth; ++j) {
        ratio[(k - begin) * depth + j] = static_cast<float>(row[j] / row[k]);
      }
    }
    if (end < depth) {
      operators::MultiplyMatrices(static_cast<int64_t>(end - begin), columns,
                                  static_cast<int64_t>(depth - end), 1, {&ratio[end], stride},
                                  {&error[end * outputs], columns}, 1, &wanted[begin * outputs],
                                  columns);
    }
    for (size_t k = end; k-- > begin;) {
      float* target = &wanted[k * outputs];
      for (size_t j = k + 1; j < end; ++j) {
        const float by = ratio[(k - begin) * depth + j];
        const float* behind = &error[j * outputs];
        for (size_t o = 0; o < outputs; ++o) target[o] += by * behind[o];
      }
      for (size_t o = 0; o < outputs; ++o) {
        const size_t at = o * depth + order[k];
        codes[at] = Nearest(static_cast<double>(target[o]) / static_cast<double>(scales[o]));
        error[k * outputs + o] = weights[at] - scales[o] * static_cast<float>(codes[at]);
      }
    }
    end = begin;
  }
  return codes;
}

double ErrorOf(const LayerInputs& inputs, std::span<const float> weights,
               std::span<const float> values) {
  const size_t outputs = weights.size() / inputs.depth;
  std::vector<float> difference(weights.size()), results(inputs.rows * outputs);
  for (size_t at = 0; at < weights.size(); ++at) difference[at] = weights[at] - values[at];
  const auto depth = static_cast<int64_t>(inputs.depth);
  operators::MultiplyMatrices(static_cast<int64_t>(inputs.rows), static_cast<int64_t>(outputs),
                              depth, 1, {inputs.values.data(), depth},
                              {difference.data(), depth, true}, 0, results.data(),
                              static_cast<int64_t>(outputs));
  double sum = 0;
  for (const float result : results) sum += static_cast<double>(result) * result;
  return sum;
}

}  // namespace octet::recover
