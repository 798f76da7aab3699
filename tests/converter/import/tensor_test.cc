// Every storage of every element type, external data, and the checks before memory is taken.
#include <cmath>
#include <limits>

#include "tests/converter/import/import_support.h"

namespace octet::import {
namespace {

using onnx::TensorProto;

constexpr int64_t kTooWide = 3000000000;

class TensorTest : public ImportTest {
 protected:
  // x + w, so that w is used; the test fills w.
  TensorTest() {
    model_.Input("x", {1, 3});
    model_.Node("Add", {"x", "w"}, {}, {"y"});
    model_.Output("y");
    tensor_ = model_.Proto().mutable_graph()->add_initializer();
    tensor_->set_name("w");
  }
  void SetType(int type, const Dims& dims) {
    tensor_->Clear();
    tensor_->set_name("w");
    tensor_->set_data_type(type);
    tensor_->mutable_dims()->Add(dims.begin(), dims.end());
  }
  template <typename T>
  void SetRaw(const std::vector<T>& values) {
    tensor_->set_raw_data(
        std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  }
  graph::Tensor Read() {
    const graph::Graph graph = Import(model_);
    return *graph.Constant(graph.nodes[0].inputs[1]);
  }
  std::string Refusal() { return ImportTest::Refusal(model_); }
  void SetExternal(const std::string& location, const std::string& offset,
                   const std::string& length) {
    tensor_->set_data_location(TensorProto::EXTERNAL);
    tensor_->clear_external_data();
    for (const auto& [key, value] :
         {std::pair{"location", location}, {"offset", offset}, {"length", length}}) {
      if (value.empty()) continue;
      auto& entry = *tensor_->add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
  }

  OnnxBuilder model_;
  TensorProto* tensor_;
};

using Integers = std::vector<int64_t>;
using Reals = std::vector<float>;

TEST_F(TensorTest, FloatTypesRaw) {
  SetType(TensorProto::FLOAT, {3});
  SetRaw<float>({1.5f, -2, 0.1f});
  EXPECT_EQ(Read().floats, (Reals{1.5f, -2, 0.1f}));

  SetType(TensorProto::DOUBLE, {3});
  SetRaw<double>({0.1, -1e300, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(Read().floats, (Reals{0.1f, -std::numeric_limits<float>::max(),
                                  std::numeric_limits<float>::infinity()}));

  SetType(TensorProto::FLOAT16, {7});
  SetRaw<uint16_t>({0x3c00, 0xc000, 0x7bff, 0x0001, 0x8400, 0x7c00, 0x3555});
  EXPECT_EQ(Read().floats, (Reals{1, -2, 65504, 0x1p-24f, -0x1p-14f,
                                  std::numeric_limits<float>::infinity(), 0x1.554p-2f}));
  SetType(TensorProto::FLOAT16, {2});
  SetRaw<uint16_t>({0x7e00, 0x8000});
  EXPECT_TRUE(std::isnan(Read().floats[0]));
  EXPECT_TRUE(std::signbit(Read().floats[1]));

  SetType(TensorProto::BFLOAT16, {2});
  SetRaw<uint16_t>({0x3f80, 0xc049});
  EXPECT_EQ(Read().floats, (Reals{1, -0x1.92p+1f}));
}

TEST_F(TensorTest, FloatTypesTyped) {
  SetType(TensorProto::FLOAT, {2});
  tensor_->add_float_data(1.5f);
  tensor_->add_float_data(-1);
  EXPECT_EQ(Read().floats, (Reals{1.5f, -1}));
  SetType(TensorProto::DOUBLE, {1});
  tensor_->add_double_data(0.25);
  EXPECT_EQ(Read().floats, (Reals{0.25f}));
  SetType(TensorProto::FLOAT16, {1});
  tensor_->add_int32_data(0xc000);
  EXPECT_EQ(Read().floats, (Reals{-2}));
  SetType(TensorProto::BFLOAT16, {1});
  tensor_->add_int32_data(0xbf80);
  EXPECT_EQ(Read().floats, (Reals{-1}));
}

TEST_F(TensorTest, IntegerTypesRaw) {
  SetType(TensorProto::INT8, {2});
  SetRaw<int8_t>({-128, 127});
  EXPECT_EQ(Read().integers, (Integers{-128, 127}));
  EXPECT_EQ(Read().type, graph::DataType::kInt8);
  SetType(TensorProto::UINT8, {2});
  SetRaw<uint8_t>({0, 255});
  EXPECT_EQ(Read().integers, (Integers{0, 255}));
  SetType(TensorProto::INT16, {1});
  SetRaw<int16_t>({-32768});
  EXPECT_EQ(Read().integers, (Integers{-32768}));
  SetType(TensorProto::UINT16, {1});
  SetRaw<uint16_t>({65535});
  EXPECT_EQ(Read().integers, (Integers{65535}));
  SetType(TensorProto::INT32, {1});
  SetRaw<int32_t>({-2147483647 - 1});
  EXPECT_EQ(Read().integers, (Integers{-2147483648}));
  SetType(TensorProto::UINT32, {1});
  SetRaw<uint32_t>({2147483647});
  EXPECT_EQ(Read().integers, (Integers{2147483647}));
  SetType(TensorProto::INT64, {2});
  SetRaw<int64_t>({-2147483648, 2147483647});
  EXPECT_EQ(Read().integers, (Integers{-2147483648, 2147483647}));
  SetType(TensorProto::UINT64, {1});
  SetRaw<uint64_t>({7});
  EXPECT_EQ(Read().integers, (Integers{7}));
  SetType(TensorProto::BOOL, {3});
  SetRaw<uint8_t>({0, 1, 2});
  EXPECT_EQ(Read().integers, (Integers{0, 1, 1}));
}

TEST_F(TensorTest, IntegerTypesTyped) {
  for (int type : {TensorProto::INT8, TensorProto::UINT8, TensorProto::INT16, TensorProto::UINT16,
                   TensorProto::INT32, TensorProto::BOOL}) {
    SetType(type, {1});
    tensor_->add_int32_data(1);
    EXPECT_EQ(Read().integers, (Integers{1})) << type;
  }
  for (int type : {TensorProto::UINT32, TensorProto::UINT64}) {
    SetType(type, {1});
    tensor_->add_uint64_data(9);
    EXPECT_EQ(Read().integers, (Integers{9})) << type;
  }
  SetType(TensorProto::INT64, {});
  tensor_->add_int64_data(-5);
  EXPECT_EQ(Read().integers, (Integers{-5}));
}

TEST_F(TensorTest, IntegersBeyondInt32NameTheTensor) {
  SetType(TensorProto::INT64, {2});
  SetRaw<int64_t>({1, kTooWide});
  EXPECT_SAYS(Refusal(), "initialiser 'w': value 3000000000 does not fit int32");
  SetRaw<int64_t>({1, -kTooWide});
  EXPECT_SAYS(Refusal(), "value -3000000000 does not fit int32");
  SetType(TensorProto::UINT32, {1});
  SetRaw<uint32_t>({0x80000000u});
  EXPECT_SAYS(Refusal(), "initialiser 'w': value 2147483648 does not fit int32");
  SetType(TensorProto::UINT64, {1});
  SetRaw<uint64_t>({~uint64_t{0}});
  EXPECT_SAYS(Refusal(), "initialiser 'w': value");
}

TEST_F(TensorTest, ElementTypesRefused) {
  const std::pair<int, const char*> refused[] = {{TensorProto::UNDEFINED, "undefined"},
                                                 {TensorProto::STRING, "string"},
                                                 {TensorProto::COMPLEX64, "complex64"},
                                                 {17, "float8e4m3fn"},
                                                 {22, "int4"},
                                                 {99, "99 (unknown)"}};
  for (const auto& [type, name] : refused) {
    SetType(type, {1});
    EXPECT_SAYS(Refusal(),
                std::string("initialiser 'w': element type ") + name + " is not supported");
  }
}

TEST_F(TensorTest, WrongAmountsOfData) {
  SetType(TensorProto::FLOAT, {2, 3});
  SetRaw<float>({1, 2, 3, 4, 5});
  EXPECT_SAYS(Refusal(), "initialiser 'w': 20 bytes of data, but shape [2,3] of float needs 24");
  SetType(TensorProto::FLOAT, {2});
  tensor_->add_float_data(1);
  EXPECT_SAYS(Refusal(), "initialiser 'w': 1 values of data, but shape [2] needs 2");
  SetType(TensorProto::INT64, {1});
  tensor_->add_int32_data(1);
  EXPECT_SAYS(Refusal(), "0 values of data");
}

TEST_F(TensorTest, AbsurdShapesTakeNoMemory) {
  SetType(TensorProto::FLOAT, {-1, 3});
  EXPECT_SAYS(Refusal(), "initialiser 'w': dimension -1 is negative");
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  for (const Dims& dims :
       {Dims{kMax}, Dims{kMax, kMax}, Dims{1 << 30, 1 << 30}, Dims{0, kMax, kMax}}) {
    SetType(TensorProto::FLOAT, dims);
    EXPECT_SAYS(Refusal(), "more than 2^40 elements");
  }
  SetType(TensorProto::FLOAT, {1 << 20, 1 << 19});
  EXPECT_SAYS(Refusal(), "0 values of data, but shape");
  SetExternal("w.bin", "", "");
  WriteFile("w.bin", "1234");
  EXPECT_SAYS(Refusal(), "is too short");
  SetType(TensorProto::FLOAT, {0, 4});
  EXPECT_EQ(Read().Count(), 0);
}

TEST_F(TensorTest, ExternalData) {
  const float values[] = {9, 9, 1, 2, 3};
  WriteFile("w.bin", std::string(reinterpret_cast<const char*>(values), sizeof(values)));
  SetType(TensorProto::FLOAT, {3});
  SetExternal("w.bin", "8", "12");
  EXPECT_EQ(Read().floats, (Reals{1, 2, 3}));
  SetExternal("w.bin", "8", "");
  EXPECT_EQ(Read().floats, (Reals{1, 2, 3}));
  SetExternal("./w.bin", "", "");
  EXPECT_EQ(Read().floats, (Reals{9, 9, 1}));
  // Down and up again, whether the folder is there or not.
  SetExternal("./sub/../w.bin", "", "");
  EXPECT_EQ(Read().floats, (Reals{9, 9, 1}));
  std::filesystem::create_directory(folder_ / "sub");
  EXPECT_EQ(Read().floats, (Reals{9, 9, 1}));
}

TEST_F(TensorTest, ExternalDataRefused) {
  WriteFile("w.bin", std::string(12, '\0'));
  SetType(TensorProto::FLOAT, {3});
  SetExternal("gone.bin", "", "");
  EXPECT_SAYS(Refusal(), "initialiser 'w': external data file 'gone.bin' is missing");
  SetExternal("", "", "");
  EXPECT_SAYS(Refusal(), "external data has no file name");
  SetExternal("w.bin", "4", "12");
  EXPECT_SAYS(Refusal(), "'w.bin' is too short: 12 bytes from offset 4 of 12");
  SetExternal("w.bin", "18446744073709551615", "12");
  EXPECT_SAYS(Refusal(), "is too short");
  SetExternal("w.bin", "", "8");
  EXPECT_SAYS(Refusal(), "external data has 8 bytes, its shape and type need 12");
  SetExternal("w.bin", "-4", "");
  EXPECT_SAYS(Refusal(), "offset '-4', which is not a byte count");
  for (const char* path : {"../w.bin", "sub/../../w.bin", "/etc/passwd"}) {
    SetExternal(path, "", "");
    EXPECT_SAYS(Refusal(), "is outside the model's folder");
  }
  std::filesystem::create_symlink("/etc/passwd", folder_ / "link.bin");
  SetExternal("link.bin", "", "");
  EXPECT_SAYS(Refusal(), "is a link to a file outside the model's folder");
  std::filesystem::create_directory(folder_ / "dir");
  SetExternal("dir", "", "");
  EXPECT_SAYS(Refusal(), "is missing");
}

TEST_F(TensorTest, Segments) {
  SetType(TensorProto::FLOAT, {3});
  SetRaw<float>({1, 2, 3});
  tensor_->mutable_segment()->set_begin(0);
  EXPECT_SAYS(Refusal(), "segments");
}

}  // namespace
}  // namespace octet::import
