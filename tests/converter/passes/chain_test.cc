// Nodes that a chain adds, and those that would change nothing and are left out.
#include "converter/passes/chain.h"

#include <gtest/gtest.h>

#include "converter/operators/operator.h"
#include "converter/passes/editor.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

// x [2, 3, 4] -> Relu -> y.
struct Start {
  Net net;
  ValueId x, y;

  Start() {
    x = net.Input({2, 3, 4});
    y = net.Op("Relu", {x});
    net.Output(y);
    operators::InferShapes(net.graph);
  }
};

// Whether `add` makes another value, and the shape behind it.
template <typename Add>
std::pair<bool, Shape> Added(const Add& add) {
  Start start;
  Editor editor(start.net.graph);
  Chain chain(editor, 0, start.x);
  add(chain);
  return {chain.value() != start.x, chain.shape()};
}

TEST(Chain, WhatChangesNothingIsNoNode) {
  const Shape whole{2, 3, 4};
  const std::pair<bool, Shape> nothing{false, whole};
  EXPECT_EQ(Added([&](Chain& c) { c.Reshape(whole); }), nothing);
  EXPECT_EQ(Added([](Chain& c) { c.Transpose({0, 1, 2}); }), nothing);
  EXPECT_EQ(Added([](Chain& c) { c.Slice(2, 0, 4); }), nothing);
  EXPECT_EQ(Added([](Chain& c) { c.PadWithZeros(1, 0, 0); }), nothing);
  EXPECT_EQ(Added([](Chain& c) { c.Concat({c}, 1); }), nothing);
}

TEST(Chain, WhatChangesSomethingIsOne) {
  using Result = std::pair<bool, Shape>;
  EXPECT_EQ(Added([](Chain& c) { c.Reshape({6, 4}); }), (Result{true, {6, 4}}));
  EXPECT_EQ(Added([](Chain& c) { c.Transpose({2, 0, 1}); }), (Result{true, {4, 2, 3}}));
  EXPECT_EQ(Added([](Chain& c) { c.Slice(2, 1, 4); }), (Result{true, {2, 3, 3}}));
  EXPECT_EQ(Added([](Chain& c) { c.Slice(2, 0, 3); }), (Result{true, {2, 3, 3}}));
  EXPECT_EQ(Added([](Chain& c) { c.Slice(2, 0, 4, 3); }), (Result{true, {2, 3, 2}}));
  EXPECT_EQ(Added([](Chain& c) { c.PadWithZeros(1, 2, 0); }), (Result{true, {2, 5, 4}}));
  EXPECT_EQ(Added([](Chain& c) { c.PadWithZeros(1, 0, 1); }), (Result{true, {2, 4, 4}}));
  EXPECT_EQ(Added([](Chain& c) { c.Concat({c, c, c}, 0); }), (Result{true, {6, 3, 4}}));
}

}  // namespace
}  // namespace octet::passes::testing
