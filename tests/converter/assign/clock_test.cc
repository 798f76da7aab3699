#include "converter/assign/clock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "converter/support/error.h"

namespace octet::assign {
namespace {

using blob::Op;
using blob::Precision;

template <typename F>
std::string Refusal(F&& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

// [1, 8, 8, 16] through a 3x3 convolution with 16 outputs, then an addition.
lower::Program Example(Precision precision) {
  lower::Program program;
  for (int i = 0; i < 3; ++i) {
    lower::Tensor tensor;
    tensor.type =
        precision == Precision::kInt8 ? blob::ElementType::kInt8 : blob::ElementType::kFp16;
    tensor.dims[1] = tensor.dims[2] = 8;
    tensor.dims[3] = 16;
    program.tensors.push_back(tensor);
  }
  lower::Layer conv;
  conv.name = "conv";
  conv.op = Op::kConv;
  conv.precision = precision;
  conv.inputs = {0};
  conv.output = 1;
  conv.macs = 8 * 8 * 16 * 9 * 16;
  blob::ConvParams params{};
  params.kernel_h = params.kernel_w = 3;
  params.stride_h = params.stride_w = params.dilation_h = params.dilation_w = 1;
  params.groups = 1;
  conv.Set(params);
  lower::Layer add = conv;
  add.name = "add";
  add.op = Op::kAdd;
  add.inputs = {0, 1};
  add.output = 2;
  add.macs = 0;
  program.layers = {conv, add};
  return program;
}

boards::Board BoardWith(const std::vector<std::string>& isa) {
  boards::Board board;
  board.file = "b.yaml";
  board.name = "a board";
  board.cpu = "Core";
  board.isa = isa;
  board.clock_mhz = 2000;
  return board;
}

TEST(ModelClock, IsTheFormulaOfTheHighestWord) {
  const auto clock = ModelClock(BoardWith({"reference", "neon", "dotprod"}));
  EXPECT_EQ(clock->Source(), "cost model of one Core core at 2000 MHz (dotprod)");
  const lower::Program int8 = Example(Precision::kInt8), half = Example(Precision::kFp16);
  // Cycles at 2 GHz: macs / rate + elements * cycles, and bytes / 4.5.
  EXPECT_NEAR(static_cast<double>(clock->NsOf(int8, int8.layers[0])),
              (147456 / 29.0 + 1024 * 1.3) / 2, 1);
  EXPECT_NEAR(static_cast<double>(clock->NsOf(half, half.layers[0])),
              (147456 / 7.2 + 1024 * 5.3) / 2, 1);
  EXPECT_NEAR(static_cast<double>(clock->NsOf(int8, int8.layers[1])), 3072 / 4.5 / 2, 1);
  EXPECT_EQ(clock->NsOf(int8),
            clock->NsOf(int8, int8.layers[0]) + clock->NsOf(int8, int8.layers[1]));
  EXPECT_NEAR(static_cast<double>(clock->ConversionNs(1000)), 3000 / 4.5 / 2, 1);
}

TEST(ModelClock, TransformedWeightsHalveTheProductsOfInt8) {
  boards::Board board = BoardWith({"reference", "neon"});
  const lower::Program program = Example(Precision::kInt8), half = Example(Precision::kFp16);
  const int64_t plain = ModelClock(board)->NsOf(program, program.layers[0]);
  const int64_t fp16 = ModelClock(board)->NsOf(half, half.layers[0]);
  board.winograd = true;
  EXPECT_NEAR(static_cast<double>(plain - ModelClock(board)->NsOf(program, program.layers[0])),
              147456 / 5.8 / 2 / 2, 1);
  EXPECT_EQ(fp16, ModelClock(board)->NsOf(half, half.layers[0]));
}

TEST(ModelClock, UnknownCoresAreRefused) {
  EXPECT_EQ(Refusal([] { ModelClock(BoardWith({"reference"})); }),
            "b.yaml: there is no cost model for the cores of a board; measure the layers: "
            "octet-run --profile --json, then --profile FILE");
}

class ProfileClockTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& path : written_) std::filesystem::remove(path);
  }
  std::string Write(const std::string& name, const std::string& text) {
    written_.push_back(
        (std::filesystem::temp_directory_path() / (name + std::to_string(getpid()) + ".json"))
            .string());
    std::ofstream(written_.back()) << text;
    return written_.back();
  }
  static std::string Profile(const std::string& precision, int conv_ns) {
    return R"({"isa": "neon", "threads": 2, "layers": [{"name": "conv", "op": "conv",)"
           R"( "precision": ")" +
           precision + R"(", "ns": )" + std::to_string(conv_ns) +
           R"(, "macs": 5, "input_bytes": 10, "output_bytes": 10}, {"name": "q", "op": "convert",)"
           R"( "precision": "fp16", "ns": 60, "macs": 0, "input_bytes": 10, "output_bytes": 20}]})";
  }
  std::vector<std::string> written_;
};

TEST_F(ProfileClockTest, LayersByNameAndPrecisionOthersByTheByte) {
  const auto clock =
      ProfileClock({Write("low", Profile("int8", 700)), Write("high", Profile("fp16", 1900))});
  const lower::Program int8 = Example(Precision::kInt8), half = Example(Precision::kFp16);
  EXPECT_EQ(clock->NsOf(int8, int8.layers[0]), 700);
  EXPECT_EQ(clock->NsOf(half, half.layers[0]), 1900);
  EXPECT_EQ(clock->ConversionNs(100), 600) << "2 ns a byte, three bytes an element";
  EXPECT_EQ(clock->NsOf(int8, int8.layers[1]), 2 * 3072);
  EXPECT_NE(clock->Source().find(" at neon, 2 thread(s)"), std::string::npos);
  CheckKnows(*clock, {&int8, &half});
}

TEST_F(ProfileClockTest, WhatOnlyNamesBytesTakesNoTime) {
  lower::Program program = Example(Precision::kInt8);
  const auto clock = ProfileClock({Write("low", Profile("int8", 700))});
  for (const Op op : {Op::kReshape, Op::kConstant}) {
    program.layers[1].op = op;
    EXPECT_EQ(clock->NsOf(program, program.layers[1]), 0);
  }
}

TEST_F(ProfileClockTest, WithoutConversionsLayersWithoutWeightsTellTheTimeOfAByte) {
  std::string moved = Profile("int8", 700);
  moved.replace(moved.find("\"convert\""), 9, "\"add\"");
  EXPECT_EQ(ProfileClock({Write("moved", moved)})->ConversionNs(100), 600);
}

TEST_F(ProfileClockTest, WhatIsNoneIsRefused) {
  EXPECT_EQ(Refusal([] { ProfileClock({"/nowhere.json"}); }),
            "/nowhere.json: cannot be opened; check the path");
  for (const char* text : {"", "{}", "[1]", R"({"layers": [{"name": "a"}]})"}) {
    const std::string path = Write("bad", text);
    EXPECT_EQ(
        Refusal([&] { ProfileClock({path}); }),
        path + ": not a profile; make one: octet-run MODEL.octet --input FILE --profile --json");
  }
  const std::string half = Write("half", Profile("fp16", 5));
  EXPECT_EQ(Refusal([&] { ProfileClock({half}); }),
            half +
                ": no layer ran in int8; give the profiles of both plans, joined by a comma "
                "(octet-run --plan int8 --profile --json)");
}

TEST_F(ProfileClockTest, AnotherModelsIsRefused) {
  const std::string low = Write("low", Profile("int8", 7)),
                    high = Write("high", Profile("fp16", 9));
  const auto clock = ProfileClock({low, high});
  lower::Program other = Example(Precision::kInt8);
  other.layers[0].name = "conv_2";
  EXPECT_EQ(Refusal([&] { CheckKnows(*clock, {&other}); }),
            low + "," + high +
                ": layer 'conv_2' of plan int8 is missing; profile a blob of this model, converted "
                "with the same settings, in both plans");
  CheckKnows(*DefaultClock(), {&other});
}

}  // namespace
}  // namespace octet::assign
