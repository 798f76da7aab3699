// Calibration data that cannot be right.
#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"
#include "tests/support/onnx_builder.h"

namespace octet::test {
namespace {

class CalibrationChecks : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    WriteGoodModel();
  }
  // 32 pictures of 8 x 8 in p.npy, byte i of picture k being pixel(k, i).
  template <typename Pixel>
  void WritePictures(const Pixel& pixel) const {
    WriteNpy("p.npy", "|u1", {32, 8, 8, 3});
    std::string bytes = ReadText("p.npy");
    const size_t head = bytes.size() - size_t{32} * 192;
    for (size_t k = 0; k < 32; ++k) {
      for (size_t i = 0; i < 192; ++i) {
        bytes[head + k * 192 + i] = static_cast<char>(pixel(k, i));
      }
    }
    WriteText("p.npy", bytes);
  }
  Result ConvertPictures(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--calibrate", Path("p.npy")});
    return Convert("m.onnx", more);
  }
};

TEST_F(CalibrationChecks, BlackPicturesAreRefused) {
  WritePictures([](size_t, size_t) { return 0; });
  ExpectRefused(ConvertPictures(), "every sample is one constant");
  // Each another grey: no better.
  WritePictures([](size_t k, size_t) { return 7 * k; });
  ExpectRefused(ConvertPictures(), "every sample is one constant");
  // One picture among them is enough to look at.
  WritePictures([](size_t k, size_t i) { return k == 17 ? i : 0; });
  EXPECT_EQ(ConvertPictures().status, 0);
}

TEST_F(CalibrationChecks, AScaleOfZeroIsRefused) {
  WritePictures([](size_t k, size_t i) { return k + i; });
  ExpectRefused(ConvertPictures({"--scale", "0"}), "--scale 0: all pixels become the same");
}

TEST_F(CalibrationChecks, PicturesThatAreAllTheSame) {
  WritePictures([](size_t, size_t i) { return i; });
  const Result same = ConvertPictures();
  EXPECT_NE(same.err.find("all 32 samples are equal"), std::string::npos) << same.err;
  ExpectFacts(same.out, {"verdict: check", "all samples are equal", "--calibrate"});
  WritePictures([](size_t k, size_t i) { return k == 31 ? 2 * (i % 100) : i; });
  const Result others = ConvertPictures();
  EXPECT_EQ(others.err.find("are equal"), std::string::npos) << others.err;
  EXPECT_EQ(others.out.find("are equal"), std::string::npos) << others.out;
}

TEST_F(CalibrationChecks, DarkPictures) {
  WritePictures([](size_t k, size_t i) { return (k + i) % 9; });
  EXPECT_NE(ConvertPictures().err.find("no pixel is above 8 of 255"), std::string::npos);
  WritePictures([](size_t k, size_t i) { return (k + i) % (k == 5 ? 200 : 9); });
  EXPECT_EQ(ConvertPictures().err.find("no pixel"), std::string::npos);
}

// A camera helps where the model takes pictures.
TEST_F(CalibrationChecks, FewSamplesInTheWordsOfTheInput) {
  WriteNpy("c.npy", "|u1", {8, 8, 8, 3});
  ExpectFacts(Convert("m.onnx").err, {"calibrated with only 8 samples", "camera"});
  OnnxBuilder model;
  model.Input("x", {1, 8}).WithChannels(8).Gemm(4).Output("y");
  model.Save(Path("numbers.onnx"));
  WriteNpy("c.npy", "<f4", {8, 8});
  const Result numbers = Convert("numbers.onnx");
  ExpectFacts(numbers.err, {"calibrated with only 8 samples", "--calibrate", "samples"});
  EXPECT_EQ(numbers.err.find("camera"), std::string::npos) << numbers.err;
}

TEST_F(CalibrationChecks, AMeanOfBytesWithoutScaleOne) {
  WritePictures([](size_t k, size_t i) { return (3 * k + i) % 251; });
  const std::vector<std::string> mean = {"--mean", "123.675,116.28,103.53"};
  EXPECT_NE(ConvertPictures(mean).err.find("give --scale 1"), std::string::npos);
  EXPECT_EQ(ConvertPictures({"--mean", "123.675,116.28,103.53", "--scale", "1"}).err.find("--mean"),
            std::string::npos);
  EXPECT_EQ(ConvertPictures({"--mean", "0.485,0.456,0.406"}).err.find("--mean"), std::string::npos);
}

}  // namespace
}  // namespace octet::test
