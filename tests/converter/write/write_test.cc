// The writer: its blob is valid, its bytes never change unseen, files appear whole or not at all.
#include "converter/write/write.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstring>

#include <filesystem>
#include <fstream>

#include "converter/support/error.h"
#include "octet/octet.h"
#include "runtime/core/isa.h"
#include "runtime/format/sha256.h"
#include "tests/support/facts.h"
#include "tests/support/session.h"

namespace octet::write {
namespace {

namespace fs = std::filesystem;

// x [1,2,2,2] times a matrix of 2 by 3, plus 1; every number written out here.
std::vector<uint8_t> TinyBlob(std::vector<std::string> labels = {},
                              std::vector<float> offsets = {}) {
  Plan plan;
  lower::Program& program = plan.program;
  program.tensors.resize(2);
  program.tensors[0].name = "x";
  program.tensors[0].scale = 0.5f;
  program.tensors[1].name = "y";
  for (lower::Tensor& tensor : program.tensors) {
    tensor.dims[1] = tensor.dims[2] = 2;
  }
  program.tensors[0].dims[3] = 2;
  program.tensors[1].dims[3] = 3;
  lower::Layer layer;
  layer.name = "conv";
  layer.op = blob::Op::kConv;
  layer.inputs = {0};
  layer.output = 1;
  layer.macs = 24;
  layer.weights.resize(64);
  const int8_t matrix[3][2] = {{1, 2}, {3, 4}, {-5, 6}};
  blob::ChannelBlockS8 block{};
  for (size_t o = 0; o < 16; ++o) block.shift[o] = 1;
  for (size_t o = 0; o < 3; ++o) {
    for (size_t k = 0; k < 2; ++k) layer.weights[o * 4 + k] = static_cast<uint8_t>(matrix[o][k]);
    block.weight_sum[o] = matrix[o][0] + matrix[o][1];
    block.bias[o] = 4;
    block.multiplier[o] = 1 << 30;  // 0.25
  }
  layer.channels = lower::ToBytes(std::vector<blob::ChannelBlockS8>{block});
  blob::ConvParams params{};
  params.kernel_h = params.kernel_w = params.stride_h = params.stride_w = 1;
  params.dilation_h = params.dilation_w = 1;
  params.groups = 1;
  params.clamp_lo = -128;
  params.clamp_hi = 127;
  layer.Set(params);
  program.layers.push_back(layer);
  program.inputs.push_back({0, {0, 2, 1, 4}});
  lower::OutputPart part;
  part.tensor = 1;
  part.offsets = std::move(offsets);
  const uint32_t strides[4] = {12, 6, 3, 1};
  std::copy(std::begin(strides), std::end(strides), part.strides);
  program.outputs = {{part}};
  plan.memory = plan::PlanMemory(program);
  ModelInfo info;
  info.name = "tiny";
  info.inputs = {{"x", {1, 2, 2, 2}, false}};
  info.outputs = {{"y", {1, 2, 2, 3}, false}};
  info.labels = std::move(labels);
  return WriteBlob(info, {plan});
}

std::string Hash(const std::vector<uint8_t>& bytes) {
  uint8_t digest[32];
  Sha256Of(bytes.data(), bytes.size(), Sha256BlocksPortable, digest);
  std::string text;
  for (uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

TEST(WriteBlob, TinyProgramRuns) {
  const std::vector<uint8_t> bytes = TinyBlob();
  const test::Blob blob(bytes.begin(), bytes.end());
  const octet_status status = octet_validate(blob.data(), blob.size(), 1);
  ASSERT_EQ(status.code, OCTET_OK) << octet_code_name(status.code) << " at byte " << status.offset;
  test::TestSession session(blob, {});
  ASSERT_EQ(session.status().code, OCTET_OK);
  session.SetInput(0, {1, 2, 3, 4, 5, 6, 7, 8});  // [1,2,2,2], channels first
  ASSERT_EQ(octet_run(session.get()).code, OCTET_OK);
  // Pixel p holds (1 + p, 5 + p), quantized to twice that: q = (2 * (w . x) + 4) / 4, halves up.
  std::vector<float> expected;
  for (int p = 0; p < 4; ++p) {
    const int a = 2 * (1 + p), b = 2 * (5 + p);
    for (int sum : {a + 2 * b, 3 * a + 4 * b, -5 * a + 6 * b}) {
      expected.push_back(static_cast<float>((sum + 4 + 2) >> 2));
    }
  }
  EXPECT_EQ(session.Output(0), expected);
}

// A change here is a change of the format or of its writer: on purpose, with FORMAT.md, or not at
// all.
TEST(WriteBlob, GoldenHash) {
  EXPECT_EQ(Hash(TinyBlob()), "7c4d0414977134bc1016e784eeb3452f781074e740c545e2e978164b2fbb398e");
  EXPECT_EQ(Hash(TinyBlob({"cat", "dog"})),
            "7dc42289af20815ff8ffd2bd046429de5fa42ecbf201f31a1969f8cd2948df32");
}

TEST(WriteBlob, LabelsAreRead) {
  const std::vector<uint8_t> bytes = TinyBlob({"cat", "dog"});
  const test::Blob blob(bytes.begin(), bytes.end());
  ASSERT_EQ(octet_validate(blob.data(), blob.size(), 1).code, OCTET_OK);
  const std::string text(bytes.begin(), bytes.end());
  EXPECT_NE(text.find(std::string("cat\0dog\0", 8)), std::string::npos);
}

// Offsets lie behind all else in the model section, and the blob says that it has them.
TEST(WriteBlob, OffsetsOfAnOutput) {
  const std::vector<uint8_t> plain = TinyBlob();
  const std::vector<uint8_t> bytes = TinyBlob({}, {10, 2000, -0.5f});
  EXPECT_EQ(plain[32], 0);
  EXPECT_EQ(bytes[32], 32);
  const test::Blob blob(bytes.begin(), bytes.end());
  ASSERT_EQ(octet_validate(blob.data(), blob.size(), 1).code, OCTET_OK);
  const test::Blob plain_blob(plain.begin(), plain.end());
  test::TestSession without(plain_blob, {}), with(blob, {});
  for (test::TestSession* session : {&without, &with}) {
    session->SetInput(0, {1, 2, 3, 4, 5, 6, 7, 8});
    ASSERT_EQ(octet_run(session->get()).code, OCTET_OK);
  }
  std::vector<float> expected = without.Output(0);
  const float numbers[] = {10, 2000, -0.5f};
  for (size_t i = 0; i < expected.size(); ++i) expected[i] += numbers[i % 3];
  EXPECT_EQ(with.Output(0), expected);
}

std::string Refusal(const ModelInfo& info, const Plan& plan) {
  try {
    WriteBlob(info, {plan});
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(WriteBlob, SaysWhatABlobCannotHold) {
  Plan layers;
  layers.program.layers.resize(8193);
  octet::test::ExpectFacts(Refusal({}, layers), {"8193 layers", "8192"});
  Plan tensors;
  tensors.program.tensors.resize(8193);
  EXPECT_EQ(Refusal({}, tensors).find("the model has 8193 tensors"), 0u);
  Plan parts;
  parts.program.outputs.resize(2, std::vector<lower::OutputPart>(513));
  EXPECT_EQ(Refusal({}, parts).find("the model has 1026 parts"), 0u);
  Plan concat;
  concat.program.layers.resize(1);
  concat.program.layers[0].name = "c";
  concat.program.layers[0].inputs.resize(1025);
  octet::test::ExpectFacts(Refusal({}, concat), {"node 'c'", "1025 inputs", "1024"});
  ModelInfo info;
  info.inputs.resize(65);
  EXPECT_EQ(Refusal(info, {}).find("the model has 65 inputs"), 0u);
  info.inputs.clear();
  info.outputs.resize(65);
  EXPECT_EQ(Refusal(info, {}).find("the model has 65 outputs"), 0u);
}

TEST(SaveFile, WholeOrNotAtAll) {
  const fs::path folder = fs::temp_directory_path() / ("octet-write-" + std::to_string(getpid()));
  fs::create_directory(folder);
  SaveFile(folder / "a", {1, 2, 3});
  SaveFile(folder / "a", {4, 5});
  std::ifstream file(folder / "a", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "\x04\x05");
  EXPECT_THROW(SaveFile(folder / "absent" / "a", {1}), UserError);
  fs::create_directory(folder / "b");
  EXPECT_THROW(SaveFile(folder / "b", {1}), UserError);  // a folder bears the name
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) files += entry.exists();
  EXPECT_EQ(files, 2u) << "something was left behind";
  fs::remove_all(folder);
}

// A link stays one, and what is no regular file is written to.
TEST(SaveFile, ThroughLinksAndPipes) {
  const fs::path folder = fs::temp_directory_path() / ("octet-links-" + std::to_string(getpid()));
  fs::create_directory(folder);
  SaveFile(folder / "a", {1, 2, 3});
  fs::create_symlink(folder / "a", folder / "link");
  SaveFile(folder / "link", {4, 5});
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(fs::file_size(folder / "a"), 2u);
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const int reader = open((folder / "pipe").c_str(), O_RDWR | O_CLOEXEC);  // so that none waits
  CheckWritable(folder / "pipe", {});
  SaveFile(folder / "pipe", {6, 7});
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
  uint8_t bytes[2];
  EXPECT_EQ(read(reader, bytes, sizeof(bytes)), 2);
  EXPECT_EQ(bytes[1], 7);
  close(reader);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace octet::write
