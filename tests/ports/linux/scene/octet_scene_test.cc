// octet-scene as a program.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ports/linux/capture/npy.h"
#include "ports/linux/scene/scene.h"

// Set where programs of this build need one.
#ifndef OCTET_EMULATOR
#define OCTET_EMULATOR
#endif

namespace octet::port {
namespace {

namespace fs = std::filesystem;

class SceneProgram : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::vector<uint8_t> pictures(6 * 784);
    for (size_t i = 0; i < pictures.size(); ++i) pictures[i] = static_cast<uint8_t>(30 + i % 200);
    Write("pictures.npy", NpyHeader({6, 28, 28, 1}, "|u1"), pictures);
    Write("labels.npy", NpyHeader({6}, "|u1"), {0, 1, 2, 3, 4, 9});
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void Write(const char* name, const std::string& header, const std::vector<uint8_t>& data) const {
    std::ofstream file(folder_ / name, std::ios::binary);
    file << header;
    file.write(reinterpret_cast<const char*>(data.data()),
               static_cast<std::streamsize>(data.size()));
  }
  std::string ReadAll(const char* name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  int Run(const std::string& arguments) const {
    const std::string command = OCTET_EMULATOR " " OCTET_BIN_DIR "/octet-scene " + arguments +
                                " > " + Path("out") + " 2> " + Path("err");
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string Garments() const {
    return "--pictures " + Path("pictures.npy") + " --labels " + Path("labels.npy");
  }

  fs::path folder_;
};

TEST_F(SceneProgram, WritesWhatTheSceneRenders) {
  for (const bool video : {false, true}) {
    const std::string mode = video ? " --video" : "";
    ASSERT_EQ(
        Run(Garments() + " --frames 5 --size 96x72 --objects 3 --seed 40 --output " +
            Path("f.npy") + " --boxes " + Path("b.npy") + " --classes " + Path("c.npy") + mode),
        0)
        << ReadAll("err");
    const NpyArray frames(Path("f.npy")), boxes(Path("b.npy"));
    EXPECT_EQ(frames.shape(), (std::vector<uint64_t>{5, 72, 96, 3}));
    EXPECT_EQ(boxes.shape(), (std::vector<uint64_t>{5, 3, 4}));
    const std::string header = NpyHeader({5, 3}, "|i1");
    const std::string classes = ReadAll("c.npy");
    ASSERT_EQ(classes.size(), header.size() + 15);
    EXPECT_EQ(classes.substr(0, header.size()), header);

    const octet::port::Garments garments(Path("pictures.npy"), Path("labels.npy"));
    SceneConfig config;
    config.width = 96, config.height = 72, config.objects = 3;
    std::vector<uint8_t> rgb(96 * 72 * 3);
    for (uint64_t i = 0; i < 5; ++i) {
      config.seed = video ? 40 : 40 + i;
      Scene scene(config, garments);
      const auto found = scene.Render(video ? i : 1000, rgb.data());
      EXPECT_EQ(std::memcmp(rgb.data(), frames.bytes() + i * rgb.size(), rgb.size()), 0);
      for (size_t k = 0; k < 3; ++k) {
        const float* box = boxes.floats() + (i * 3 + k) * 4;
        const auto label = static_cast<int8_t>(classes[header.size() + i * 3 + k]);
        EXPECT_EQ(label, k < found.size() ? static_cast<int>(found[k].label) : -1);
        EXPECT_EQ(box[0], k < found.size() ? static_cast<float>(found[k].x0) : 0.0f);
        EXPECT_EQ(box[3], k < found.size() ? static_cast<float>(found[k].y1) : 0.0f);
      }
    }
  }
}

TEST_F(SceneProgram, Version) {
  EXPECT_EQ(Run("--version"), 0);
  EXPECT_EQ(ReadAll("out"), "octet-scene " OCTET_VERSION_TEXT "\n");
}

TEST_F(SceneProgram, BadUseIsOneLineAndStatus2) {
  const std::string output = " --output " + Path("f.npy");
  for (const std::string& arguments :
       {std::string(), Garments(), Garments() + " --size 96" + output,
        Garments() + " --size 96x72x" + output, Garments() + " --size 16x16" + output,
        Garments() + " --frames 0" + output,
        "--pictures " + Path("none.npy") + " --labels " + Path("labels.npy") + output,
        Garments() + " --boxes " + Path("labels.npy"),
        Garments() + " --output " + Path("nowhere/f.npy")}) {
    EXPECT_EQ(Run(arguments), 2) << arguments;
    const std::string error = ReadAll("err");
    EXPECT_TRUE(error.starts_with("octet-scene: ") && error.find('\n') == error.size() - 1)
        << arguments << "\n"
        << error;
    EXPECT_FALSE(fs::exists(Path("f.npy"))) << arguments;
  }
}

}  // namespace
}  // namespace octet::port
