// Parts of a model: what belongs to them, and what is given.
#include "converter/export/model_edit.h"

#include <gtest/gtest.h>

#include <filesystem>

#include <unistd.h>

#include "converter/support/error.h"
#include "tests/support/onnx_builder.h"

namespace octet::exporting {
namespace {

using Names = std::vector<std::string>;

// 0 Relu x -> a, 1 Sigmoid a -> b, 2 Add a b -> c, 3 Mul c k -> d, 4 Tanh x -> e
class ModelEdit : public testing::Test {
 protected:
  ModelEdit() {
    builder_.Input("x", {1, 4});
    builder_.Initializer("k", {1, 4}, std::vector<float>{1, 2, 3, 4});
    builder_.Node("Relu", {"x"}, {}, {"a"}, "n0");
    builder_.Node("Sigmoid", {"a"}, {}, {"b"}, "n1");
    builder_.Node("Add", {"a", "b"}, {}, {"c"}, "n2");
    builder_.Node("Mul", {"c", "k"}, {}, {"d"}, "n3");
    builder_.Node("Tanh", {"x"}, {}, {"e"}, "n4");
    builder_.Output("d");
    builder_.Output("e");
  }
  Part Cut(const std::string& output, int last_known, const std::set<std::string>& known) {
    return PartOf(builder_.Proto().graph(), output, last_known, known);
  }

  test::OnnxBuilder builder_;
  const std::set<std::string> all_ = {"a", "b", "c", "d", "e"};
};

TEST_F(ModelEdit, PartFromTheModelsInputs) {
  const Part part = Cut("d", -1, all_);
  EXPECT_EQ(part.inputs, Names{"x"});
  EXPECT_EQ(part.nodes, (std::vector<int>{0, 1, 2, 3}));
}

TEST_F(ModelEdit, PartFromEveryValueThatIsReadLater) {
  const Part part = Cut("d", 1, all_);
  EXPECT_EQ(part.inputs, (Names{"a", "b"}));
  EXPECT_EQ(part.nodes, (std::vector<int>{2, 3}));
  EXPECT_EQ(Cut("d", 2, all_).inputs, Names{"c"});
  EXPECT_EQ(Cut("d", 3, all_).nodes, std::vector<int>{3}) << "the output is never given";
}

TEST_F(ModelEdit, WhatIsNotKnownIsComputed) {
  const Part part = Cut("d", 1, {"a"});
  EXPECT_EQ(part.inputs, Names{"a"});
  EXPECT_EQ(part.nodes, (std::vector<int>{1, 2, 3}));
}

TEST_F(ModelEdit, ExtractKeepsTheNodesTheirConstantsAndShapes) {
  onnx::ModelProto model = builder_.Proto();
  Extract(Cut("d", 2, all_), "d", {{"c", {1, 4}}, {"d", {1, 4}}}, &model);
  ASSERT_EQ(model.graph().node_size(), 1);
  EXPECT_EQ(model.graph().node(0).name(), "n3");
  ASSERT_EQ(model.graph().initializer_size(), 1);
  EXPECT_EQ(model.graph().initializer(0).name(), "k");
  ASSERT_EQ(model.graph().input_size(), 1);
  EXPECT_EQ(model.graph().input(0).name(), "c");
  EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(1).dim_value(), 4);
  ASSERT_EQ(model.graph().output_size(), 1);
  EXPECT_EQ(model.graph().output(0).name(), "d");
}

TEST_F(ModelEdit, OutputsAreThoseNamed) {
  onnx::ModelProto model = builder_.Proto();
  SetOutputs({"b", "d"}, &model);
  ASSERT_EQ(model.graph().output_size(), 2);
  EXPECT_EQ(model.graph().output(0).name(), "b");
  EXPECT_EQ(model.graph().output(1).name(), "d");
  EXPECT_THROW(SetOutputs({"x"}, &model), UserError) << "an input is computed by nothing";
}

TEST_F(ModelEdit, ReadsNamesAndQuantization) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("octet-edit-test-" + std::to_string(getpid()) + ".onnx");
  builder_.Save(path);
  EXPECT_EQ(ComputedValues(path), (Names{"a", "b", "c", "d", "e"}));
  EXPECT_FALSE(IsQuantized(path));
  builder_.Node("QuantizeLinear", {"d", "k", "k"}, {}, {"q"});
  builder_.Save(path);
  EXPECT_TRUE(IsQuantized(path));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace octet::exporting
