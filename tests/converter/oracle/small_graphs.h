// Graphs for passes that no model at hand makes fire.
#ifndef OCTET_TESTS_CONVERTER_ORACLE_SMALL_GRAPHS_H_
#define OCTET_TESTS_CONVERTER_ORACLE_SMALL_GRAPHS_H_

#include <string>
#include <vector>

#include "tests/support/onnx_builder.h"

namespace octet::test {

struct SmallGraph {
  std::string name;  // of the pass it is for
  void (*build)(OnnxBuilder& model);
};

const std::vector<SmallGraph>& SmallGraphs();

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_ORACLE_SMALL_GRAPHS_H_
