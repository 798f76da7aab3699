// Segments of a JPEG at the limits of their fields: the last that is taken, and the first that is
// not. Pixels are the business of the tests against libjpeg (tests/converter/images).
#include <gtest/gtest.h>

#include "ports/linux/pictures/picture.h"

namespace octet::pictures {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
// Its marker, its length and what it has.
Bytes Segment(uint8_t marker, const Bytes& data, int more_length = 0) {
  const size_t length = data.size() + 2 + static_cast<size_t>(more_length);
  return Bytes{0xFF, marker, static_cast<uint8_t>(length >> 8), static_cast<uint8_t>(length)} +
         data;
}

// A grey picture of 8 x 8: one block, whose only code says that it is mid grey.
struct Jpeg {
  Bytes begin = {0xFF, 0xD8};
  Bytes extra;  // segments before all others
  uint8_t table = 0, sampling = 0x11, frame_table = 0;
  Bytes frame = {8, 0, 8, 0, 8, 1};
  uint8_t frame_marker = 0xC0;
  uint8_t dc = 0x00, ac = 0x10;  // kind and number of the Huffman tables
  Bytes scan = {1, 1, 0x00, 0, 63, 0};
  Bytes end = {0xFF, 0xD9};

  Bytes All() const {
    const auto codes = [](uint8_t which) {
      Bytes table(17, 0);
      table[0] = which;
      table[1] = 1;  // one code of one bit
      table.push_back(0);
      return table;
    };
    return begin + extra + Segment(0xDB, Bytes{table} + Bytes(64, 1)) +
           Segment(frame_marker, frame + Bytes{1, sampling, frame_table}) +
           Segment(0xC4, codes(dc)) + Segment(0xC4, codes(ac)) + Segment(0xDA, scan) + Bytes{0x3F} +
           end;
  }
};

// "" or why it is refused.
std::string Why(const Bytes& bytes, Picture* picture = nullptr) {
  PictureReader reader;
  Picture own;
  if (picture == nullptr) picture = &own;
  if (reader.Read(bytes.data(), bytes.size(), picture)) return "";
  return reader.why().empty() ? "no reason" : reader.why();
}
std::string Why(const Jpeg& jpeg) {
  return Why(jpeg.All());
}

TEST(JpegHeader, TheSmallestIsTaken) {
  Picture picture;
  ASSERT_EQ(Why(Jpeg().All(), &picture), "");
  EXPECT_EQ(picture.width, 8u);
  EXPECT_EQ(picture.height, 8u);
  EXPECT_EQ(picture.channels, 1u);
  EXPECT_EQ(picture.pixels, Bytes(64, 128));
}

TEST(JpegHeader, TablesHaveFourPlaces) {
  for (uint8_t number = 0; number < 6; ++number) {
    Jpeg quantization;
    quantization.table = quantization.frame_table = number;
    EXPECT_EQ(Why(quantization).empty(), number < 4) << int{number};
    Jpeg dc;
    dc.dc = number;
    dc.scan[2] = static_cast<uint8_t>(number << 4);
    EXPECT_EQ(Why(dc).empty(), number < 4) << int{number};
    Jpeg ac;
    ac.ac = static_cast<uint8_t>(0x10 | number);
    ac.scan[2] = number;
    EXPECT_EQ(Why(ac).empty(), number < 4) << int{number};
    Jpeg frame;
    frame.frame_table = number;
    EXPECT_EQ(Why(frame).empty(), number == 0) << "a table that there is not";
  }
  Jpeg kind;
  kind.ac = 0x20;
  EXPECT_NE(Why(kind), "");
}

// Values of one byte and of two, whole and a byte short.
TEST(JpegHeader, QuantizationTablesAreWhole) {
  const struct {
    uint8_t head;
    size_t bytes;
    bool good;
  } cases[] = {{0x03, 64, true},   {0x03, 63, false},  {0x13, 128, true},
               {0x13, 127, false}, {0x23, 192, false}, {0x03, 65, false}};
  for (const auto& c : cases) {
    Jpeg jpeg;
    jpeg.extra = Segment(0xDB, Bytes{c.head} + Bytes(c.bytes, 1));
    EXPECT_EQ(Why(jpeg).empty(), c.good) << int{c.head} << " " << c.bytes;
  }
  Jpeg two;
  two.extra = Segment(0xDB, Bytes{0x02} + Bytes(64, 1) + Bytes{0x13} + Bytes(128, 1));
  EXPECT_EQ(Why(two), "");
}

TEST(JpegHeader, HuffmanTablesAreWhole) {
  const auto table = [](const Bytes& counts, size_t values) {
    Bytes all(17, 0);
    all[0] = 0x03;
    for (size_t i = 0; i < counts.size(); ++i) all[1 + i] = counts[i];
    return all + Bytes(values, 0);
  };
  const struct {
    Bytes data;
    bool good;
  } cases[] = {{table({2}, 2), true},
               {table({2}, 1), false},
               {table({3}, 3), false},
               {table({1, 2}, 3), true},
               {table({1, 3}, 4), false},
               {Bytes(16, 0), false},
               {table({}, 0), true},
               {table({0, 0, 0, 0, 0, 0, 0, 255, 1}, 256), true},
               {table({0, 0, 0, 0, 0, 0, 0, 255, 2}, 257), false},
               {table({2}, 2) + table({1}, 1), true},
               {table({2}, 3), false}};
  for (const auto& c : cases) {
    Jpeg jpeg;
    jpeg.extra = Segment(0xC4, c.data);
    EXPECT_EQ(Why(jpeg).empty(), c.good) << c.data.size() << " " << int{c.data[1]};
  }
}

TEST(JpegHeader, ACodeOfADcTableIsANumberOfBits) {
  for (const uint8_t table : {0x03, 0x13}) {
    for (const uint8_t value : {15, 16, 255}) {
      Bytes data(17, 0);
      data[0] = table, data[1] = 1;
      data.push_back(value);
      Jpeg jpeg;
      jpeg.extra = Segment(0xC4, data);
      EXPECT_EQ(Why(jpeg).empty(), table != 0x03 || value < 16) << int{table} << " " << int{value};
    }
  }
}

TEST(JpegHeader, WhatAFrameMayBe) {
  const auto refused = [](const Bytes& frame, const char* why) {
    Jpeg jpeg;
    jpeg.frame = frame;
    EXPECT_NE(Why(jpeg).find(why), std::string::npos) << Why(jpeg);
  };
  refused({12, 0, 8, 0, 8, 1}, "12 bits");
  refused({7, 0, 8, 0, 8, 1}, "7 bits");
  refused({8, 0, 0, 0, 8, 1}, "without pixels");
  refused({8, 0, 8, 0, 0, 1}, "without pixels");
  refused({8, 0, 8, 0, 8, 0}, "0 components");
  refused({8, 0, 8, 0, 8, 2}, "too short");
  refused({8, 0, 8, 0, 8, 2, 9, 0x11, 0}, "2 components");
  refused({8, 0, 8, 0, 8, 4, 9, 0x11, 0, 9, 0x11, 0, 9, 0x11, 0}, "CMYK");
  for (const int marker :
       {0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF}) {
    Jpeg jpeg;
    jpeg.frame_marker = static_cast<uint8_t>(marker);
    if (marker == 0xC2) jpeg.scan = {1, 1, 0, 0, 0, 0};
    EXPECT_EQ(Why(jpeg).empty(), marker <= 0xC2) << marker << Why(jpeg);
  }
  // These are no frames.
  for (const int marker : {0xC8, 0xCC}) {
    Jpeg jpeg;
    jpeg.extra = Segment(static_cast<uint8_t>(marker), {0, 0});
    EXPECT_EQ(Why(jpeg), "") << marker;
  }
  Jpeg twice;
  twice.extra =
      Segment(0xDB, Bytes{0} + Bytes(64, 1)) + Segment(0xC0, {8, 0, 8, 0, 8, 1, 1, 0x11, 0});
  EXPECT_NE(Why(twice).find("two frame headers"), std::string::npos);
}

TEST(JpegHeader, SamplingIsOneToFour) {
  for (const int sampling : {0x01, 0x10, 0x15, 0x51}) {
    Jpeg jpeg;
    jpeg.sampling = static_cast<uint8_t>(sampling);
    EXPECT_NE(Why(jpeg), "") << sampling;
  }
  for (const int sampling : {0x11, 0x14, 0x41, 0x44, 0x23}) {
    Jpeg jpeg;
    jpeg.sampling = static_cast<uint8_t>(sampling);
    Picture picture;
    EXPECT_EQ(Why(jpeg.All(), &picture), "") << "of one component it says nothing";
    EXPECT_EQ(picture.pixels, Bytes(64, 128));
  }
}

TEST(JpegHeader, WhatAScanMayBe) {
  const struct {
    Bytes scan;
    bool progressive, good;
  } cases[] = {{{1, 1, 0, 0, 63, 0}, false, true},
               {{1, 1, 0, 5, 2, 0x73}, false, true},  // these say nothing of a baseline picture
               {{0, 0, 63, 0}, false, false},
               {{2, 1, 0, 1, 0, 0, 63, 0}, false, false},
               {{1, 2, 0, 0, 63, 0}, false, false},
               {{1, 1, 0, 0, 63}, false, false},
               {{}, false, false},
               {{1, 1, 0, 0, 0, 0}, true, true},
               {{1, 1, 0, 0, 1, 0}, true, false},
               {{1, 1, 0, 0, 0, 13}, true, true},
               {{1, 1, 0, 0, 0, 14}, true, false},
               {{1, 1, 0, 0, 0, 0x10}, true, false},
               {{1, 1, 0, 0, 0, 0x21}, true, false},
               {{1, 1, 0, 2, 1, 0}, true, false},
               {{1, 1, 0, 1, 64, 0}, true, false}};
  for (const auto& c : cases) {
    Jpeg jpeg;
    jpeg.scan = c.scan;
    if (c.progressive) jpeg.frame_marker = 0xC2;
    const std::string why = Why(jpeg);
    // A picture of which bits are missing is refused too, in other words.
    const bool header = why.find("the header of a scan") == std::string::npos;
    EXPECT_EQ(c.good ? why.empty() || c.progressive : !why.empty(), true) << why;
    EXPECT_EQ(header, c.good) << why << c.scan.size();
  }
}

TEST(JpegHeader, StrayBytesAreSteppedOver) {
  for (const Bytes& stray :
       {Bytes{0x00}, Bytes{0x12, 0x34}, Bytes{0xFF}, Bytes{0xFF, 0x00}, Bytes{0xFF, 0x01},
        Bytes{0xFF, 0xD0}, Bytes{0xFF, 0xD7}, Bytes{0xFF, 0xD8}, Segment(0x02, {1, 2, 3}),
        Segment(0xFE, {}), Segment(0xDD, {0}), Segment(0xDD, {0, 0})}) {
    Jpeg jpeg;
    jpeg.extra = stray;
    EXPECT_EQ(Why(jpeg), "") << stray.size();
  }
  Jpeg none;
  none.extra = {0xFF, 0xFE, 0, 1};
  EXPECT_NE(Why(none).find("no length"), std::string::npos);
  Jpeg zero;
  zero.extra = {0xFF, 0xFE, 0, 0};
  EXPECT_NE(Why(zero).find("no length"), std::string::npos);
  // 0x02 is a segment, 0x01 is none: what follows is one of its own.
  Jpeg after;
  after.extra = Bytes{0xFF, 0x01, 0xFF, 0x02, 0, 1};
  EXPECT_NE(Why(after), "");
}

// A file that is cut anywhere is refused without a look beyond its end.
TEST(JpegHeader, EveryLengthIsRefused) {
  const Bytes all = Jpeg().All();
  for (size_t count = 0; count < all.size() - 2; ++count) {
    const Bytes cut(all.begin(), all.begin() + static_cast<ptrdiff_t>(count));
    EXPECT_NE(Why(Bytes(cut)), "") << count;
  }
  Picture picture;
  PictureReader reader;
  EXPECT_TRUE(reader.ReadHeader(all.data(), all.size(), &picture));
}

// A segment that ends with the file is whole.
TEST(JpegHeader, ASegmentMayBeTheLast) {
  Jpeg jpeg;
  jpeg.end = Segment(0xFE, {1, 2, 3});
  const std::string without_end = Why(jpeg);
  jpeg.end = Segment(0xFE, {1, 2, 3}, 1);
  EXPECT_EQ(Why(jpeg), without_end);
  jpeg.end = Segment(0xDB, {0x33});  // whole, and bad
  EXPECT_NE(Why(jpeg), without_end);
  jpeg.end = Segment(0xDB, {0x33}, 1);
  EXPECT_EQ(Why(jpeg), without_end) << "cut off, so nobody knows";
}

// What kind of colours it has: its words are looked for in whole.
TEST(JpegHeader, WordsOfApplications) {
  const auto colours = [](const Bytes& extra, const char* ids) {
    // Three components without subsampling: a red, a green and a blue plane of mid grey, or
    // Y, Cb and Cr, which mid grey is grey in as well; the first block is brighter.
    Jpeg jpeg;
    jpeg.extra = extra;
    const auto id = [&](int i) { return static_cast<uint8_t>(ids[i]); };
    jpeg.frame = {8, 0, 8, 0, 8, 3, id(0), 0x11, 0, id(1), 0x11, 0};
    Bytes all = jpeg.begin + jpeg.extra + Segment(0xDB, Bytes{0} + Bytes(64, 1)) +
                Segment(0xC0, jpeg.frame + Bytes{id(2), 0x11, 0});
    Bytes dc(17, 0), ac(17, 0);
    dc[0] = 0x00, dc[1] = 1, dc[2] = 1;  // 0: nothing, 10: eight bits
    ac[0] = 0x10, ac[1] = 1;
    all = all + Segment(0xC4, dc + Bytes{0, 8}) + Segment(0xC4, ac + Bytes{0}) +
          Segment(0xDA, {3, id(0), 0, id(1), 0, id(2), 0, 0, 63, 0});
    // 10 11111111 0, 0 0, 0 0: the first plane is lighter by 255 / 8.
    all = all + Bytes{0xBF, 0xC1, 0xFF, 0xD9};
    Picture picture;
    EXPECT_EQ(Why(all, &picture), "");
    // As RGB red alone is lighter; as YCbCr all are.
    return picture.pixels.size() == 192 && picture.pixels[0] != picture.pixels[1];
  };
  const Bytes jfif = {'J', 'F', 'I', 'F', 0}, adobe = {'A', 'd', 'o', 'b', 'e', 0, 0, 0, 0, 0, 0};
  EXPECT_TRUE(colours({}, "RGB"));
  EXPECT_FALSE(colours({}, "RGX"));
  EXPECT_FALSE(colours({}, "RXB"));
  EXPECT_FALSE(colours({}, "XGB"));
  EXPECT_FALSE(colours(Segment(0xE0, jfif), "RGB")) << "just the word";
  EXPECT_TRUE(colours(Segment(0xE0, {'J', 'F', 'I', 'F'}), "RGB"));
  EXPECT_TRUE(colours(Segment(0xE0, {'J', 'F', 'X', 'X', 0}), "RGB")) << "another word";
  EXPECT_TRUE(colours(Segment(0xE1, jfif), "RGB")) << "of another application";
  EXPECT_TRUE(colours(Segment(0xEE, {'A', 'd', 'o', 'b', 'i', 0, 0, 0, 0, 0, 0, 1}), "RGB"));
  EXPECT_TRUE(colours(Segment(0xEE, adobe + Bytes{0}), "abc"));
  EXPECT_FALSE(colours(Segment(0xEE, adobe + Bytes{1}), "RGB"));
  EXPECT_TRUE(colours(Segment(0xEE, adobe), "RGB")) << "a byte short: it says nothing";
  EXPECT_FALSE(colours(Segment(0xE0, jfif) + Segment(0xEE, adobe + Bytes{0}), "abc"));
}

}  // namespace
}  // namespace octet::pictures
