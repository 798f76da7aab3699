// The reader of JPEG against libjpeg-turbo, bit by bit, and files as cameras write them.
#include <turbojpeg.h>

#include <array>
#include <memory>
#include <random>

#include "ports/linux/pictures/picture.h"
#include "tests/converter/images/images_support.h"

namespace octet::images {
namespace {

using Bytes = std::vector<uint8_t>;
using pictures::Picture;
using pictures::PictureReader;

struct Freed {
  void operator()(unsigned char* bytes) const { tjFree(bytes); }
};

// Smooth, with edges and noise.
Bytes Pixels(int width, int height, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes pixels;
  const auto value = [&](int x, int y, int c) {
    const int smooth = 128 + 100 * ((x * (c + 2) + y * 3) % 40 - 20) / 20;
    const int edge = (x / 9 + y / 7 + c) % 5 == 0 ? 70 : 0;
    return static_cast<uint8_t>(smooth + edge + static_cast<int>(random() % 16));
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < 3; ++c) pixels.push_back(value(x, y, c));
    }
  }
  return pixels;
}

Bytes Encode(const Bytes& rgb, int width, int height, int sampling, int quality, int flags) {
  const std::unique_ptr<void, int (*)(void*)> writer(tjInitCompress(), tjDestroy);
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
  EXPECT_EQ(tjCompress2(writer.get(), rgb.data(), width, 0, height, TJPF_RGB, &bytes, &count,
                        sampling, quality, flags),
            0);
  const std::unique_ptr<unsigned char, Freed> owned(bytes);
  return {bytes, bytes + count};
}

// What libjpeg-turbo makes of it, as the converter read it before.
Picture Expected(const Bytes& jpeg) {
  const std::unique_ptr<void, int (*)(void*)> reader(tjInitDecompress(), tjDestroy);
  int width = 0, height = 0, sampling = 0, colours = 0;
  EXPECT_EQ(tjDecompressHeader3(reader.get(), jpeg.data(), jpeg.size(), &width, &height, &sampling,
                                &colours),
            0);
  Picture picture{static_cast<uint32_t>(width),
                  static_cast<uint32_t>(height),
                  colours == TJCS_GRAY ? 1u : 3u,
                  {}};
  picture.pixels.resize(size_t{picture.width} * picture.height * picture.channels);
  const int result =
      tjDecompress2(reader.get(), jpeg.data(), jpeg.size(), picture.pixels.data(), width, 0, height,
                    colours == TJCS_GRAY ? TJPF_GRAY : TJPF_RGB, TJFLAG_ACCURATEDCT);
  EXPECT_TRUE(result == 0 || tjGetErrorCode(reader.get()) == TJERR_WARNING);
  return picture;
}

std::string Read(const Bytes& bytes, Picture* picture) {
  PictureReader reader;
  return reader.Read(bytes.data(), bytes.size(), picture) ? "" : reader.why();
}

constexpr std::array kSamplings = {TJSAMP_444,  TJSAMP_422, TJSAMP_420,
                                   TJSAMP_GRAY, TJSAMP_440, TJSAMP_411};

TEST(Jpeg, GivesTheBitsOfLibjpeg) {
  uint32_t seed = 0;
  for (const int sampling : kSamplings) {
    for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
      for (const int quality : {5, 50, 90, 100}) {
        for (const auto& [width, height] :
             {std::pair{1, 1}, {2, 3}, {7, 5}, {16, 16}, {17, 33}, {40, 9}, {61, 64}, {130, 67}}) {
          const Bytes jpeg = Encode(Pixels(width, height, ++seed), width, height, sampling, quality,
                                    flags | TJFLAG_ACCURATEDCT);
          const Picture expected = Expected(jpeg);
          Picture got;
          ASSERT_EQ(Read(jpeg, &got), "");
          ASSERT_EQ(got.width, expected.width);
          ASSERT_EQ(got.height, expected.height);
          ASSERT_EQ(got.channels, expected.channels);
          ASSERT_EQ(got.pixels, expected.pixels)
              << "sampling " << sampling << " flags " << flags << " quality " << quality << ", "
              << width << " x " << height;
        }
      }
    }
  }
}

// The library's own switches for what its interface lacks: restart intervals, arithmetic coding.
Bytes EncodeWith(const char* name, const char* value, int sampling, int flags) {
  setenv(name, value, 1);
  const Bytes jpeg = Encode(Pixels(70, 50, 7), 70, 50, sampling, 80, flags);
  unsetenv(name);
  return jpeg;
}

size_t Find(const Bytes& jpeg, uint8_t marker, size_t from = 2) {
  while (from + 1 < jpeg.size() && !(jpeg[from] == 0xFF && jpeg[from + 1] == marker)) ++from;
  return from;
}

Bytes Inserted(Bytes jpeg, size_t at, const Bytes& more) {
  jpeg.insert(jpeg.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
  return jpeg;
}

TEST(Jpeg, RestartMarkersAndWhatStandsInFrontOfThem) {
  for (const int sampling : kSamplings) {
    for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
      const Bytes jpeg = EncodeWith("TJ_RESTART", "2B", sampling, flags);
      ASSERT_LT(Find(jpeg, 0xD7), jpeg.size() - 1);
      const Picture expected = Expected(jpeg);
      Picture got;
      ASSERT_EQ(Read(jpeg, &got), "");
      ASSERT_EQ(got.pixels, expected.pixels);
      Bytes stray = jpeg;
      for (const uint8_t marker : {0xD0, 0xD3, 0xD7}) {
        for (const Bytes& more :
             {Bytes{0}, Bytes{0x12, 0xFF, 0x00, 0x34, 0xFF, 0x77, 0x78}, Bytes{0xFF}}) {
          stray = Inserted(stray, Find(stray, marker), more);
        }
      }
      ASSERT_EQ(Read(stray, &got), "");
      EXPECT_EQ(got.pixels, expected.pixels) << "bytes in front of restart markers";
      // A part between two markers taken out, and a marker alone.
      const size_t first = Find(jpeg, 0xD2), second = Find(jpeg, 0xD3);
      Bytes lost = jpeg;
      lost.erase(lost.begin() + static_cast<std::ptrdiff_t>(first),
                 lost.begin() + static_cast<std::ptrdiff_t>(second));
      EXPECT_NE(Read(lost, &got).find("restart"), std::string::npos);
      lost = jpeg;
      lost.erase(lost.begin() + static_cast<std::ptrdiff_t>(first),
                 lost.begin() + static_cast<std::ptrdiff_t>(first) + 2);
      EXPECT_NE(Read(lost, &got), "");
    }
  }
}

// The end marker is no part of the picture, its coded data are.
TEST(Jpeg, WithoutItsEndAndCutOff) {
  for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
    const Bytes jpeg = Encode(Pixels(70, 50, 3), 70, 50, TJSAMP_420, 85, flags);
    const Picture expected = Expected(jpeg);
    Picture got;
    Bytes open(jpeg.begin(), jpeg.end() - 2);
    ASSERT_EQ(Read(open, &got), "");
    EXPECT_EQ(got.pixels, expected.pixels);
    open.insert(open.end(), 40, 0);  // a camera's buffer behind it
    ASSERT_EQ(Read(open, &got), "");
    EXPECT_EQ(got.pixels, expected.pixels);
    int refused = 0;
    for (size_t count = 0; count + 4 < jpeg.size(); ++count) {
      const Bytes cut(jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(count));
      const std::string why = Read(cut, &got);
      ASSERT_FALSE(why.empty()) << count << " of " << jpeg.size();
      refused += static_cast<int>(why.find("truncated") != std::string::npos);
      // An end marker does not make up for them. Scans may be left out with it, not the first.
      const std::string ended = Read(Inserted(cut, count, {0xFF, 0xD9}), &got);
      if (flags == 0) {
        ASSERT_FALSE(ended.empty()) << count;
      }
    }
    EXPECT_GT(refused, static_cast<int>(jpeg.size()) / 2);
  }
}

TEST(Jpeg, StrayBytesBetweenSegments) {
  const Bytes jpeg = Encode(Pixels(30, 20, 5), 30, 20, TJSAMP_420, 85, 0);
  Picture got;
  for (const uint8_t marker : {0xDB, 0xC0, 0xC4, 0xDA}) {
    const Bytes stray = Inserted(jpeg, Find(jpeg, marker), {0x11, 0x00, 0xFF});
    ASSERT_EQ(Read(stray, &got), "") << int{marker};
    EXPECT_EQ(got.pixels, Expected(jpeg).pixels);
  }
}

// Lengths count their own two bytes.
TEST(Jpeg, LengthsOfSegments) {
  const Bytes jpeg = Encode(Pixels(30, 20, 5), 30, 20, TJSAMP_420, 85, 0);
  Picture got;
  for (const uint8_t marker : {0xDB, 0xC0, 0xC4, 0xDA}) {
    for (const uint8_t comment : {0xFE, 0xE5}) {
      const size_t at = Find(jpeg, marker);
      for (const Bytes& empty : {Bytes{0xFF, comment, 0, 2}, Bytes{0xFF, comment, 0, 3, 7}}) {
        ASSERT_EQ(Read(Inserted(jpeg, at, empty), &got), "") << int{marker};
        EXPECT_EQ(got.pixels, Expected(jpeg).pixels);
      }
      for (const uint8_t length : {0, 1}) {
        EXPECT_NE(Read(Inserted(jpeg, at, {0xFF, comment, 0, length}), &got), "") << int{length};
      }
      EXPECT_NE(Read(Inserted(jpeg, at, {0xFF, comment, 0xFF, 0xFF}), &got), "");
    }
  }
}

TEST(Jpeg, FormsThatAreRefusedSayWhich) {
  Picture got;
  const Bytes arithmetic = EncodeWith("TJ_ARITHMETIC", "1", TJSAMP_420, 0);
  EXPECT_NE(Read(arithmetic, &got).find("arithmetic"), std::string::npos);
  const Bytes both = EncodeWith("TJ_ARITHMETIC", "1", TJSAMP_420, TJFLAG_PROGRESSIVE);
  EXPECT_NE(Read(both, &got).find("arithmetic"), std::string::npos);
  const Bytes jpeg = Encode(Pixels(16, 16, 5), 16, 16, TJSAMP_444, 85, 0);
  // Bytes of the frame header.
  const auto changed = [&](size_t at, uint8_t value, size_t other = 1, uint8_t other_value = 0xC0) {
    Bytes bytes = jpeg;
    bytes[Find(jpeg, 0xC0) + at] = value;
    bytes[Find(jpeg, 0xC0) + other] = other_value;
    return Read(bytes, &got);
  };
  EXPECT_NE(changed(4, 12).find("12 bits"), std::string::npos);
  EXPECT_NE(changed(1, 0xC3, 1, 0xC3).find("lossless"), std::string::npos);
  EXPECT_NE(changed(1, 0xC5, 1, 0xC5).find("hierarchical"), std::string::npos);
  EXPECT_NE(changed(11, 0x31, 14, 0x21).find("sampling"), std::string::npos);
  EXPECT_NE(changed(5, 0xFF, 7, 0xFF).find("header gives"), std::string::npos);
  EXPECT_NE(changed(5, 1).find("truncated"), std::string::npos) << "more rows than there are";
  EXPECT_NE(changed(6, 0).find("without pixels"), std::string::npos)
      << "they come in a DNL segment";
  EXPECT_EQ(changed(1, 0xC1, 1, 0xC1), "") << "extended, 8 bits: read as it is";
  // Four components, whatever Adobe says they are.
  const std::unique_ptr<void, int (*)(void*)> writer(tjInitCompress(), tjDestroy);
  const Bytes inks(16 * 16 * 4, 90);
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
  ASSERT_EQ(tjCompress2(writer.get(), inks.data(), 16, 0, 16, TJPF_CMYK, &bytes, &count, TJSAMP_444,
                        85, 0),
            0);
  const std::unique_ptr<unsigned char, Freed> owned(bytes);
  Bytes ycck(bytes, bytes + count);
  EXPECT_NE(Read(ycck, &got).find("CMYK"), std::string::npos);
  const size_t adobe = Find(ycck, 0xEE);
  ASSERT_LT(adobe, ycck.size() - 1);
  ycck[adobe + 15] = 0;
  EXPECT_NE(Read(ycck, &got).find("CMYK"), std::string::npos);
}

// Three components may be RGB: so say Adobe's segment and, where nothing else speaks, their names.
TEST(Jpeg, ColoursAsTheFileNamesThem) {
  const Bytes jpeg = Encode(Pixels(16, 16, 5), 16, 16, TJSAMP_444, 85, 0);
  const size_t jfif = Find(jpeg, 0xE0), frame = Find(jpeg, 0xC0), scan = Find(jpeg, 0xDA);
  Picture got;
  for (const bool with_jfif : {true, false}) {
    for (const int adobe : {-1, 0, 1}) {
      for (const bool names : {true, false}) {
        Bytes bytes = jpeg;
        if (names) {
          for (size_t i = 0; i < 3; ++i) {
            bytes[frame + 10 + 3 * i] = bytes[scan + 5 + 2 * i] = static_cast<uint8_t>("RGB"[i]);
          }
        }
        if (adobe >= 0) {
          bytes = Inserted(bytes, frame,
                           {0xFF, 0xEE, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0,
                            static_cast<uint8_t>(adobe)});
        }
        if (!with_jfif) {
          bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(jfif),
                      bytes.begin() + static_cast<std::ptrdiff_t>(jfif) + 18);
        }
        ASSERT_EQ(Read(bytes, &got), "");
        EXPECT_EQ(got.pixels, Expected(bytes).pixels) << with_jfif << ' ' << adobe << ' ' << names;
      }
    }
  }
}

// Whatever is changed: a picture or a reason.
TEST(Jpeg, DamagedBytesDoNoHarm) {
  for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
    const Bytes jpeg = Encode(Pixels(33, 20, 9), 33, 20, TJSAMP_420, 60, flags);
    std::mt19937 random(1);
    Picture got;
    for (int i = 0; i < 6000; ++i) {
      Bytes bad = jpeg;
      for (uint32_t k = 0; k <= random() % 3; ++k) {
        bad[random() % bad.size()] = static_cast<uint8_t>(random());
      }
      if (Read(bad, &got).empty()) {
        EXPECT_EQ(got.pixels.size(), size_t{got.width} * got.height * got.channels);
      }
    }
  }
}

}  // namespace
}  // namespace octet::images
