// What every import test needs: a folder of its own, and the one line a refusal says.
#ifndef OCTET_TESTS_CONVERTER_IMPORT_IMPORT_SUPPORT_H_
#define OCTET_TESTS_CONVERTER_IMPORT_IMPORT_SUPPORT_H_

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>
#include <unistd.h>

#include "converter/import/import.h"
#include "converter/support/error.h"
#include "tests/support/onnx_builder.h"

namespace octet::import {

using test::Dims;
using test::Float;
using test::Int;
using test::Ints;
using test::OnnxBuilder;
using test::OnnxValue;

constexpr int kUint8 = 2, kInt8 = 3, kInt32 = 6;  // of onnx::TensorProto

class ImportTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("octet_import_" + std::to_string(getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path ModelPath() const { return folder_ / "m.onnx"; }

  void WriteFile(const std::string& name, const std::string& bytes) const {
    // A new file each time: rewriting one in place makes ext4 flush it to the disk, milliseconds a
    // write.
    std::filesystem::remove(folder_ / name);
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  // An initializer of 8 or 32 bits.
  static void Codes(OnnxBuilder& model, const std::string& name, const Dims& shape, int type,
                    const std::vector<int>& values) {
    onnx::TensorProto& tensor = *model.Proto().mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (const int64_t dim : shape) tensor.add_dims(dim);
    for (const int value : values) tensor.add_int32_data(value);
  }

  graph::Graph Import(const OnnxBuilder& model, const ImportOptions& options = {}) const {
    model.Save(ModelPath());
    return ImportOnnx(ModelPath(), options);
  }

  std::string RefusalOfFile(const ImportOptions& options = {}) const {
    try {
      ImportOnnx(ModelPath(), options);
    } catch (const UserError& error) {
      const std::string line = error.what();
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
      EXPECT_EQ(line.rfind(ModelPath().string() + ": ", 0), 0u) << line;
      return line;
    }
    return "accepted";
  }

  std::string Refusal(const OnnxBuilder& model, const ImportOptions& options = {}) const {
    model.Save(ModelPath());
    return RefusalOfFile(options);
  }

  std::filesystem::path folder_;
};

// A graph of a node of control flow.
inline onnx::GraphProto& GraphOf(onnx::NodeProto& node, const std::string& key) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(key);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  attribute.mutable_g()->set_name(key);
  return *attribute.mutable_g();
}

inline onnx::NodeProto& AddNode(onnx::GraphProto& graph, const std::string& op,
                                const std::vector<std::string>& inputs, const std::string& output) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

inline std::vector<std::string> Operators(const graph::Graph& graph) {
  std::vector<std::string> names;
  for (const graph::Node& node : graph.nodes) names.push_back(node.op);
  return names;
}

#define EXPECT_SAYS(line, part) EXPECT_PRED_FORMAT2(octet::import::Says, line, part)

inline testing::AssertionResult Says(const char*, const char*, const std::string& line,
                                     const std::string& part) {
  if (line.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << line << "\"\ndoes not say\n\"" << part << "\"";
}

}  // namespace octet::import

#endif  // OCTET_TESTS_CONVERTER_IMPORT_IMPORT_SUPPORT_H_
