// Quantization of a model, given by a test where no pass has read it.
#ifndef OCTET_TESTS_CONVERTER_GRAPH_GIVEN_BY_TEST_H_
#define OCTET_TESTS_CONVERTER_GRAPH_GIVEN_BY_TEST_H_

#include <algorithm>
#include <cmath>

#include "converter/graph/graph.h"

namespace octet::graph {

class GivenByTest {
 public:
  static void Give(Graph& graph, ValueId id, const Given& given) {
    graph.At(id).given = GivenCodes(given);
  }
  // The constant becomes the nearest codes of one scale.
  static void Code(Graph& graph, ValueId id, float scale) {
    Codes codes;
    codes.data = *graph.Constant(id);
    codes.spread.assign(codes.data.shape.size(), 1);
    codes.scales = {scale};
    codes.zero_points = {0};
    for (float& value : codes.data.floats) {
      value = std::clamp(std::nearbyint(value / scale), -127.0f, 127.0f) * scale;
    }
    graph.At(id).constant = Constant::Coded(std::move(codes));
  }
};

}  // namespace octet::graph

#endif  // OCTET_TESTS_CONVERTER_GRAPH_GIVEN_BY_TEST_H_
