#include <cmath>

#include <gtest/gtest.h>

#include "converter/quantize/names.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using blob::Precision;

struct TwoConvs : Net {
  TwoConvs() {
    const auto x = Input("x", -1, 1);
    y = Value("y", -1, 1);
    const auto z = Value("z", -1, 1);
    Conv(x, y);
    Conv(y, z);
    Output(z);
  }
  graph::ValueId y;
};

TEST(Precision, RequestsFollowTheConstraint) {
  TwoConvs net;
  Config config = Net::MinMax();
  config.layers.push_back({"Conv_*", Precision::kFp16});
  config.layers.push_back({"Conv_z", Precision::kInt8});
  for (Constraint constraint : {Constraint::kPrefer, Constraint::kObey}) {
    config.constraint = constraint;
    EXPECT_EQ(net.Assign(config).precision,
              (std::vector<Precision>{Precision::kFp16, Precision::kInt8}));
  }
  config.constraint = Constraint::kNone;
  EXPECT_EQ(net.Assign(config).precision,
            (std::vector<Precision>{Precision::kInt8, Precision::kInt8}));
  config.layers.push_back({"Conv_w", Precision::kInt8});
  EXPECT_NE(Refusal([&] { net.Assign(config); }).find("nearest name is 'Conv_"), std::string::npos);
}

// What is rounded to 0 in front of a logarithm would be minus infinity as well.
TEST(Precision, WhatALogarithmOfZeroIsMadeOf) {
  Net net;
  const auto x = net.Input("x", -1, 1), y = net.Value("y", -1, 1), z = net.Value("z", 0, 1),
             log = net.Seen("log", {-INFINITY, -1, 0});
  net.Conv(x, y);
  net.Conv(y, z);
  net.Op("Log", {z}, log);
  net.Output(log);
  EXPECT_EQ(net.Assign().precision,
            (std::vector<Precision>{Precision::kInt8, Precision::kFp16, Precision::kFp16}));
}

TEST(Precision, ALayersOwnConstraintGoesBeforeTheFiles) {
  TwoConvs net;
  Config config = Net::MinMax();
  config.constraint = Constraint::kNone;
  config.layers.push_back({"Conv_y", Precision::kFp16, Constraint::kPrefer});
  config.layers.push_back({"Conv_z", Precision::kFp16});
  EXPECT_EQ(net.Assign(config).precision,
            (std::vector<Precision>{Precision::kFp16, Precision::kInt8}));
  // A wish does not change what has to be obeyed.
  config.layers = {{"Conv_y", Precision::kFp16, Constraint::kObey},
                   {"*", Precision::kInt8, Constraint::kPrefer}};
  EXPECT_EQ(net.Assign(config).precision,
            (std::vector<Precision>{Precision::kFp16, Precision::kInt8}));
  config.layers[1].constraint = Constraint::kObey;
  EXPECT_EQ(Refusal([&] { net.Assign(config); }),
            "node 'Conv_y' must be fp16 by 'Conv_y' and int8 by '*', both with obey; set one of "
            "them to `constraint: prefer`");
  config.layers.pop_back();
  config.int8_everywhere = true;
  EXPECT_EQ(Refusal([&] { net.Assign(config); }),
            "node 'Conv_y' must be fp16 ('Conv_y', constraint: obey), but int8 is asked for "
            "everywhere; remove one of them");
}

TEST(Precision, DeepLayersRunInHalf) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto y = net.Value("y", -1, 1, {1, 1});
  net.Op("Gemm", {x, net.Constant({28001, 1}, 0.1f)}, y);
  net.Output(y);
  Config config = Net::MinMax();
  Scheme scheme = net.Assign(config);
  EXPECT_EQ(scheme.precision[0], Precision::kFp16);
  ASSERT_EQ(scheme.warnings.size(), 1u);
  EXPECT_NE(scheme.warnings[0].find("Gemm_y"), std::string::npos);
  config.layers.push_back({"Gemm_y", Precision::kInt8});
  EXPECT_EQ(net.Assign(config).precision[0], Precision::kFp16) << "prefer: where possible";
  config.constraint = Constraint::kObey;
  EXPECT_NE(Refusal([&] { net.Assign(config); }).find("Gemm_y"), std::string::npos);
  config = Net::MinMax();
  config.int8_everywhere = true;
  EXPECT_NE(Refusal([&] { net.Assign(config); }).find("Gemm_y"), std::string::npos);
  // One product fewer fits, also by its transpose.
  net.graph.nodes[0].inputs[1] = net.Constant({1, 28000}, 0.1f);
  net.graph.nodes[0].attributes["transB"] = int64_t{1};
  EXPECT_EQ(net.Assign(Net::MinMax()).precision[0], Precision::kInt8);
}

TEST(Precision, NotANumberKeepsItsNeighboursInHalf) {
  TwoConvs net;
  net.statistics[static_cast<size_t>(net.y)]->min = NAN;
  net.statistics[static_cast<size_t>(net.y)]->max = NAN;
  const Scheme scheme = net.Assign();
  EXPECT_EQ(scheme.precision, (std::vector<Precision>{Precision::kFp16, Precision::kFp16}));
  EXPECT_EQ(scheme.warnings.size(), 2u);
  EXPECT_FALSE(scheme.tensors[static_cast<size_t>(net.y)].has_value());
}

TEST(Names, Wildcards) {
  EXPECT_TRUE(Matches("*", ""));
  EXPECT_TRUE(Matches("a*c", "abbc"));
  EXPECT_TRUE(Matches("*b*", "abc"));
  EXPECT_TRUE(Matches("a*b*c", "abcbc"));
  EXPECT_TRUE(Matches("abc", "abc"));
  EXPECT_FALSE(Matches("abc", "abcd"));
  EXPECT_FALSE(Matches("a*c", "abcd"));
  EXPECT_FALSE(Matches("", "a"));
}

// By letters put in, left out and replaced, each for one; of equal ones the first.
TEST(Names, TheNearest) {
  const auto nearest = [](std::string_view pattern, const std::vector<std::string_view>& names) {
    const std::string line = Refusal([&] { RequireMatch(pattern, names, "layer"); });
    const std::string key = "the nearest name is '";
    const size_t at = line.find(key) + key.size();
    return line.substr(at, line.find('\'', at) - at);
  };
  EXPECT_EQ(nearest("abcd", {"axyd", "abcdx"}), "abcdx");
  EXPECT_EQ(nearest("abcd", {"axyd", "abd"}), "abd");
  EXPECT_EQ(nearest("abcd", {"abxy", "xabcd"}), "xabcd");
  EXPECT_EQ(nearest("abcd", {"abxy", "bcd"}), "bcd");
  EXPECT_EQ(nearest("abcd", {"xyzd", "abxy", "axcd"}), "axcd");
  EXPECT_EQ(nearest("abcd", {"abcde", "abc", "abce"}), "abcde");
  EXPECT_EQ(nearest("kitten", {"sittting", "mitt", "sitting"}), "mitt");
  EXPECT_EQ(nearest("abcdef", {"xbcdyz", "cdefabxy", "cdef"}), "cdef");
  EXPECT_EQ(Refusal([&] { RequireMatch("a*", {"b", "ab"}, "layer"); }), "");
}

}  // namespace
}  // namespace octet::quantize
