// Pictures, encoded and decoded, and folders of them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ports/linux/capture/jpeg.h"
#include "ports/linux/capture/source.h"
#include "ports/linux/file.h"
#include "ports/linux/model.h"
#include "tests/ports/linux/capture/failure.h"

namespace octet::port {
namespace {

using test::Failure;
using Took = Source::Took;

TEST(Pictures, WhatIsEncodedComesBack) {
  const uint32_t width = 33, height = 17;
  std::vector<uint8_t> rgb(size_t{3} * width * height);
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(i / 9);
  std::vector<uint8_t> png, jpeg;
  EncodePng(rgb.data(), width, height, &png);
  EncodeJpeg(rgb.data(), width, height, 95, &jpeg);
  PictureDecoder decoder;
  FrameBuffer frame;
  ASSERT_TRUE(decoder.Decode(png.data(), png.size(), &frame));
  EXPECT_EQ(frame.bytes, rgb);
  ASSERT_TRUE(decoder.Decode(jpeg.data(), jpeg.size(), &frame));
  ASSERT_EQ(frame.bytes.size(), rgb.size());
  int64_t difference = 0;
  for (size_t i = 0; i < rgb.size(); ++i) difference += std::abs(rgb[i] - frame.bytes[i]);
  EXPECT_LT(difference, static_cast<int64_t>(rgb.size()) * 6);
  // Cut or changed files are refused or decoded, never more.
  for (size_t cut = 0; cut < jpeg.size(); cut += 3) decoder.Decode(jpeg.data(), cut, &frame);
  for (size_t at = 0; at < jpeg.size(); ++at) {
    std::vector<uint8_t> bad = jpeg;
    bad[at] ^= 0x41;
    decoder.Decode(bad.data(), bad.size(), &frame);
  }
  EXPECT_FALSE(decoder.Decode(jpeg.data(), 0, &frame));
}

// What a decoder works in grows with the picture: a camera's, of a JPEG and of a PNG.
TEST(Pictures, OfCamerasSizes) {
  const uint32_t width = 800, height = 600;
  std::vector<uint8_t> rgb(size_t{3} * width * height), png, jpeg;
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(i / 1201);
  EncodePng(rgb.data(), width, height, &png);
  EncodeJpeg(rgb.data(), width, height, 80, &jpeg);
  PictureDecoder decoder;
  FrameBuffer frame;
  ASSERT_TRUE(decoder.Decode(jpeg.data(), jpeg.size(), &frame));
  EXPECT_EQ(frame.bytes.size(), rgb.size());
  ASSERT_TRUE(decoder.Decode(png.data(), png.size(), &frame));
  EXPECT_EQ(frame.bytes, rgb);
}

// Tables of more than 256 codes, wherever they stand in front of the end.
TEST(Pictures, OverlongHuffmanTablesAreRefused) {
  std::vector<uint8_t> rgb(16 * 16 * 3, 90), jpeg;
  EncodeJpeg(rgb.data(), 16, 16, 95, &jpeg);
  std::vector<uint8_t> table{0xFF, 0xC4, 0, 19, 0};
  table.resize(5 + 16, 17);  // 272 codes
  PictureDecoder decoder;
  FrameBuffer frame;
  ASSERT_TRUE(decoder.Decode(jpeg.data(), jpeg.size(), &frame));
  const auto begins = [](const uint8_t* at, uint8_t marker) {
    return at[0] == 0xFF && at[1] == marker;
  };
  for (const uint8_t before : {0xDB, 0xC0, 0xDA, 0xD9}) {
    size_t at = 2;
    while (!begins(&jpeg[at], before)) ++at;
    std::vector<uint8_t> bad = jpeg;
    bad.insert(bad.begin() + static_cast<std::ptrdiff_t>(at), table.begin(), table.end());
    EXPECT_FALSE(decoder.Decode(bad.data(), bad.size(), &frame)) << int{before};
    EXPECT_NE(std::string(decoder.why()).find("Huffman"), std::string::npos);
  }
  // The same bytes inside a comment say nothing.
  std::vector<uint8_t> good = jpeg, comment{0xFF, 0xFE, 0, static_cast<uint8_t>(table.size() + 2)};
  comment.insert(comment.end(), table.begin(), table.end());
  good.insert(good.begin() + 2, comment.begin(), comment.end());
  EXPECT_TRUE(decoder.Decode(good.data(), good.size(), &frame));
}

// As many USB cameras send Motion JPEG.
TEST(Pictures, JpegWithoutTablesMeansTheStandardOnes) {
  std::vector<uint8_t> rgb(size_t{40} * 24 * 3), jpeg;
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(i * i / 50);
  EncodeJpeg(rgb.data(), 40, 24, 90, &jpeg);
  std::vector<uint8_t> bare(jpeg.begin(), jpeg.begin() + 2);
  size_t at = 2, left_out = 0;
  while (jpeg[at + 1] != 0xDA) {
    const auto begin = jpeg.begin() + static_cast<std::ptrdiff_t>(at);
    const size_t length = 2u + (static_cast<size_t>(jpeg[at + 2]) << 8 | jpeg[at + 3]);
    if (jpeg[at + 1] == 0xC4) {
      left_out += length;
    } else {
      bare.insert(bare.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
    }
    at += length;
  }
  bare.insert(bare.end(), jpeg.begin() + static_cast<std::ptrdiff_t>(at), jpeg.end());
  ASSERT_EQ(bare.size() + left_out, jpeg.size());
  ASSERT_GT(left_out, 400u);
  PictureDecoder decoder, other;
  FrameBuffer whole, completed;
  ASSERT_TRUE(decoder.Decode(jpeg.data(), jpeg.size(), &whole));
  ASSERT_TRUE(other.Decode(bare.data(), bare.size(), &completed));
  EXPECT_EQ(completed.bytes, whole.bytes);
  // A scan that names a table which nobody defined decodes the same whatever was decoded before.
  std::vector<uint8_t> wrong = jpeg;
  size_t scan = 2;
  while (!(wrong[scan] == 0xFF && wrong[scan + 1] == 0xDA)) ++scan;
  wrong[scan + 6] = 0x33;  // of the first component
  FrameBuffer fresh, used;
  PictureDecoder third;
  EXPECT_EQ(third.Decode(wrong.data(), wrong.size(), &fresh),
            decoder.Decode(wrong.data(), wrong.size(), &used));
  EXPECT_EQ(fresh.bytes, used.bytes);
}

TEST(Pictures, NoPixelsIsNoPicture) {
  const std::string ppm = "P6\n0 0\n255\n";
  PictureDecoder decoder;
  FrameBuffer frame;
  EXPECT_FALSE(decoder.Decode(reinterpret_cast<const uint8_t*>(ppm.data()), ppm.size(), &frame));
}

// Each byte of a PNG is part of a chunk with a checksum; where a chunk is used, a wrong one tells.
TEST(Pictures, APngWithAChangedByteIsRefused) {
  std::vector<uint8_t> rgb(12 * 9 * 3), png;
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(7 * i);
  EncodePng(rgb.data(), 12, 9, &png);
  PictureDecoder decoder;
  FrameBuffer frame;
  ASSERT_TRUE(decoder.Decode(png.data(), png.size(), &frame)) << decoder.why();
  EXPECT_EQ(frame.bytes, rgb);
  for (size_t i = 8; i < png.size(); ++i) {
    png[i] ^= 0x10;
    EXPECT_FALSE(decoder.Decode(png.data(), png.size(), &frame)) << i;
    png[i] ^= 0x10;
  }
  for (size_t count = 0; count < png.size(); ++count) {
    EXPECT_FALSE(decoder.Decode(png.data(), count, &frame)) << count;
  }
  // A chunk that nothing uses, with a wrong checksum.
  const std::string text("\0\0\0\1tEXtxWRONG", 14);
  std::vector<uint8_t> more(png);
  more.insert(more.begin() + 33, text.begin(), text.begin() + 13);
  EXPECT_TRUE(decoder.Decode(more.data(), more.size(), &frame)) << decoder.why();
}

TEST(Pictures, ABmpFromTheTopDown) {
  const auto bmp = [](int32_t height, const std::string& rows) {
    std::string bytes("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\2\0\0\0", 22);
    bytes.append(reinterpret_cast<const char*>(&height), 4);
    return bytes + std::string("\1\0\x18\0\0\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 28) +
           rows;
  };
  const auto read = [](const std::string& bytes) {
    PictureDecoder decoder;
    FrameBuffer frame;
    EXPECT_TRUE(
        decoder.Decode(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), &frame))
        << decoder.why();
    EXPECT_EQ(frame.height, 2u);
    return std::string(frame.bytes.begin(), frame.bytes.end());
  };
  const std::string top("bgrBGR\0\0", 8), bottom("123456\0\0", 8);
  EXPECT_EQ(read(bmp(2, bottom + top)), "rgbRGB321654");
  EXPECT_EQ(read(bmp(-2, top + bottom)), "rgbRGB321654");
}

// What a header claims is looked at before memory is taken for it.
TEST(Pictures, SidesAreLimited) {
  const auto decodes = [](uint32_t width, uint32_t height, size_t pixels) {
    const std::string pgm = "P5\n" + std::to_string(width) + " " + std::to_string(height) +
                            "\n255\n" + std::string(pixels, 'p');
    PictureDecoder decoder;
    FrameBuffer frame;
    return decoder.Decode(reinterpret_cast<const uint8_t*>(pgm.data()), pgm.size(), &frame);
  };
  EXPECT_TRUE(decodes(16384, 1, 16384));
  EXPECT_TRUE(decodes(1, 16384, 16384));
  EXPECT_FALSE(decodes(16385, 1, 16385));
  EXPECT_FALSE(decodes(1, 16385, 16385));
  EXPECT_FALSE(decodes(16384, 16384, 100));
}

// For days: what cannot be read is left out, but a folder of nothing else is an error.
TEST(Pictures, FolderWithBadFiles) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "octet-capture-XXXXXX").string();
  const fs::path folder = mkdtemp(pattern.data());
  const auto write = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  write("a.ppm", "P6\n2 1\n255\n012345");
  write("b.jpg", "no picture");
  write("c.jpg", "");
  write("d.pgm", "P5\n2 2\n255\n0123");
  const auto names = [&](const fs::path& path) {
    const auto source = OpenFolder(path.string(), 0);
    StopRequest stop;
    FrameBuffer frame;
    std::vector<std::string> found;
    while (source->Next(&frame, stop) == Took::kFrame) {
      found.push_back(fs::path(frame.name).filename().string());
    }
    return found;
  };
  EXPECT_EQ(names(folder), (std::vector<std::string>{"a.ppm", "d.pgm"}));
  EXPECT_EQ(names(folder / "a.ppm"), std::vector<std::string>{"a.ppm"});
  fs::remove(folder / "a.ppm");
  fs::remove(folder / "d.pgm");
  const auto source = OpenFolder(folder.string(), 0);
  EXPECT_NE(Failure(*source).find("no picture can be read"), std::string::npos);
  fs::remove_all(folder);
}

// Without a pace the pictures wait for the network and none is left out; with one they come in
// time.
TEST(Pictures, PaceOfAFolder) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "octet-capture-XXXXXX").string();
  const fs::path folder = mkdtemp(pattern.data());
  for (const char* name : {"a.pgm", "b.pgm", "c.pgm"}) {
    std::ofstream(folder / name, std::ios::binary) << "P5\n2 2\n255\n0123";
  }
  EXPECT_TRUE(OpenFolder(folder.string(), 0)->waits());
  EXPECT_TRUE(OpenFolder(folder.string(), -1)->waits());
  EXPECT_TRUE(OpenFolder(folder.string(), std::nan(""))->waits());
  const auto paced = OpenFolder(folder.string(), 100);
  EXPECT_FALSE(paced->waits());
  StopRequest stop;
  FrameBuffer frame;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(paced->Next(&frame, stop), Took::kFrame);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20));
  EXPECT_EQ(paced->Next(&frame, stop), Took::kEnd);
  stop.Raise();
  EXPECT_EQ(OpenFolder(folder.string(), 0)->Next(&frame, stop), Took::kStopped);
  EXPECT_EQ(OpenFolder(folder.string(), 100)->Next(&frame, stop), Took::kStopped);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace octet::port
