// Requests of each protocol, as bytes: what is read, and what is refused with which reason.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "ports/linux/serve/deepstack/form.h"
#include "ports/linux/serve/deepstack/multipart.h"
#include "ports/linux/serve/v2/reply.h"
#include "ports/linux/serve/v2/request.h"
#include "ports/linux/serve/zmq/answer.h"
#include "ports/linux/serve/zmq/request.h"

namespace octet::port::serve {
namespace {

constexpr const char* kType = "multipart/form-data; boundary=XX";

std::string Part(const std::string& head, const std::string& data) {
  return "--XX\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + data + "\r\n";
}

TEST(Form, HasTheFileAndTheFields) {
  const std::string image("\xFF\xD8\r\n--X\0\r\n", 11);
  const std::string body =
      Part("name=\"api_key\"", "secret") + Part("name=min_confidence", "0.25") +
      Part("name=\"image\"; filename=\"a;b\\\".jpg\"\r\nContent-Type: image/jpeg", image) +
      "--XX--\r\n";
  DetectionForm form;
  std::string why;
  ASSERT_TRUE(ReadDetectionForm(kType, body, &form, &why)) << why;
  EXPECT_EQ(form.image, image);
  EXPECT_EQ(form.api_key, "secret");
  EXPECT_EQ(form.min_confidence, 0.25f);
  // A file by another name, a quoted boundary, bytes before the first boundary.
  const std::string other = "preamble\r\n" + Part("filename=x; name=\"file\"", "data") + "--XX--";
  ASSERT_TRUE(
      ReadDetectionForm("Multipart/Form-Data; charset=x; Boundary=\"XX\"", other, &form, &why))
      << why;
  EXPECT_EQ(form.image, "data");
  EXPECT_EQ(form.min_confidence, DetectionForm::kDefaultConfidence);
  const std::string empty = Part("name=\"image\"; filename=\"\"", "") + "--XX--";
  ASSERT_TRUE(ReadDetectionForm(kType, empty, &form, &why)) << why;
  EXPECT_EQ(form.image, "");
  EXPECT_NE(form.image.data(), nullptr);
}

// As clients outside send it: lines that end with LF alone, an empty line in front, a header in two
// lines, blanks around a number.
TEST(Form, OtherFormsGiveTheSameParts) {
  const std::string image = "\xFF\xD8 \r\n--X\n\ndata\r";
  const std::string plain = Part("name=\"image\"; filename=\"a.jpg\"", image) +
                            Part("name=\"min_confidence\"", " 0.25\n") + "--XX--\r\n";
  const std::string head = "--XX\nContent-Disposition: form-data; name=\"";
  const std::string bare = head + "image\"; filename=\"a.jpg\"\n\n" + image + "\n" + head +
                           "min_confidence\"\n\n0.25 \n--XX--\n";
  std::string folded = plain;
  folded.replace(folded.find("; name"), 1, ";\r\n\t");
  for (const std::string& body : {plain, "\r\n" + plain, bare, "\n" + bare, folded}) {
    DetectionForm form;
    std::string why;
    ASSERT_TRUE(ReadDetectionForm(kType, body, &form, &why)) << why << "\n" << body;
    EXPECT_EQ(form.image, image) << body;
    EXPECT_EQ(form.min_confidence, 0.25f) << body;
  }
}

TEST(Form, RefusesWhatIsNotOne) {
  DetectionForm form;
  std::string why;
  const std::string good = Part("name=\"image\"; filename=x", "data");
  for (const std::string& type :
       {std::string(), std::string("image/jpeg"), std::string("multipart/form-data"),
        std::string("multipart/form-data; boundary=") + std::string(71, 'x')}) {
    EXPECT_FALSE(ReadDetectionForm(type, good + "--XX--", &form, &why)) << type;
  }
  for (const std::string& body :
       {std::string(), good, good + "--XX", good + "--XXY--", std::string("--XX"),
        std::string("--XX\r\n"), std::string("--XX\r\n\r\nno name\r\n--XX--"), good.substr(0, 60),
        Part("name=\"min_confidence\"", "much") + "--XX--",
        Part("name=\"min_confidence\"", "1.5") + "--XX--",
        Part("name=\"min_confidence\"", "nan") + "--XX--",
        Part("name=\"min_confidence\"", "0.5x") + "--XX--"}) {
    why.clear();
    EXPECT_FALSE(ReadDetectionForm(kType, body, &form, &why)) << body;
    EXPECT_NE(why, "") << body;
  }
  std::string many;
  for (size_t i = 0; i <= kMostParts; ++i) many += Part("name=a", "b");
  EXPECT_FALSE(ReadDetectionForm(kType, many + "--XX--", &form, &why));
}

TEST(Form, AnswersAtMostTwentyBestFirst) {
  std::vector<octet_detection> found;
  for (uint32_t i = 0; i < 30; ++i) {
    const auto x = static_cast<float>(i);
    found.push_back({x + 0.4f, x + 0.6f, x + 9.5f, x + 10.5f, 1 - x / 64, i % 2});
  }
  ClassNumbers numbers = OwnNumbers({"cat", "dog"});
  const std::string all = DetectionAnswer(found, numbers, {1'600'000, 2'400'000, 3'000'000});
  EXPECT_EQ(all.find("{\"success\":true,\"predictions\":[{\"label\":\"cat\",\"confidence\":1.0,\"x_"
                     "min\":0,\"y_min\":1,\"x_max\":10,\"y_max\":10},"
                     "{\"label\":\"dog\",\"confidence\":0.984375,\"x_min\":1,\"y_min\":2,"),
            0u)
      << all;
  EXPECT_NE(all.find("],\"count\":20,\"inferenceMs\":2,\"processMs\":2,\"analysisRoundTripMs\":3"),
            std::string::npos)
      << all;
  numbers.numbers[0] = ClassNumbers::kNone;
  const std::string dogs = DetectionAnswer(found, numbers, {});
  EXPECT_EQ(dogs.find("cat"), std::string::npos);
  EXPECT_NE(dogs.find("\"count\":15"), std::string::npos) << dogs;
}

std::string Tensor(const std::string& shape, const std::string& dtype = "uint8") {
  return "{\"shape\": " + shape + ", \"dtype\": \"" + dtype + "\", \"model_type\": \"ssd\"}";
}

TEST(Zmq, LayoutFollowsFromTheShape) {
  const struct {
    const char* shape;
    uint32_t height, width, channels;
    bool planar;
  } cases[] = {{"[1, 4, 6, 3]", 4, 6, 3, false}, {"[1,3,4,6]", 4, 6, 3, true},
               {"[4,6,3]", 4, 6, 3, false},      {"[1,3,4,3]", 3, 4, 3, false},
               {"[1,4,6,1]", 4, 6, 1, false},    {"[1,1,4,6]", 4, 6, 1, true}};
  for (const auto& c : cases) {
    const ZmqHeader header = ReadZmqHeader(Tensor(c.shape), 2);
    ASSERT_EQ(header.kind, ZmqKind::kTensor) << c.shape << header.why;
    EXPECT_EQ(header.height, c.height) << c.shape;
    EXPECT_EQ(header.width, c.width) << c.shape;
    EXPECT_EQ(header.channels, c.channels) << c.shape;
    EXPECT_EQ(header.is_planar, c.planar) << c.shape;
  }
  EXPECT_EQ(ReadZmqHeader("{\"model_request\": true, \"model_name\": \"yolo\"}", 1).kind,
            ZmqKind::kHandshake);
  EXPECT_EQ(ReadZmqHeader("{\"model_data\": true, \"model_name\": \"yolo\"}", 2).kind,
            ZmqKind::kModelData);
}

TEST(Zmq, RefusesWhatIsNoPicture) {
  for (const std::string& text :
       {std::string(), std::string("garbage"), std::string("[]"), std::string("{}"),
        std::string("{\"model_request\": 1}"), Tensor("[2,4,6,3]"), Tensor("[1,4,6,2]"),
        Tensor("[1,0,6,3]"), Tensor("[1,4,70000,3]"), Tensor("[1,-4,6,3]"), Tensor("[1,4.5,6,3]"),
        Tensor("[4,6]"), Tensor("[1,1,4,6,3]"), Tensor("\"x\""), Tensor("[1,4,6,3]", "int64"),
        std::string(kLongestZmqHeader + 1, ' ') + Tensor("[1,4,6,3]"), std::string(4000, '[')}) {
    const ZmqHeader header = ReadZmqHeader(text, 2);
    EXPECT_EQ(header.kind, ZmqKind::kBad) << text;
    EXPECT_NE(header.why, "") << text;
  }
  EXPECT_EQ(ReadZmqHeader(Tensor("[1,4,6,3]"), 1).kind, ZmqKind::kBad);
  EXPECT_EQ(ReadZmqHeader(Tensor("[1,4,6,3]"), 3).kind, ZmqKind::kBad);
  pictures::Picture picture;
  std::string why;
  const ZmqHeader header = ReadZmqHeader(Tensor("[1,4,6,3]"), 2);
  EXPECT_FALSE(ToPicture(header, std::string(71, 'x'), {}, &picture, &why));
  EXPECT_FALSE(ToPicture(header, std::string(73, 'x'), {}, &picture, &why));
  EXPECT_TRUE(ToPicture(header, std::string(72, 'x'), {}, &picture, &why));
  // 34,179 x 41,887 x 3 is 23 more than 2^32.
  const ZmqHeader huge = ReadZmqHeader(Tensor("[1,34179,41887,3]"), 2);
  ASSERT_EQ(huge.kind, ZmqKind::kTensor);
  EXPECT_FALSE(ToPicture(huge, std::string(23, 'x'), {}, &picture, &why));
}

std::string Bytes(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

TEST(Zmq, EveryFormGivesTheSamePixels) {
  const std::vector<uint8_t> wanted = {0, 1, 2, 128, 254, 255};  // 1 x 2 pixels
  pictures::Picture picture;
  std::string why;
  const auto read = [&](const std::string& header, const std::string& tensor,
                        const ZmqPixels& pixels) {
    EXPECT_TRUE(ToPicture(ReadZmqHeader(header, 2), tensor, pixels, &picture, &why)) << why;
    return picture.pixels;
  };
  const std::string bytes(wanted.begin(), wanted.end());
  EXPECT_EQ(read(Tensor("[1,1,2,3]"), bytes, {}), wanted);
  const std::string planar = {0, static_cast<char>(128), 1, static_cast<char>(254),
                              2, static_cast<char>(255)};
  EXPECT_EQ(read(Tensor("[1,3,1,2]"), planar, {}), wanted);
  std::vector<float> shares, numbers;
  for (const uint8_t one : wanted) {
    numbers.push_back(one);
    shares.push_back(static_cast<float>(one) / 255);
  }
  EXPECT_EQ(read(Tensor("[1,1,2,3]", "float32"), Bytes(shares), {}), wanted);
  EXPECT_EQ(read(Tensor("[1,1,2,3]", "float32"), Bytes(numbers), {false, 255}), wanted);
  EXPECT_EQ(read(Tensor("[1,1,2,3]"), bytes, {true, 1}),
            (std::vector<uint8_t>{2, 1, 0, 255, 254, 128}));
  EXPECT_EQ(read(Tensor("[1,2,3,1]"), bytes, {true, 1}), wanted);  // grey has no order
  const float inf = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(read(Tensor("[1,1,2,3]", "float32"), Bytes({nan, inf, -inf, -1, 2, 0.5f}), {}),
            (std::vector<uint8_t>{0, 255, 0, 0, 255, 128}));
  EXPECT_EQ(read(Tensor("[1,1,2,3]", "float32"), Bytes({254.4f, 254.6f, 255.6f, 256, 0.4f, 0.6f}),
                 {false, 255}),
            (std::vector<uint8_t>{254, 255, 255, 255, 0, 1}));
}

TEST(Zmq, RowsAreSharesWithZerosBehind) {
  const std::vector<octet_detection> found = {{10, 20, 30, 40, 0.75f, 1}, {0, 0, 40, 80, 0.5f, 0}};
  ClassNumbers numbers = OwnNumbers({"cat", "dog"});
  ZmqRows rows = RowsOf(found, numbers, 40, 80);
  const std::vector<float> wanted = {1, 0.75f, 0.25f, 0.25f, 0.5f, 0.75f, 0, 0.5f, 0, 0, 1, 1};
  EXPECT_EQ(std::vector<float>(rows.begin(), rows.begin() + 12), wanted);
  for (size_t i = 12; i < rows.size(); ++i) EXPECT_EQ(rows[i], 0);
  numbers.numbers = {62, ClassNumbers::kNone};
  rows = RowsOf(found, numbers, 40, 80);
  EXPECT_EQ(rows[0], 62);
  EXPECT_EQ(rows[7], 0);
  EXPECT_EQ(sizeof(rows), 480u);
  rows = RowsOf(std::vector<octet_detection>(30, found[0]), OwnNumbers({"cat", "dog"}), 40, 80);
  EXPECT_EQ(rows[119], 0.75f);
}

bool Read(const std::string& body, const std::string& length, V2Request* request,
          std::string* why) {
  why->clear();
  return ReadV2Request(body, length, request, why);
}

std::vector<uint8_t> BytesOf(const V2Input& input) {
  return {input.Bytes().begin(), input.Bytes().end()};
}

TEST(V2, ReadsNestedFlatAndBinaryTensors) {
  V2Request request;
  std::string why;
  ASSERT_TRUE(Read(
      R"({"id":"7","inputs":[{"name":"x","shape":[1,2,2],"datatype":"FP32","data":[[[1,2.5],[-3,1e-3]]]},
                      {"name":"y","shape":[3],"datatype":"UINT8","data":[0,255,7]}]})",
      "", &request, &why))
      << why;
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.inputs[0].floats, (std::vector<float>{1, 2.5f, -3, 1e-3f}));
  EXPECT_EQ(BytesOf(request.inputs[1]), (std::vector<uint8_t>{0, 255, 7}));
  EXPECT_FALSE(request.binary_outputs);
  const std::string head =
      R"({"parameters":{"binary_data_output":true},"outputs":[{"name":"o"},{"name":"p","parameters":{"binary_data":false}}],
     "inputs":[{"name":"x","shape":[2],"datatype":"FP32","parameters":{"binary_data_size":8}},
               {"name":"y","shape":[2],"datatype":"FP32","data":[1,2]},
               {"name":"z","shape":[3],"datatype":"UINT8","parameters":{"binary_data_size":3}}]})";
  const std::string own = std::to_string(head.size()), whole = head + Bytes({5, 6}) + "abc";
  ASSERT_TRUE(Read(whole, own, &request, &why)) << why;
  EXPECT_EQ(request.inputs[0].floats, (std::vector<float>{5, 6}));
  EXPECT_EQ(BytesOf(request.inputs[2]), (std::vector<uint8_t>{'a', 'b', 'c'}));
  EXPECT_TRUE(request.outputs[0].is_binary);
  EXPECT_FALSE(request.outputs[1].is_binary);
  EXPECT_FALSE(Read(head + Bytes({5, 6}) + "ab", std::to_string(head.size()), &request, &why));
  EXPECT_NE(why.find("ends within"), std::string::npos) << why;
  EXPECT_FALSE(Read(head + Bytes({5, 6}) + "abcd", std::to_string(head.size()), &request, &why));
  EXPECT_FALSE(Read(head, std::to_string(head.size() + 1), &request, &why));
  for (const std::string& length :
       {std::string("-1"), own + "x", " " + own, "+" + own, own + ".0"}) {
    EXPECT_FALSE(Read(whole, length, &request, &why)) << length;
  }
  ASSERT_TRUE(Read(
      R"({"parameters":{"sequence_id":3},"inputs":[{"name":"x","shape":[0],"datatype":"FP32","data":[]}]})",
      "", &request, &why));
  EXPECT_EQ(request.sequence, "3");
  EXPECT_FALSE(request.is_start);
}

// Many clients write null for what they do not set.
TEST(V2, NullIsAbsent) {
  V2Request request;
  std::string why;
  ASSERT_TRUE(Read(
      R"({"id":null,"parameters":{"sequence_id":null,"sequence_start":null,"binary_data_output":null},
          "outputs":[{"name":"o","parameters":null},{"name":"p","parameters":{"classification":0,"binary_data":null}}],
          "inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":[5],"parameters":{"binary_data_size":null}},
                    {"name":"y","shape":[1],"datatype":"FP32","data":[6],"parameters":null}]})",
      "", &request, &why))
      << why;
  EXPECT_FALSE(request.has_id);
  EXPECT_EQ(request.sequence, "");
  EXPECT_EQ(request.inputs[1].floats, (std::vector<float>{6}));
  EXPECT_EQ(request.outputs.size(), 2u);
  ASSERT_TRUE(Read(R"({"parameters":null,"outputs":null,"inputs":[
      {"name":"x","shape":[0],"datatype":"FP32","data":[]}]})",
                   "", &request, &why))
      << why;
}

std::string InputTimes(size_t count, const std::string& more) {
  std::string inputs;
  for (size_t i = 0; i < count; ++i) {
    inputs +=
        std::string(i == 0 ? "" : ",") + R"({"name":"x","shape":[0],"datatype":"FP32","data":[]})";
  }
  return "{\"inputs\":[" + inputs + "]" + more + "}";
}

TEST(V2, ListsAndNamesOfSequencesAreLimited) {
  V2Request request;
  std::string why;
  EXPECT_TRUE(Read(InputTimes(kMostV2Tensors, ""), "", &request, &why)) << why;
  EXPECT_FALSE(Read(InputTimes(kMostV2Tensors + 1, ""), "", &request, &why));
  std::string outputs = "{\"name\":\"o\"}";
  for (size_t i = 1; i < kMostV2Tensors; ++i) outputs += ",{\"name\":\"o\"}";
  EXPECT_TRUE(Read(InputTimes(1, ",\"outputs\":[" + outputs + "]"), "", &request, &why)) << why;
  EXPECT_FALSE(
      Read(InputTimes(1, ",\"outputs\":[" + outputs + ",{\"name\":\"o\"}]"), "", &request, &why));
  const auto sequence = [](const std::string& id) {
    return InputTimes(1, ",\"parameters\":{\"sequence_id\":" + id + "}");
  };
  EXPECT_TRUE(Read(sequence("\"" + std::string(256, 'x') + "\""), "", &request, &why)) << why;
  EXPECT_FALSE(Read(sequence("\"" + std::string(257, 'x') + "\""), "", &request, &why));
  ASSERT_TRUE(Read(sequence("7"), "", &request, &why)) << why;
  const std::string number = request.sequence;
  ASSERT_TRUE(Read(sequence("\"7\""), "", &request, &why)) << why;
  EXPECT_NE(request.sequence, number);
  for (const char* none : {"0", "\"\""}) {
    ASSERT_TRUE(Read(sequence(none), "", &request, &why)) << why;
    EXPECT_EQ(request.sequence, "") << none;
  }
}

// All bytes are there: only the words about them are wrong.
TEST(V2, RefusesWrongWordsAboutBinaryTensors) {
  V2Request request;
  std::string why;
  const auto read = [&](const std::string& rest) {
    const std::string head = R"({"inputs":[{"name":"x","datatype":"FP32",)" + rest + "}]}";
    return Read(head + Bytes({5, 6}), std::to_string(head.size()), &request, &why);
  };
  EXPECT_TRUE(read(R"("shape":[2],"parameters":{"binary_data_size":8})")) << why;
  for (const char* rest :
       {R"("shape":[2],"parameters":{"binary_data_size":9})",
        R"("shape":[2],"parameters":{"binary_data_size":7})",
        R"("shape":[2],"parameters":{"binary_data_size":8.0})",
        R"("shape":[2],"parameters":{"binary_data_size":8},"data":[5,6])",
        R"("shape":[1],"parameters":{"binary_data_size":4})",
        R"("shape":[4611686018427387906],"parameters":{"binary_data_size":8})"}) {
    EXPECT_FALSE(read(rest)) << rest;
    EXPECT_NE(why, "") << rest;
  }
}

TEST(V2, RefusesWithTheReason) {
  V2Request request;
  std::string why;
  const auto input = [](const std::string& rest) {
    return "{\"inputs\":[{\"name\":\"x\"," + rest + "}]}";
  };
  const std::string shape = "\"shape\":[2],";
  for (const std::string& body :
       {std::string(),
        std::string("x"),
        std::string("[]"),
        std::string("{}"),
        std::string("{\"inputs\":[]}"),
        std::string("{\"inputs\":[1]}"),
        std::string("{\"id\":7,\"inputs\":[]}"),
        input("\"shape\":[2]"),
        input(shape + "\"datatype\":\"INT64\",\"data\":[1,2]"),
        input(shape + "\"datatype\":\"FP32\""),
        input(shape + "\"datatype\":\"FP32\",\"data\":[1]"),
        input(shape + "\"datatype\":\"FP32\",\"data\":[1,2,3]"),
        input(shape + "\"datatype\":\"FP32\",\"data\":[1,\"2\"]"),
        input(shape + "\"datatype\":\"FP32\",\"data\":[1,1e39]"),
        input(shape + "\"datatype\":\"UINT8\",\"data\":[1,256]"),
        input(shape + "\"datatype\":\"UINT8\",\"data\":[1,0.5]"),
        input(shape +
              "\"datatype\":\"FP32\",\"data\":[1,2],\"parameters\":{\"binary_data_size\":8}"),
        input(shape + "\"datatype\":\"FP32\",\"parameters\":{\"binary_data_size\":7}"),
        input(shape + "\"datatype\":\"FP32\",\"parameters\":{\"binary_data_size\":9}"),
        input(shape + "\"datatype\":\"FP32\",\"parameters\":[]"),
        input("\"shape\":[-2],\"datatype\":\"FP32\",\"data\":[1,2]"),
        input("\"shape\":[4294967295,4294967295,4294967295],\"datatype\":\"FP32\",\"data\":[1]"),
        input("\"shape\":[4294967296,4294967296],\"datatype\":\"FP32\",\"data\":[]"),
        input("\"shape\":[2.5],\"datatype\":\"FP32\",\"data\":[1,2]"),
        input("\"shape\":[1,1,1,1,1,1,1,1,1],\"datatype\":\"FP32\",\"data\":[1]"),
        input("\"shape\":[1],\"datatype\":\"FP32\",\"data\":" + std::string(5000, '[') + "1" +
              std::string(5000, ']')),
        std::string(100000, '['),
        std::string("{\"parameters\":{\"binary_data_output\":1},\"inputs\":[{}]}")}) {
    EXPECT_FALSE(Read(body, "", &request, &why)) << body.substr(0, 200);
    EXPECT_NE(why, "") << body.substr(0, 200);
  }
}

TEST(V2, NumbersComeBackAsTheyAre) {
  const std::vector<float> values = {0.1f, -0.0f, 1e-45f, 3.4028235e38f, 16777216, 1.0f / 3};
  std::string text;
  AddNumbers(values, &text);
  V2Request request;
  std::string why;
  ASSERT_TRUE(Read(
      "{\"inputs\":[{\"name\":\"x\",\"shape\":[6],\"datatype\":\"FP32\",\"data\":" + text + "}]}",
      "", &request, &why))
      << why << text;
  EXPECT_EQ(
      std::memcmp(request.inputs[0].floats.data(), values.data(), sizeof(float) * values.size()), 0)
      << text;
  std::string none;
  AddNumbers({std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()},
             &none);
  EXPECT_EQ(none, "[null,null]");
}

}  // namespace
}  // namespace octet::port::serve
