#include <turbojpeg.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "runtime/core/half.h"
#include "tests/converter/images/images_support.h"

namespace octet::images {
namespace {

class DatasetTest : public ImagesTest {
 protected:
  // 2 x 2 RGB pixels 1..12.
  static std::string Pixels(int count, int first = 1) {
    std::string pixels;
    for (int i = 0; i < count; ++i) pixels += static_cast<char>(first + i);
    return pixels;
  }
  static std::string Ppm(int value) {
    return "P6\n2 2\n255\n" + std::string(12, static_cast<char>(value));
  }
  std::unique_ptr<Dataset> Open(const std::filesystem::path& path, const graph::Shape& shape,
                                bool channels_last = false) const {
    return OpenDataset(path, shape, preprocess_, channels_last);
  }
  Preprocess preprocess_{true, 1, {0, 0, 0}, {1, 1, 1}};
};

TEST_F(DatasetTest, ChannelsLastPicturesBecomePlanes) {
  const auto path = Write("a.npy", Npy(Header("|u1", "(2, 2, 2, 3)"), Pixels(24)));
  const auto dataset = Open(path, {1, 3, 2, 2});
  ASSERT_EQ(dataset->size(), 2);
  EXPECT_EQ(dataset->Load(0).floats, (std::vector<float>{1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12}));
  EXPECT_EQ(dataset->Load(1).floats[0], 13);
  EXPECT_EQ(dataset->Load(0).shape, (graph::Shape{1, 3, 2, 2}));
  EXPECT_EQ(Open(path, {1, 2, 2, 3}, true)->Load(0).floats,
            (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST_F(DatasetTest, ChannelsSecondWhereNothingElseFits) {
  const auto path = Write("a.npy", Npy(Header("|u1", "(1, 3, 2, 2)"), Pixels(12)));
  EXPECT_EQ(Open(path, {1, 3, 2, 2})->Load(0).floats,
            (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST_F(DatasetTest, OnePictureAndGreyPictures) {
  const auto one = Open(Write("a.npy", Npy(Header("|u1", "(2, 2, 3)"), Pixels(12))), {1, 3, 2, 2});
  EXPECT_EQ(one->size(), 1);
  const auto grey = Open(Write("b.npy", Npy(Header("|u1", "(3, 2, 2)"), Pixels(12))), {1, 1, 2, 2});
  EXPECT_EQ(grey->size(), 3);
  EXPECT_EQ(grey->Load(2).floats, (std::vector<float>{9, 10, 11, 12}));
}

TEST_F(DatasetTest, DoublesAndHalvesAreFloats) {
  std::string doubles, halves;
  for (const double x : {1.5, -2.0, 3.25, 4.0}) {
    doubles.append(reinterpret_cast<const char*>(&x), sizeof(x));
    const uint16_t half = FloatToHalf(static_cast<float>(x));
    halves.append(reinterpret_cast<const char*>(&half), sizeof(half));
  }
  preprocess_.is_image = false;
  for (const auto& [type, data] : {std::pair{"<f8", doubles}, std::pair{"<f2", halves}}) {
    const auto dataset = Open(Write("a.npy", Npy(Header(type, "(2, 2)"), data)), {1, 2});
    EXPECT_EQ(dataset->Load(0).floats, (std::vector<float>{1.5f, -2})) << type;
    EXPECT_EQ(dataset->Load(1).floats, (std::vector<float>{3.25f, 4})) << type;
  }
}

TEST_F(DatasetTest, NormalisesInTheModelsChannelOrder) {
  preprocess_ = {true, 0.5f, {1, 2, 3}, {2, 4, 8}, blob::ColourOrder::kBgr};
  const auto path = Write("a.npy", Npy(Header("|u1", "(1, 1, 1, 3)"), Pixels(3, 10)));
  // File: R 10, G 11, B 12; the model's first channel is blue.
  const float expected[] = {(12 * 0.5f - 1) / 2, (11 * 0.5f - 2) / 4, (10 * 0.5f - 3) / 8};
  const graph::Tensor tensor = Open(path, {1, 3, 1, 1})->Load(0);
  for (size_t c = 0; c < 3; ++c) EXPECT_EQ(tensor.floats[c], expected[c]);
}

TEST_F(DatasetTest, ColourBecomesLumaForOneChannel) {
  const auto path = Write("a.npy", Npy(Header("|u1", "(1, 1, 1, 3)"), "\x40\x60\x20"));
  const int luma = (77 * 0x40 + 150 * 0x60 + 29 * 0x20 + 128) >> 8;
  EXPECT_EQ(Open(path, {1, 1, 1, 1})->Load(0).floats, std::vector<float>{float(luma)});
}

TEST_F(DatasetTest, LetterboxBarsAreFilled) {
  preprocess_.resize = blob::ResizeMode::kLetterbox;
  preprocess_.letterbox_value = 114;
  const auto path = Write("a.npy", Npy(Header("|u1", "(1, 1, 4, 1)"), std::string(4, '\x09')));
  const graph::Tensor tensor = Open(path, {1, 1, 4, 4})->Load(0);
  EXPECT_EQ(tensor.floats[0], 114);
  EXPECT_EQ(tensor.floats[15], 114);
  int inside = 0;
  for (float v : tensor.floats) inside += v == 9;
  EXPECT_EQ(inside, 4);
}

TEST_F(DatasetTest, FloatsGoThroughAsTheyAre) {
  std::string data(24, '\0');
  const float values[6] = {1.5f, -2, 3, 4, 5, 1e-30f};
  std::memcpy(data.data(), values, sizeof values);
  const auto path = Write("a.npy", Npy(Header("<f4", "(2, 3)"), data));
  const auto dataset = Open(path, {1, 3});
  ASSERT_EQ(dataset->size(), 2);
  EXPECT_EQ(dataset->Load(1).floats, (std::vector<float>{4, 5, 1e-30f}));
  EXPECT_NE(Refusal([&] { Open(path, {1, 4}); }).find("does not fit"), std::string::npos);
}

TEST_F(DatasetTest, InputOfRankZeroTakesOneNumberASample) {
  std::string data(12, '\0');
  const float values[3] = {1.5f, -2, 3};
  std::memcpy(data.data(), values, sizeof values);
  for (const char* shape : {"(3,)", "(3, 1)"}) {
    const auto dataset = Open(Write("a.npy", Npy(Header("<f4", shape), data)), {});
    ASSERT_EQ(dataset->size(), 3);
    EXPECT_EQ(dataset->Load(2).floats, (std::vector<float>{3}));
    EXPECT_EQ(dataset->Load(2).shape, graph::Shape{});
  }
  const auto alone = Write("b.npy", Npy(Header("<f4", "()"), data.substr(0, 4)));
  EXPECT_EQ(Open(alone, {})->size(), 1);
  const auto rows = Write("c.npy", Npy(Header("<f4", "(1, 3)"), data));
  EXPECT_NE(Refusal([&] { Open(rows, {}); }).find("one number a sample"), std::string::npos);
}

TEST_F(DatasetTest, NamesTheSampleThatIsNoNumber) {
  for (const float bad : {std::nanf(""), INFINITY}) {
    std::string data(24, '\0');
    const float values[6] = {1, 2, 3, 4, bad, 6};
    std::memcpy(data.data(), values, sizeof values);
    const auto path = Write("a.npy", Npy(Header("<f4", "(2, 3)"), data));
    const auto dataset = Open(path, {1, 3});
    EXPECT_EQ(dataset->Load(0).floats[2], 3);
    const std::string line = Refusal([&] { dataset->Load(1); });
    EXPECT_NE(line.find("a.npy: sample 1 "), std::string::npos) << line;
  }
}

// The commands refuse it in inputs that are no masks.
TEST_F(DatasetTest, MasksMayHoldMinusInfinity) {
  std::string data(24, '\0');
  const float values[6] = {1, 2, 3, 4, -INFINITY, 6};
  std::memcpy(data.data(), values, sizeof values);
  const auto dataset = Open(Write("a.npy", Npy(Header("<f4", "(2, 3)"), data)), {1, 3});
  EXPECT_EQ(dataset->Load(1).floats, (std::vector<float>{4, -INFINITY, 6}));
}

TEST_F(DatasetTest, FoldersAreSortedAndKeepPicturesOnly) {
  Write("d/b.PPM", Ppm(20));
  Write("d/a.ppm", Ppm(10));
  Write("d/labels.txt", "x");
  Write("d/deeper/c.ppm", Ppm(30));
  const auto dataset = Open(folder_ / "d", {1, 3, 2, 2});
  ASSERT_EQ(dataset->size(), 2) << "a folder with pictures is not searched further";
  EXPECT_EQ(dataset->Load(0).floats[0], 10);
  EXPECT_EQ(dataset->Load(1).floats[0], 20);
}

TEST_F(DatasetTest, OneFolderAClass) {
  Write("d/dog/1.ppm", Ppm(2));
  Write("d/cat/1.ppm", Ppm(1));
  const auto dataset = Open(folder_ / "d", {1, 3, 2, 2});
  ASSERT_EQ(dataset->size(), 2);
  EXPECT_EQ(dataset->Load(0).floats[0], 1);
}

TEST_F(DatasetTest, JpegIsDecoded) {
  std::vector<unsigned char> pixels(16 * 16 * 3, 200);
  tjhandle handle = tjInitCompress();
  unsigned char* jpeg = nullptr;
  unsigned long size = 0;
  ASSERT_EQ(
      tjCompress2(handle, pixels.data(), 16, 0, 16, TJPF_RGB, &jpeg, &size, TJSAMP_444, 95, 0), 0);
  const std::string bytes(reinterpret_cast<char*>(jpeg), size);
  tjFree(jpeg);
  tjDestroy(handle);
  const Image image = DecodePicture(Write("a.jpg", bytes));
  EXPECT_EQ(image.height, 16);
  EXPECT_EQ(image.channels, 3);
  EXPECT_NEAR(image.pixels[0], 200, 2);
  const auto cut = Write("cut.jpg", bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(Refusal([&] { DecodePicture(cut); }).find("cut.jpg"), std::string::npos);
  // Its first bytes alone, without a size.
  const auto head = Write("head.jpg", bytes.substr(0, 100));
  EXPECT_NE(Refusal([&] { DecodePicture(head); }).find("truncated"), std::string::npos);
}

// Formats without compression, cut off: what is missing is no black, and not what memory holds.
TEST_F(DatasetTest, PicturesThatAreCutOff) {
  // 3 x 2 pixels of 24 bits: rows of 9 bytes, padded to 12, behind two headers.
  std::string bmp("BM\x4e\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\3\0\0\0\2\0\0\0\1\0\x18\0", 30);
  bmp.resize(54 + 24, '\0');
  const std::string whole[] = {
      "P6 2 1 255\n" + std::string(6, 'x'),
      "P5\n# by hand\n2 3\n# deep\n65535\n" + std::string(12, 'x'),
      bmp,
  };
  for (const std::string& bytes : whole) {
    EXPECT_NO_THROW(DecodePicture(Write("whole.ppm", bytes)));
    const auto cut = Write("cut.ppm", bytes.substr(0, bytes.size() - 1));
    EXPECT_EQ(Refusal([&] { DecodePicture(cut); }),
              fmt::format("{}: is truncated: {} bytes of {} are present; replace or remove it",
                          cut.string(), bytes.size() - 1, bytes.size()));
    EXPECT_NO_THROW(DecodePicture(Write("more.ppm", bytes + "more")));
  }
}

TEST_F(DatasetTest, RefusalsNameTheFile) {
  EXPECT_NE(Refusal([&] {
              Open(folder_ / "none", {1, 3, 2, 2});
            }).find("no such"),
            std::string::npos);
  std::filesystem::create_directories(folder_ / "empty");
  EXPECT_NE(Refusal([&] {
              Open(folder_ / "empty", {1, 3, 2, 2});
            }).find("has no pictures"),
            std::string::npos);
  Write("bad/a.png", "not a png");
  const auto bad = Open(folder_ / "bad", {1, 3, 2, 2});
  EXPECT_NE(Refusal([&] { bad->Load(0); }).find("a.png"), std::string::npos);
  const auto wrong = Write("a.npy", Npy(Header("|u1", "(2, 5, 5, 7)"), std::string(350, 'x')));
  EXPECT_NE(Refusal([&] { Open(wrong, {1, 3, 2, 2}); }).find("[2,5,5,7]"), std::string::npos);
  const auto integers = Write("i.npy", Npy(Header("<i8", "(2,)"), std::string(16, 'x')));
  EXPECT_NE(Refusal([&] { Open(integers, {1, 3, 2, 2}); }).find("<i8"), std::string::npos);
  preprocess_.is_image = false;
  const auto bytes = Write("b.npy", Npy(Header("|u1", "(1, 2, 2, 3)"), Pixels(12)));
  EXPECT_NE(Refusal([&] { Open(bytes, {1, 3, 2, 2}); }).find("|u1"), std::string::npos);
}

}  // namespace
}  // namespace octet::images
