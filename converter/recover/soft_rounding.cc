#include "converter/recover/soft_rounding.h"

#include <algorithm>
#include <cmath>

#include "converter/operators/matrix.h"
#include "converter/support/functions.h"

namespace octet::recover {
namespace {

// The paper's: h reaches 0 and 1 for finite V; the share of steps without the second part; the ends
// of beta.
constexpr float kZeta = 1.1f, kGamma = -0.1f;
constexpr double kWarmUp = 0.2, kFirstBeta = 20, kLastBeta = 2;
// A step of a column in the middle between two codes costs 1/4 of its power; the second part has to
// be stronger than what pulls it there.
constexpr float kLambda = 1;
// Adam's (D. Kingma, J. Ba, 2015), with the rate that rounding is commonly learnt with.
constexpr float kRate = 0.01f, kMean = 0.9f, kPower = 0.999f, kTiny = 1e-8f;
// Slopes of the second part are tabulated, at the middle of so many steps of h and for quarters of
// beta.
constexpr size_t kTable = 256;
constexpr double kBetaSteps = 4;

float Sigmoid(float v) {
  return 1 / (1 + math::Exp(-v));
}

class Search {
 public:
  Search(const LayerInputs& inputs, const Targets& targets, const Channels& channels,
         const Curve& function)
      : inputs_(inputs),
        targets_(targets),
        channels_(channels),
        function_(function),
        count_(channels.scales.size()),
        size_(channels.weights.size()) {
    low_.resize(size_);
    v_.resize(size_);
    mean_.assign(size_, 0);
    power_.assign(size_, 0);
    for (size_t at = 0; at < size_; ++at) Start(at);
    column_.assign(inputs.depth, 0);
    for (size_t at = 0; at < inputs.values.size(); ++at) {
      column_[at % inputs.depth] += inputs.values[at] * inputs.values[at];
    }
    for (float& column : column_) column /= static_cast<float>(inputs.rows);
  }

  std::vector<int8_t> Run(int64_t steps) {
    const size_t batch = std::min(kBatchRows, inputs_.rows), batches = inputs_.rows / batch;
    for (int64_t step = 0; step < steps; ++step) {
      const double done = static_cast<double>(step) / static_cast<double>(steps);
      const double cooled = (done - kWarmUp) / (1 - kWarmUp);
      if (cooled > 0) TabulateSlope(kFirstBeta + (kLastBeta - kFirstBeta) * cooled);
      Soften();
      Descend(static_cast<size_t>(step) % batches * batch, batch);
      Move(step + 1, cooled > 0);
    }
    std::vector<int8_t> codes(channels_.codes.begin(), channels_.codes.end());
    if (steps == 0) return codes;
    for (size_t at = 0; at < size_; ++at) {
      if (channels_.scales[at / inputs_.depth] > 0) {
        codes[at] = static_cast<int8_t>(low_[at] + (HardOf(v_[at]) > 0.5f ? 1.0f : 0.0f));
      }
    }
    return codes;
  }

 private:
  static float HardOf(float v) {
    return std::clamp(Sigmoid(v) * (kZeta - kGamma) + kGamma, 0.0f, 1.0f);
  }

  // A third of the way from the code that it starts from to the weight: rounded, it is that code.
  void Start(size_t at) {
    const float scale = channels_.scales[at / inputs_.depth];
    const auto code = static_cast<float>(channels_.codes[at]);
    const float steps = scale > 0 ? channels_.weights[at] / scale : code;
    low_[at] = std::clamp(steps >= code ? code : code - 1, -127.0f, 126.0f);
    const float up = code > low_[at] ? 1.0f : 0.0f;
    const float h = (std::clamp(steps - low_[at], 0.0f, 1.0f) + 2 * up) / 3;
    const float sigmoid = (h - kGamma) / (kZeta - kGamma);
    v_[at] = math::Log(sigmoid / (1 - sigmoid));
  }

  void TabulateSlope(double beta) {
    beta = std::ceil(beta * kBetaSteps) / kBetaSteps;
    if (beta == beta_) return;
    beta_ = beta;
    slope_.resize(kTable + 1);
    for (size_t i = 0; i <= kTable; ++i) {
      const double from_middle = (2 * static_cast<double>(i) + 1) / kTable - 1;
      const double size = math::Pow(std::abs(from_middle), beta - 1);
      slope_[i] = static_cast<float>(-2 * beta * (from_middle < 0 ? -size : size));
    }
  }

  // h and its slope of all V, and the codes.
  void Soften() {
    h_.resize(size_);
    h_slope_.resize(size_);
    soft_.resize(size_);
    for (size_t at = 0; at < size_; ++at) {
      const float sigmoid = Sigmoid(v_[at]);
      const float h = sigmoid * (kZeta - kGamma) + kGamma;
      h_[at] = std::clamp(h, 0.0f, 1.0f);
      h_slope_[at] = h > 0 && h < 1 ? (kZeta - kGamma) * sigmoid * (1 - sigmoid) : 0;
      soft_[at] = low_[at] + h_[at];
    }
  }

  // gradient_: of the mean square error of rows first to first + batch - 1 by code, in steps of the
  // channel's weights.
  void Descend(size_t first, size_t batch) {
    const auto rows = static_cast<int64_t>(batch), columns = static_cast<int64_t>(count_),
               depth = static_cast<int64_t>(inputs_.depth);
    const float* x = &inputs_.values[first * inputs_.depth];
    error_.resize(batch * count_);
    operators::MultiplyMatrices(rows, columns, depth, 1, {x, depth}, {soft_.data(), depth, true}, 0,
                                error_.data(), columns);
    for (size_t r = 0; r < batch; ++r) {
      const float* target = targets_.values + (first + r) * targets_.stride;
      float* error = &error_[r * count_];
      for (size_t o = 0; o < count_; ++o) {
        const float scale = channels_.scales[o];
        const Curve::Point point = function_.At(scale * error[o] + channels_.bias[o]);
        error[o] = scale > 0 ? 2 * (point.value - target[o]) * point.slope /
                                   (scale * static_cast<float>(batch))
                             : 0;
      }
    }
    gradient_.resize(size_);
    operators::MultiplyMatrices(columns, depth, rows, 1, {error_.data(), columns, true}, {x, depth},
                                0, gradient_.data(), depth);
  }

  void Move(int64_t step, bool pushes) {
    const float mean_rest = 1 - math::Pow(kMean, static_cast<float>(step));
    const float power_rest = 1 - math::Pow(kPower, static_cast<float>(step));
    const float rate = kRate / mean_rest, root = 1 / power_rest;
    for (size_t o = 0; o < count_; ++o) {
      for (size_t k = 0; k < inputs_.depth; ++k) {
        const size_t at = o * inputs_.depth + k;
        // A column without power tells nothing: no slope, and nothing moves.
        float slope = column_[k] > 0 ? gradient_[at] / column_[k] : 0;
        if (pushes && column_[k] > 0) {
          slope += kLambda * slope_[static_cast<size_t>(h_[at] * kTable)];
        }
        slope *= h_slope_[at];
        mean_[at] = kMean * mean_[at] + (1 - kMean) * slope;
        power_[at] = kPower * power_[at] + (1 - kPower) * slope * slope;
        v_[at] -= rate * mean_[at] / (std::sqrt(power_[at] * root) + kTiny);
      }
    }
  }

  const LayerInputs& inputs_;
  Targets targets_;
  const Channels& channels_;
  const Curve& function_;
  size_t count_, size_;
  double beta_ = 0;                            // of slope_
  std::vector<float> low_, v_, mean_, power_;  // by weight
  std::vector<float> column_;                  // mean square of each column of the inputs
  std::vector<float> h_, h_slope_, soft_, gradient_, error_, slope_;
};

}  // namespace

std::vector<int8_t> SoftRound(const LayerInputs& inputs, const Targets& targets,
                              const Channels& channels, const Curve& function, int64_t steps) {
  return Search(inputs, targets, channels, function).Run(steps);
}

double ErrorBehind(const LayerInputs& inputs, const Targets& targets, const Channels& channels,
                   std::span<const int8_t> codes, const Curve& function) {
  const size_t count = channels.scales.size();
  const std::vector<float> values(codes.begin(), codes.end());
  std::vector<float> sums(inputs.rows * count);
  const auto depth = static_cast<int64_t>(inputs.depth), columns = static_cast<int64_t>(count);
  operators::MultiplyMatrices(static_cast<int64_t>(inputs.rows), columns, depth, 1,
                              {inputs.values.data(), depth}, {values.data(), depth, true}, 0,
                              sums.data(), columns);
  double error = 0;
  for (size_t r = 0; r < inputs.rows; ++r) {
    for (size_t o = 0; o < count; ++o) {
      const float result =
          function.At(channels.scales[o] * sums[r * count + o] + channels.bias[o]).value;
      const auto off = static_cast<double>(result - targets.values[r * targets.stride + o]);
      error += off * off;
    }
  }
  return error;
}

}  // namespace octet::recover
