// Models with inputs for the oracle, from where they are at hand.
#ifndef OCTET_TESTS_CONVERTER_ORACLE_CASES_H_
#define OCTET_TESTS_CONVERTER_ORACLE_CASES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "tests/converter/oracle/interpreter.h"
#include "tests/support/onnx_builder.h"

namespace octet::test {

struct OracleCase {
  std::string name;
  graph::Graph graph;  // as imported, shapes inferred
  std::vector<std::vector<TensorPtr>> samples;
  // Of ONNX's own tests: what has to come out of the first sample, null for what is no tensor of
  // numbers; empty elsewhere.
  std::vector<TensorPtr> expected;
};

// Throws UserError where the model is not read. Samples are x*.npy beside a file m.onnx, NAME.npy
// beside NAME.onnx, or random ones.
OracleCase ReadCase(const std::filesystem::path& path);
OracleCase MakeCase(const std::string& name, const OnnxBuilder& model);

// Files, sorted; none where the folder is absent.
std::vector<std::filesystem::path> ModelsUnder(const std::filesystem::path& folder);
// Debian's libonnx-testdata: folders with a model and a data set.
std::vector<std::filesystem::path> BackendFolders();
// `frozen`: every input but the largest of floats, or the sequence of a recurrent node, becomes a
// constant of its stored value, so that passes have something to fold. Throws UserError where it is
// not read, std::runtime_error where its stored inputs are no tensors of numbers.
OracleCase ReadBackendCase(const std::filesystem::path& folder, bool frozen);

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_ORACLE_CASES_H_
