// ONNX's own tests of single operators (Debian's libonnx-testdata) through import and the FP32
// executor alone: no pass, no plan, so that an operator that a plan rounds away is seen.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "converter/executor/executor.h"
#include "converter/support/error.h"
#include "tests/converter/oracle/cases.h"

namespace octet::test {
namespace {

// Some of the stored values were computed in half precision or with other roundings of sums.
constexpr double kTolerance = 1e-3;  // of an output's range
// Of the cases that Debian's 1.12 has; a change that makes operators unreadable is to be seen.
constexpr int kLeast = 890;

// Models whose difference from the stored outputs is explained.
const std::map<std::string, std::string>& Explained() {
  static const char* const kBits = "bfloat16 is stored as whole numbers, its bits";
  static const char* const kCorners =
      "align_corners counts scale x size pixels there, 2.4 of them; ONNX Runtime and the text of "
      "the specification count those of the result";
  static const std::map<std::string, std::string> explained{
      {"node/test_cast_FLOAT_to_BFLOAT16", kBits},
      {"node/test_castlike_BFLOAT16_to_FLOAT", kBits},
      {"node/test_castlike_BFLOAT16_to_FLOAT_expanded", kBits},
      {"node/test_castlike_FLOAT_to_BFLOAT16", kBits},
      {"node/test_castlike_FLOAT_to_BFLOAT16_expanded", kBits},
      {"node/test_resize_downsample_scales_cubic_align_corners", kCorners},
      {"node/test_resize_downsample_scales_linear_align_corners", kCorners}};
  return explained;
}

std::string Difference(const graph::Tensor& got, const graph::Tensor& wanted) {
  const auto at = [](const graph::Tensor& tensor, size_t i) {
    return tensor.IsFloat() ? static_cast<double>(tensor.floats[i])
                            : static_cast<double>(tensor.integers[i]);
  };
  const auto count = static_cast<size_t>(wanted.Count());
  // Rows that depend on the data: the valid ones come first, and the file has only those.
  if (got.Count() < wanted.Count() || (got.Count() != wanted.Count() && wanted.shape.empty())) {
    return std::to_string(got.Count()) + " values where " + std::to_string(count) + " are stored";
  }
  double low = 0, high = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!std::isfinite(at(wanted, i))) continue;
    low = std::min(low, at(wanted, i));
    high = std::max(high, at(wanted, i));
  }
  for (size_t i = 0; i < count; ++i) {
    const double a = at(got, i), b = at(wanted, i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (wanted.IsFloat() && std::abs(a - b) <= kTolerance * (high - low)) continue;
    return "value " + std::to_string(i) + ": " + std::to_string(a) + ", stored " +
           std::to_string(b);
  }
  return "";
}

std::string Compared(const OracleCase& one) {
  std::vector<graph::Tensor> inputs;
  for (const TensorPtr& input : one.samples[0]) inputs.push_back(*input);
  executor::Executor executor(one.graph);
  const std::vector<graph::Tensor> outputs = executor.Run(inputs);
  for (size_t i = 0; i < outputs.size() && i < one.expected.size(); ++i) {
    if (one.expected[i] == nullptr) return "an output is no tensor of numbers";
    const std::string text = Difference(outputs[i], *one.expected[i]);
    if (!text.empty()) return "output " + std::to_string(i) + ": " + text;
  }
  return "";
}

TEST(OnnxTests, ByImportAndExecutorAlone) {
  const auto folders = BackendFolders();
  if (folders.empty()) GTEST_SKIP() << "Debian's libonnx-testdata is not installed";
  int passed = 0, unread = 0;
  std::set<std::string> needed;
  for (const auto& folder : folders) {
    std::string text, name = folder.parent_path().filename() / folder.filename();
    try {
      text = Compared(ReadBackendCase(folder, false));
    } catch (const std::exception& first) {
      // What has to be known at conversion may be a constant of the stored value.
      try {
        text = Compared(ReadBackendCase(folder, true));
      } catch (const std::exception&) {
        std::cout << "not read: " << name << ": " << first.what() << '\n';
        ++unread;
        continue;
      }
    }
    if (text.empty()) {
      ++passed;
    } else if (Explained().contains(name)) {
      needed.insert(name);
    } else {
      ADD_FAILURE() << name << ": " << text;
    }
  }
  std::cout << passed << " as stored, " << unread << " not read, " << needed.size()
            << " explained\n";
  EXPECT_GE(passed, kLeast);
  for (const auto& [name, reason] : Explained()) {
    EXPECT_TRUE(needed.contains(name)) << name << " no longer differs: remove it";
  }
}

}  // namespace
}  // namespace octet::test
