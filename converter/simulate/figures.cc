#include "converter/simulate/figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/support/decibels.h"

namespace octet::simulate {
namespace {

using graph::Tensor;

// The piece's numbers, through the function that its output applies to them. A constant is computed
// by no node.
std::vector<float> ValuesOf(const Topology& topology, const operators::OutputPiece& piece,
                            const Source& source) {
  const Tensor* constant = topology.graph.Constant(piece.value);
  const Tensor& tensor = constant != nullptr ? *constant : source(piece.value);
  std::vector<float> values = tensor.floats;
  if (!tensor.IsFloat()) values.assign(tensor.integers.begin(), tensor.integers.end());
  if (!piece.function.empty()) operators::ApplyActivation(piece.function, values, 0, 0);
  return values;
}

bool IsNothing(const Figure& figure) {
  return !(figure.signal > 0) || !std::isfinite(figure.signal);
}

template <typename Of>
double MeanOf(const std::vector<Figure>& pieces, const Of& of) {
  double sum = 0;
  int count = 0;
  for (const Figure& figure : pieces) {
    if (IsNothing(figure)) continue;
    sum += of(figure);
    ++count;
  }
  return sum / std::max(1, count);
}

}  // namespace

double Decibels(const Figure& figure) {
  if (IsNothing(figure)) return std::numeric_limits<double>::quiet_NaN();
  return octet::Decibels(figure.signal, figure.error, kBestDb);
}

double MeanDecibels(const std::vector<Figure>& pieces) {
  return MeanOf(pieces, [](const Figure& figure) { return Decibels(figure); });
}

double MeanLoss(const std::vector<Figure>& pieces) {
  return MeanOf(pieces,
                [](const Figure& figure) { return LostShare(figure.signal, figure.error); });
}

size_t PieceCount(const Topology& topology) {
  size_t count = 0;
  for (const auto& pieces : topology.view.outputs) count += pieces.size();
  return count;
}

std::vector<Figure> Measure(const Topology& topology, const Source& exact, const Source& rounded) {
  std::vector<Figure> figures;
  for (const auto& pieces : topology.view.outputs) {
    for (const operators::OutputPiece& piece : pieces) {
      Figure& figure = figures.emplace_back();
      const graph::Value& value = topology.graph.At(piece.value);
      if (value.type != graph::DataType::kFloat || value.constant) continue;
      const std::vector<float> e = ValuesOf(topology, piece, exact),
                               r = ValuesOf(topology, piece, rounded);
      for (size_t i = 0; i < e.size(); ++i) {
        const double meant = e[i], difference = meant - static_cast<double>(r[i]);
        // Where FP32 has no number, as behind a mask, nothing is measured.
        if (!std::isfinite(meant)) continue;
        figure.signal += meant * meant;
        figure.error += difference * difference;
      }
    }
  }
  return figures;
}

std::vector<std::vector<float>> Assemble(const Topology& topology, const Source& source) {
  std::vector<std::vector<float>> outputs;
  for (size_t o = 0; o < topology.view.outputs.size(); ++o) {
    const graph::Value& output = topology.graph.At(topology.graph.outputs[o]);
    std::vector<float>& out =
        outputs.emplace_back(static_cast<size_t>(graph::ElementCount(*output.shape)));
    for (const operators::OutputPiece& piece : topology.view.outputs[o]) {
      const std::vector<float> values = ValuesOf(topology, piece, source);
      operators::ForEachPlace(*topology.graph.At(piece.value).shape, piece.base, piece.strides,
                              [&](size_t element, size_t at) { out[at] = values[element]; });
    }
    const std::vector<float>& offsets = topology.view.offsets[o];
    for (size_t i = 0; i < offsets.size(); ++i) out[i] += offsets[i];
  }
  return outputs;
}

}  // namespace octet::simulate
