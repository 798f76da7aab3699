// A program that links the operators of one model: small, runs that model, refuses others.
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>

#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What a program without symbols and debug information takes of a file: the end of its last loaded
// segment.
size_t LoadedBytes(const std::string& name) {
  using Header = std::conditional_t<sizeof(void*) == 8, Elf64_Ehdr, Elf32_Ehdr>;
  using Segment = std::conditional_t<sizeof(void*) == 8, Elf64_Phdr, Elf32_Phdr>;
  const std::string file = ReadAll(fs::path(OCTET_BIN_DIR) / name);
  Header header;
  if (file.size() < sizeof(header)) return 0;
  std::memcpy(&header, file.data(), sizeof(header));
  size_t end = 0;
  for (int i = 0; i < header.e_phnum; ++i) {
    Segment segment;
    std::memcpy(&segment, file.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (segment.p_type == PT_LOAD) end = std::max<size_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

class Minimal : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  struct Result {
    int status;
    std::string out;
  };
  Result Run(const std::string& command, const std::string& arguments) const {
    const std::string line = command + " " + arguments + " > " + (folder_ / "out").string();
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadAll(folder_ / "out")};
  }
  Result RunMinimal(const Blob& blob, const std::string& program = "octet-minimal") const {
    std::ofstream(folder_ / "m.octet", std::ios::binary)
        .write(reinterpret_cast<const char*>(blob.data()),
               static_cast<std::streamsize>(blob.size()));
    return Run(OCTET_EMULATOR " " OCTET_BIN_DIR "/" + program,
               "< " + (folder_ / "m.octet").string());
  }
  // The first output of zeros, from the library with everything in it.
  static std::string Expected(const Blob& blob) {
    TestSession session(blob, {.isa = OCTET_MINIMAL_ISA});
    octet_tensor_info info;
    octet_input_info(session.get(), 0, &info);
    session.SetInput(0, std::vector<float>(info.element_count));
    octet_run(session.get());
    const std::vector<float> values = session.Output(0);
    return {reinterpret_cast<const char*>(values.data()), 4 * values.size()};
  }

  fs::path folder_;
};

TEST_F(Minimal, IsSmall) {
  const size_t all = LoadedBytes("octet-freestanding"), minimal = LoadedBytes("octet-minimal");
  RecordProperty("all_bytes", std::to_string(all));
  RecordProperty("minimal_bytes", std::to_string(minimal));
  EXPECT_GT(minimal, 10000u);
  EXPECT_LT(minimal, all);
#if defined(__aarch64__) && defined(NDEBUG)
  // Every operator of every family, which no board has; what one model needs is the other.
  EXPECT_LT(all, 512u * 1000);
  EXPECT_LT(minimal, 100u * 1000);
#endif
}

TEST_F(Minimal, RunsWhatItHas) {
  const Blob blob = MakeConvBlob({});
  const Result result = RunMinimal(blob);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, Expected(blob));
}

// Its int8 plan has a table, a maximum pool and a softmax.
TEST_F(Minimal, RefusesWhatItHasNot) {
  const Result result = RunMinimal(MakeMixedBlob());
  EXPECT_EQ(result.status, OCTET_OPERATOR_UNAVAILABLE);
  EXPECT_EQ(result.out, "");
}

#ifdef OCTET_HAS_CONVERTER
TEST_F(Minimal, RunsTheDemo) {
  const std::string octet = OCTET_BIN_DIR "/octet", blob_path = (folder_ / "demo.octet").string();
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,28,28,1), }";
  header.resize(117, ' ');
  std::string pictures("\x93NUMPY\x01\x00\x76\x00", 10);
  pictures += header + '\n';
  for (int i = 0; i < 2 * 28 * 28; ++i) pictures += static_cast<char>(i * 31 % 251);
  std::ofstream(folder_ / "c.npy", std::ios::binary) << pictures;
  const Result convert = Run(octet, "convert " OCTET_SOURCE_DIR "/demo/fashion_mnist.onnx -o " +
                                        blob_path + " --calibrate " + (folder_ / "c.npy").string());
  ASSERT_EQ(convert.status, 0);
  EXPECT_EQ(Run(octet, "inspect --operators " + blob_path).out, OCTET_MINIMAL_OPERATORS "\n");
  const std::string bytes = ReadAll(blob_path);
  const Blob blob(bytes.begin(), bytes.end());
  const Result result = RunMinimal(blob);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, Expected(blob));
  // A blob of two plans in a program that has the kernels of one.
  ASSERT_EQ(Run(octet, "inspect --operators --plan int8 " + blob_path).out,
            OCTET_MINIMAL_INT8_OPERATORS "\n");
  const Result int8 = RunMinimal(blob, "octet-minimal-int8");
  EXPECT_EQ(int8.status, 0);
  EXPECT_EQ(int8.out, Expected(blob));
  EXPECT_LT(LoadedBytes("octet-minimal-int8"), LoadedBytes("octet-minimal"));
}
#endif

}  // namespace
}  // namespace octet::test
