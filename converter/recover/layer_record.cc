#include "converter/recover/layer_record.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "converter/support/random.h"

namespace octet::recover {

LayerRecord::LayerRecord(const LayerShape& layer, size_t rows, size_t pictures) : layer_(layer) {
  const auto positions = static_cast<size_t>(layer.positions);
  first_.push_back(0);
  for (size_t i = 0; i < pictures; ++i) {
    // As many as bring the picture up to its share of all rows.
    const size_t share = rows * (i + 1) / pictures - rows * i / pictures;
    first_.push_back(first_.back() + std::min(positions, share));
  }
  rows_ = first_.back();
  places_.resize(rows_);
  std::iota(places_.begin(), places_.end(), size_t{0});
  Random random(layer.node);
  for (size_t left = rows_; left > 1; --left) {
    std::swap(places_[left - 1], places_[random.Bits() % left]);
  }
  inputs_.resize(layer.groups);
  for (LayerInputs& inputs : inputs_) {
    inputs.rows = rows_;
    inputs.depth = layer.depth;
    inputs.values.resize(rows_ * layer.depth);
  }
  results_.resize(rows_ * layer.outputs);
}

void LayerRecord::Add(size_t picture, const graph::Tensor& input, const graph::Tensor& exact) {
  const auto count = static_cast<int64_t>(first_[picture + 1] - first_[picture]);
  const int64_t outputs = static_cast<int64_t>(layer_.outputs);
  // Results of convolutions lie channel by channel.
  const int64_t pixels = layer_.window ? layer_.window->OutputPixels() : 1;
  std::vector<float> row;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t position = (2 * i + 1) * layer_.positions / (2 * count);
    const size_t place = places_[first_[picture] + static_cast<size_t>(i)];
    for (size_t g = 0; g < layer_.groups; ++g) {
      row.clear();
      AddPosition(layer_, input, position, g, &row);
      std::copy(row.begin(), row.end(), &inputs_[g].values[place * layer_.depth]);
    }
    const float* from =
        &exact
             .floats[static_cast<size_t>(position / pixels * outputs * pixels + position % pixels)];
    float* to = &results_[place * layer_.outputs];
    for (int64_t o = 0; o < outputs; ++o) to[o] = from[o * pixels];
  }
}

}  // namespace octet::recover
