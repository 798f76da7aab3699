// octet-run, octet-freestanding and the C example as programs.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ports/linux/capture/npy.h"
#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

// Set where programs of this build need one.
#ifndef OCTET_EMULATOR
#define OCTET_EMULATOR
#endif

namespace octet::test {
namespace {

namespace fs = std::filesystem;

// Of another architecture.
#if defined(__x86_64__)
const std::string kForeignIsa = "neon";
#else
const std::string kForeignIsa = "avx2";
#endif

struct Result {
  int status = -1;
  std::string out, err;
};

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Programs : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    blob_ = MakeMixedBlob();
    WriteFile("m.octet", blob_.data(), blob_.size());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void WriteFile(const std::string& name, const void* data, size_t bytes) const {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  }
  // uint8 pictures or float32 samples.
  template <typename T>
  void WriteNpy(const std::string& name, const std::vector<uint64_t>& shape,
                const std::vector<T>& values) const {
    std::string bytes = port::NpyHeader(shape);
    if (sizeof(T) == 1) bytes.replace(bytes.find("<f4"), 3, "|u1");
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    WriteFile(name, bytes.data(), bytes.size());
  }
  Result Run(const std::string& program, const std::string& arguments) const {
    const std::string command = OCTET_EMULATOR " " OCTET_BIN_DIR "/" + program + " " + arguments +
                                " > " + Path("out") + " 2> " + Path("err");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadAll(Path("out")),
            ReadAll(Path("err"))};
  }
  static bool IsOneLine(const std::string& text) {
    return !text.empty() && text.find('\n') == text.size() - 1;
  }

  fs::path folder_;
  Blob blob_;
};

std::vector<uint8_t> Pictures(size_t count) {
  std::vector<uint8_t> pixels(count * 6 * 5 * 3);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * 29);
  return pixels;
}

TEST_F(Programs, RunWritesWhatASessionComputes) {
  const std::vector<uint8_t> pixels = Pictures(3);
  WriteNpy("x.npy", {3, 6, 5, 3}, pixels);
  for (const uint32_t plan : {0u, 1u}) {
    const Result result =
        Run("octet-run", Path("m.octet") + " --input " + Path("x.npy") + " --output " +
                             Path("y.npy") + " --plan " + (plan == 0 ? "int8" : "fp16") +
                             " --isa reference --json --repeat 2 --warmup 1");
    ASSERT_EQ(result.status, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    for (const char* key : {"plan", "isa", "threads", "samples", "median_ms", "min_ms", "first_ms",
                            "load_ms", "arena_bytes", "blob_bytes", "rss_bytes", "macs"}) {
      EXPECT_TRUE(json.contains(key)) << key;
    }
    EXPECT_EQ(json["samples"], 3);
    EXPECT_EQ(json["blob_bytes"], blob_.size());
    const port::NpyArray scores(Path("y.0.npy")), joined(Path("y.1.npy"));
    EXPECT_EQ(scores.shape(), (std::vector<uint64_t>{3, 1, 1, 32}));
    EXPECT_EQ(joined.shape(), (std::vector<uint64_t>{3, 16, 2}));
    TestSession session(blob_, {});
    ASSERT_EQ(octet_set_plan(session.get(), plan).code, OCTET_OK);
    for (size_t sample = 0; sample < 3; ++sample) {
      octet_set_input_image(session.get(), 0, pixels.data() + sample * 90, 6, 5, 3, 15);
      octet_run(session.get());
      EXPECT_EQ(std::memcmp(session.Output(0).data(), scores.floats() + sample * 32, 128), 0);
      EXPECT_EQ(std::memcmp(session.Output(1).data(), joined.floats() + sample * 32, 128), 0);
    }
  }
}

// Numbers instead of pictures: each sample its own.
TEST_F(Programs, SamplesOfNumbersFollowEachOther) {
  constexpr size_t kValues = 3 * 4 * 4, kSamples = 3;
  std::vector<float> values(kSamples * kValues);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 29 % 256) / 64;
  WriteNpy("x.npy", {kSamples, 3, 4, 4}, values);
  const Result result =
      Run("octet-run", Path("m.octet") + " --input " + Path("x.npy") + " --output " +
                           Path("y.npy") + " --plan int8 --isa reference --repeat 1");
  ASSERT_EQ(result.status, 0) << result.err;
  const port::NpyArray scores(Path("y.0.npy"));
  TestSession session(blob_, {});
  for (size_t sample = 0; sample < kSamples; ++sample) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(sample * kValues);
    session.SetInput(0, {from, from + kValues});
    octet_run(session.get());
    const std::vector<float> expected = session.Output(0);
    EXPECT_TRUE(
        std::equal(expected.begin(), expected.end(), scores.floats() + sample * expected.size()))
        << sample;
    if (sample > 0) {
      EXPECT_FALSE(std::equal(expected.begin(), expected.end(), scores.floats())) << sample;
    }
  }
}

// A folder, its pictures one by one and the same pixels as an array give the same numbers; what
// they mean is printed for pictures.
TEST_F(Programs, PicturesAndFolders) {
  const std::vector<uint8_t> pixels = Pictures(2);
  WriteNpy("x.npy", {2, 6, 5, 3}, pixels);
  fs::create_directory(folder_ / "p");
  for (size_t i = 0; i < 2; ++i) {
    const std::string ppm =
        "P6\n5 6\n255\n" + std::string(pixels.begin() + 90 * i, pixels.begin() + 90 * (i + 1));
    WriteFile(i == 0 ? "p/a.ppm" : "p/b.ppm", ppm.data(), ppm.size());
  }
  const auto run = [this](const std::string& input, const std::string& more) {
    return Run("octet-run", Path("m.octet") + " --input " + input + " --output " + Path("y.npy") +
                                " --repeat 2 --warmup 1 " + more);
  };
  ASSERT_EQ(run(Path("x.npy"), "--json").status, 0);
  const std::string wanted = ReadAll(Path("y.1.npy"));
  for (const std::string& input : {Path("p"), Path("p/a.ppm") + "," + Path("p/b.ppm"),
                                   Path("p/a.ppm") + " " + Path("p/b.ppm")}) {
    const Result result = run(input, "--json");
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(ReadAll(Path("y.1.npy")), wanted);
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json["samples"], 2);
    ASSERT_EQ(json["results"].size(), 2u);
    EXPECT_EQ(json["results"][1]["picture"], Path("p/b.ppm"));
    const auto& box = json["results"][1]["detections"][0]["box"];
    EXPECT_LE(box[2], 5);
    EXPECT_LE(box[3], 6);
  }
  const Result text = run(Path("p"), "");
  EXPECT_EQ(text.out.rfind(Path("p/a.ppm") + "  ", 0), 0u) << text.out;
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 3) << text.out;

  WriteFile("p/c.jpg", "none", 4);
  for (const auto& [input, cause] : std::vector<std::pair<std::string, std::string>>{
           {Path("p"), "c.jpg"},
           {Path("p/a.ppm") + "," + Path("x.npy"), "only pictures and folders"},
           {Path("absent.jpg"), "no such file"}}) {
    const Result refused = Run("octet-run", Path("m.octet") + " --input " + input);
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find(cause), std::string::npos) << refused.err;
    EXPECT_TRUE(IsOneLine(refused.err)) << refused.err;
  }
}

TEST_F(Programs, ListAndProfile) {
  const Result list = Run("octet-run", "--isa list");
  EXPECT_EQ(list.status, 0);
  EXPECT_EQ(list.out.rfind("reference\n", 0), 0u) << list.out;
  EXPECT_EQ(Run("octet-run", "--version").out, "octet-run " OCTET_VERSION_TEXT "\n");
  EXPECT_NE(Run("octet-run", "--help").out.find("avx512vnni"), std::string::npos);
  WriteNpy("x.npy", {2, 3, 4, 4}, std::vector<float>(96, 0.25f));
  const Result profile =
      Run("octet-run", Path("m.octet") + " --input " + Path("x.npy") + " --profile --threads 2");
  EXPECT_EQ(profile.status, 0) << profile.err;
  for (const char* word : {"conv", "max_pool", "softmax", "GMAC/s", "% peak", "operators"}) {
    EXPECT_NE(profile.out.find(word), std::string::npos) << word;
  }
}

TEST_F(Programs, ProfileAsJson) {
  WriteNpy("x.npy", {1, 3, 4, 4}, std::vector<float>(48, 0.25f));
  // More runs than the profile keeps.
  const std::string arguments =
      Path("m.octet") + " --input " + Path("x.npy") + " --profile --json --repeat 300";
  for (const std::string plan : {"int8", "fp16"}) {
    const Result result = Run("octet-run", arguments + " --plan " + plan);
    ASSERT_EQ(result.status, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    const double peak = json["core_peak_gmacs_per_s"][plan];
    EXPECT_EQ(peak > 0, json["isa"] != "reference");
    TestSession session(blob_, {});
    octet_set_plan(session.get(), plan == "int8" ? 0 : 1);
    ASSERT_EQ(json["layers"].size(), octet_layer_count(session.get()));
    uint64_t macs = 0, ns = 0;
    for (uint32_t k = 0; k < json["layers"].size(); ++k) {
      const auto& layer = json["layers"][k];
      octet_layer_info info;
      octet_layer(session.get(), k, &info);
      EXPECT_EQ(layer["name"], info.name);
      EXPECT_EQ(layer["op"], info.op);
      EXPECT_EQ(layer["plan"], plan);
      EXPECT_EQ(layer["precision"], info.precision == 0 ? "int8" : "fp16");
      EXPECT_EQ(layer["weight_bytes"], info.weight_bytes);
      EXPECT_LE(layer["min_ns"], layer["ns"]);
      EXPECT_GT(layer["output_bytes"], 0);
      EXPECT_EQ(layer["input_bytes"] > 0, layer["op"] != "constant");
      EXPECT_GE(layer["share_of_peak"], 0);
      EXPECT_LT(layer["share_of_peak"], 1.5);  // clocks and machines shared with others waver
      octet_isa isa;
      EXPECT_EQ(octet_isa_from_name(layer["kernel"].get<std::string>().c_str(), &isa).code,
                OCTET_OK);
      macs += layer["macs"].get<uint64_t>();
      ns += layer["ns"].get<uint64_t>();
    }
    EXPECT_EQ(macs, json["macs"]);
    EXPECT_GT(ns, 0u);
  }
}

TEST_F(Programs, BadUseIsOneLineAndStatus2) {
  WriteNpy("x.npy", {1, 6, 5, 3}, Pictures(1));
  WriteNpy("bad.npy", {1, 3, 4, 5}, std::vector<float>(60));
  Blob corrupt = blob_;
  corrupt[corrupt.size() - 1] ^= 1;
  WriteFile("corrupt.octet", corrupt.data(), corrupt.size());
  WriteFile("cut.octet", blob_.data(), blob_.size() / 2);
  const std::string out = " --output " + Path("y.npy"), input = " --input " + Path("x.npy") + out;
  for (const std::string& arguments :
       {std::string(""), Path("none.octet") + input, Path("x.npy") + input,
        Path("corrupt.octet") + input, Path("cut.octet") + input, Path("m.octet") + out,
        Path("m.octet") + " --input " + Path("bad.npy") + out,
        Path("m.octet") + " --input " + Path("m.octet") + out,
        Path("m.octet") + input + " --plan int4", Path("m.octet") + input + " --isa mmx",
        Path("m.octet") + input + " --isa " + kForeignIsa, Path("m.octet") + input + " --threads 0",
        Path("m.octet") + input + " --bogus",
        Path("m.octet") + " --input " + Path("x.npy") + " --output " + Path("no/y.npy")}) {
    const Result result = Run("octet-run", arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_TRUE(IsOneLine(result.err)) << arguments << ": " << result.err;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      EXPECT_EQ(entry.path().filename().string().rfind("y.", 0), std::string::npos)
          << arguments << " left " << entry.path();
    }
  }
  EXPECT_EQ(Run("octet-run", Path("corrupt.octet") + input + " --no-verify").status, 0);
}

TEST_F(Programs, RunKeepsToWhatTheBoardAllows) {
  WriteNpy("x.npy", {1, 6, 5, 3}, Pictures(1));
  const std::string run =
      Path("m.octet") + " --input " + Path("x.npy") + " --output " + Path("y.npy") + " --board ";
  const std::string any = "me\nactivation_schemes symmetric asymmetric\n",
                    symmetric = "me\nactivation_schemes symmetric\n";
  WriteFile("any", any.data(), any.size());
  WriteFile("symmetric", symmetric.data(), symmetric.size());
  EXPECT_EQ(Run("octet-run", run + Path("any")).status, 0);
  EXPECT_EQ(Run("octet-run", run + "me").status, 0) << "a name alone";
  const Result refused = Run("octet-run", run + Path("symmetric"));
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "octet-run: " + Path("m.octet") +
                             ": plan int8: tensor 'image' is asymmetric (zero point -128), and me "
                             "allows activation_schemes symmetric; convert the model with --board "
                             "me\n");
  EXPECT_EQ(Run("octet-run", run + Path("symmetric") + " --plan fp16").status, 0);
  EXPECT_TRUE(IsOneLine(Run("octet-run", run + Path("none")).err));
}

#ifdef OCTET_HAS_FREESTANDING
TEST_F(Programs, FreestandingAndExampleAgreeWithASession) {
  TestSession session(blob_, {});
  session.SetInput(0, std::vector<float>(48));
  octet_run(session.get());
  const std::vector<float> wanted = session.Output(0);
  const Result bare = Run("octet-freestanding", "< " + Path("m.octet"));
  EXPECT_EQ(bare.status, 0);
  EXPECT_EQ(bare.out, std::string(reinterpret_cast<const char*>(wanted.data()), 128));
  const Result example = Run("example-minimal", Path("m.octet"));
  EXPECT_EQ(example.status, 0);
  std::string text;
  for (const float value : wanted) {
    char line[32];
    std::snprintf(line, sizeof(line), "%g\n", static_cast<double>(value));
    text += line;
  }
  EXPECT_EQ(example.out, text);
}
#endif

}  // namespace
}  // namespace octet::test
