// Streams, pictures and the slot between two threads.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ports/linux/capture/jpeg.h"
#include "ports/linux/capture/mailbox.h"
#include "ports/linux/file.h"
#include "ports/linux/model.h"

namespace octet::port {
namespace {

using Took = Source::Took;

// A pipe filled by a thread in pieces of `piece` bytes, then closed.
class Piped {
 public:
  explicit Piped(std::string bytes, size_t piece = 1 << 20) {
    signal(SIGPIPE, SIG_IGN);  // a reader that has seen enough
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    read_end_ = ends[0];
    writer_ = std::thread([bytes = std::move(bytes), piece, end = ends[1]] {
      for (size_t at = 0; at < bytes.size(); at += piece) {
        const size_t count = std::min(piece, bytes.size() - at);
        if (write(end, bytes.data() + at, count) < 0) break;
      }
      close(end);
    });
  }
  ~Piped() {
    close(read_end_);
    writer_.join();
  }
  int descriptor() const { return read_end_; }

 private:
  int read_end_;
  std::thread writer_;
};

std::string Fill(size_t count, int first) {
  std::string bytes(count, 0);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(first + static_cast<int>(i));
  return bytes;
}

std::string Failure(Source& source) {
  StopRequest stop;
  FrameBuffer frame;
  try {
    while (source.Next(&frame, stop) == Took::kFrame) {
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return "no failure";
}

TEST(Frames, SizesOfEveryFormat) {
  EXPECT_EQ(FrameBytes(OCTET_PIXELS_RGB24, 5, 3), 45u);
  EXPECT_EQ(FrameBytes(OCTET_PIXELS_GREY8, 5, 3), 15u);
  EXPECT_EQ(FrameBytes(OCTET_PIXELS_NV12, 5, 3), 15u + 12u);
  EXPECT_EQ(FrameBytes(OCTET_PIXELS_YUV420P, 5, 3), 15u + 12u);
  EXPECT_EQ(FrameBytes(OCTET_PIXELS_YUYV, 5, 3), 36u);
  EXPECT_EQ(FrameBytes(OCTET_PIXELS_RGB24, 0, 3), 0u);
  EXPECT_EQ(FrameBytes(OCTET_PIXELS_RGB24, 1u << 20, 3), 0u);
}

TEST(Streams, RawFramesWhateverThePieces) {
  const StreamFormat format = ReadStreamFormat("nv12", "6x4");
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{36}, size_t{1000}}) {
    const Piped pipe(Fill(36, 1) + Fill(36, 100) + Fill(5, 0), piece);
    const auto source = OpenStream(pipe.descriptor(), format);
    StopRequest stop;
    FrameBuffer frame;
    ASSERT_EQ(source->Next(&frame, stop), Took::kFrame);
    EXPECT_EQ(std::string(frame.bytes.begin(), frame.bytes.end()), Fill(36, 1));
    EXPECT_EQ(frame.View().strides[1], 6u);
    ASSERT_EQ(source->Next(&frame, stop), Took::kFrame);
    EXPECT_EQ(std::string(frame.bytes.begin(), frame.bytes.end()), Fill(36, 100));
    EXPECT_EQ(source->Next(&frame, stop), Took::kEnd);
    EXPECT_NE(source->note().find("inside frame 2: 5 of 36 bytes"), std::string::npos);
    EXPECT_NE(source->note().find("--size"), std::string::npos) << source->note();
  }
}

// What a stream of one frame with these bytes holds.
std::string OneFrame(const StreamFormat& format, const std::string& bytes) {
  const Piped pipe(bytes, 7);
  const auto source = OpenStream(pipe.descriptor(), format);
  StopRequest stop;
  FrameBuffer frame;
  EXPECT_EQ(source->Next(&frame, stop), Took::kFrame);
  EXPECT_EQ(source->Next(&frame, stop), Took::kEnd);
  EXPECT_EQ(source->note(), "");
  return {frame.bytes.begin(), frame.bytes.end()};
}

TEST(Streams, PaddedRows) {
  struct Case {
    const char *format, *size, *stride;
    std::vector<std::array<size_t, 3>> planes;  // bytes of a row, padding, rows
  };
  const Case cases[] = {
      {"rgb24", "5x3", "16", {{15, 1, 3}}},
      {"grey8", "5x3", "64", {{5, 59, 3}}},
      {"yuyv", "5x3", "16", {{12, 4, 3}}},
      {"nv12", "6x4", "8", {{6, 2, 4}, {6, 2, 2}}},
      {"yuv420p", "6x4", "64", {{6, 58, 4}, {3, 29, 2}, {3, 29, 2}}},
      // As GStreamer pads each plane to 4 bytes.
      {"yuv420p", "10x4", "12,8", {{10, 2, 4}, {5, 3, 2}, {5, 3, 2}}},
      {"rgb24", "5x3", "15", {{15, 0, 3}}},
  };
  for (const Case& c : cases) {
    std::string padded, dense;
    char next = 1;
    for (const auto& [row_bytes, padding, rows] : c.planes) {
      for (size_t y = 0; y < rows; ++y) {
        for (size_t x = 0; x < row_bytes; ++x) dense += next, padded += next++;
        padded.append(padding, '#');
      }
    }
    EXPECT_EQ(OneFrame(ReadStreamFormat(c.format, c.size, c.stride), padded), dense) << c.stride;
  }
  for (const char* stride : {"14", "x", "-16", "+16", " 16", "16 ", "16,16", "4000000000", ""}) {
    if (*stride == 0) continue;
    EXPECT_THROW(ReadStreamFormat("rgb24", "5x3", stride), InputError) << stride;
  }
  EXPECT_THROW(ReadStreamFormat("yuv420p", "10x4", "12,4"), InputError);
}

TEST(Streams, BlueFirst) {
  EXPECT_EQ(OneFrame(ReadStreamFormat("bgr24", "2x1"), "bgrBGR"), "rgbRGB");
  EXPECT_EQ(OneFrame(ReadStreamFormat("bgr24", "2x2", "8"), "bgrBGR##123456##"), "rgbRGB321654");
}

TEST(Streams, ASizeThatWouldBeIgnoredIsRefused) {
  EXPECT_THROW(ReadStreamFormat("y4m", "640x480"), InputError);
  EXPECT_THROW(ReadStreamFormat("y4m", "", "640"), InputError);
  for (const char* size : {"-6x4", "+6x4", " 6x4", "6x4 ", "6x", "6", "0x6", "6x4x4"}) {
    EXPECT_THROW(ReadStreamFormat("rgb24", size), InputError) << size;
  }
  EXPECT_EQ(ReadStreamFormat("rgb24", "010x08").width, 10u);
}

TEST(Streams, Y4mAndANewSizeInTheMiddle) {
  const std::string first = "YUV4MPEG2 W4 H2 F25:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n";
  const Piped pipe(first + "FRAME\n" + Fill(12, 3) + "FRAME Ixyz\n" + Fill(12, 50) +
                       "YUV4MPEG2 W3 H3 Cmono\nFRAME\n" + Fill(9, 9),
                   5);
  const auto source = OpenStream(pipe.descriptor(), ReadStreamFormat("y4m", ""));
  StopRequest stop;
  FrameBuffer frame;
  ASSERT_EQ(source->Next(&frame, stop), Took::kFrame);
  EXPECT_EQ(frame.format, OCTET_PIXELS_YUV420P);
  EXPECT_EQ(frame.width, 4u);
  ASSERT_EQ(source->Next(&frame, stop), Took::kFrame);
  EXPECT_EQ(std::string(frame.bytes.begin(), frame.bytes.end()), Fill(12, 50));
  ASSERT_EQ(source->Next(&frame, stop), Took::kFrame);
  EXPECT_EQ(frame.format, OCTET_PIXELS_GREY8);
  EXPECT_EQ(frame.height, 3u);
  EXPECT_EQ(source->Next(&frame, stop), Took::kEnd);
  EXPECT_EQ(source->note(), "");
}

// A header line is at most 1024 characters long.
TEST(Streams, LongHeaderLines) {
  for (const size_t length : {size_t{64}, size_t{1023}, size_t{1024}, size_t{1025}}) {
    for (const bool of_frame : {false, true}) {
      std::string head = "YUV4MPEG2 W3 H3 Cmono X", frame_head = "FRAME X";
      std::string& line = of_frame ? frame_head : head;
      line += std::string(length - line.size(), 'y');
      const Piped pipe(head + "\n" + frame_head + "\n" + Fill(9, 9));
      const auto source = OpenStream(pipe.descriptor(), {.y4m = true});
      EXPECT_EQ(Failure(*source) == "no failure", length <= 1024) << length << " " << of_frame;
    }
  }
}

// Grey at 0, half and 255 in full range, and the primary red of JPEG.
TEST(Streams, Y4mOfBothRanges) {
  const auto frame_of = [](const std::string& words, const std::string& bytes) {
    const Piped pipe("YUV4MPEG2 W2 H2 F25:1 " + words + "\nFRAME\n" + bytes);
    const auto source = OpenStream(pipe.descriptor(), {.y4m = true});
    StopRequest stop;
    FrameBuffer frame;
    EXPECT_EQ(source->Next(&frame, stop), Took::kFrame);
    return frame;
  };
  const std::string grey("\x00\x80\xff\x10\x80\x80", 6), red("\x4c\x4c\x4c\x4c\x55\xff", 6);
  for (const char* colour : {"C420jpeg", "C420", "C420mpeg2", ""}) {
    const std::string words = std::string(colour) + " XYSCSS=420JPEG XCOLORRANGE=FULL";
    const FrameBuffer full = frame_of(words, grey);
    EXPECT_EQ(full.format, OCTET_PIXELS_RGB24);
    EXPECT_EQ(full.bytes,
              (std::vector<uint8_t>{0, 0, 0, 128, 128, 128, 255, 255, 255, 16, 16, 16}));
    const FrameBuffer primary = frame_of(words, red);
    EXPECT_NEAR(primary.bytes[0], 254, 1);
    EXPECT_NEAR(primary.bytes[1], 0, 1);
    EXPECT_NEAR(primary.bytes[2], 0, 1);
    for (const char* range : {"", " XCOLORRANGE=LIMITED"}) {
      const FrameBuffer limited = frame_of(colour + std::string(range), grey);
      EXPECT_EQ(limited.format, OCTET_PIXELS_YUV420P);
      EXPECT_EQ(limited.bytes, std::vector<uint8_t>(grey.begin(), grey.end()));
    }
  }
  const std::string mono("\x10\x7e\xeb\x00", 4);
  for (const char* range : {"", " XCOLORRANGE=FULL"}) {
    EXPECT_EQ(frame_of("Cmono" + std::string(range), mono).bytes,
              std::vector<uint8_t>(mono.begin(), mono.end()));
  }
  EXPECT_EQ(frame_of("Cmono XCOLORRANGE=LIMITED", mono).bytes,
            (std::vector<uint8_t>{0, 128, 255, 0}));
}

TEST(Streams, GarbageIsNamed) {
  const auto failure = [](const std::string& bytes) {
    const Piped pipe(bytes);
    const auto source = OpenStream(pipe.descriptor(), ReadStreamFormat("y4m", ""));
    return Failure(*source);
  };
  EXPECT_NE(failure("GIF89a\n").find("not a YUV4MPEG2"), std::string::npos);
  EXPECT_NE(failure(std::string(100000, 'x')).find("not a YUV4MPEG2"), std::string::npos);
  EXPECT_NE(failure("YUV4MPEG2 W4 H2 C444\n").find("4:2:0"), std::string::npos);
  EXPECT_NE(failure("YUV4MPEG2 W0 H2\n").find("valid size"), std::string::npos);
  EXPECT_NE(failure("YUV4MPEG2 W99999999999999999999 H2\n").find("valid size"), std::string::npos);
  EXPECT_NE(failure("YUV4MPEG2 W2 H2\nFRAME\n123456FRANE\n").find("damaged"), std::string::npos);
}

TEST(Streams, StopEndsAWait) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto source = OpenStream(ends[0], ReadStreamFormat("rgb24", "2x2"));
  StopRequest stop;
  std::thread later([&] {
    SleepUntil(NowNs() + 20000000, stop);
    stop.Raise();
  });
  FrameBuffer frame;
  EXPECT_EQ(source->Next(&frame, stop), Took::kStopped);
  later.join();
  close(ends[0]);
  close(ends[1]);
}

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

TEST(Stream, LogLinesAreOfPlainCharacters) {
  const Piped pipe("YUV4MPEG2 W4 H2 C\x1b[31m" + std::string(500, '\xff') + "\nFRAME\n");
  const auto source = OpenStream(pipe.descriptor(), ReadStreamFormat("y4m", ""));
  const std::string line = Failure(*source);
  EXPECT_LT(line.size(), 200u);
  EXPECT_NE(line.find("colour space ?[31m??"), std::string::npos) << line;
}

TEST(Stop, SignalsRaiseTheOneThatObeysThem) {
  StopRequest other;
  {
    StopRequest stop;
    stop.ObeySignals();
    other.LeaveSignals();  // not its own
    EXPECT_EQ(WaitReadable(-1, stop, 0), Waited::kTimeout);
    raise(SIGTERM);
    EXPECT_TRUE(stop.raised());
    EXPECT_EQ(WaitReadable(-1, stop, 1000), Waited::kStopped);
  }
  EXPECT_FALSE(other.raised());
  struct sigaction action = {};
  sigaction(SIGTERM, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL) << "a request that is gone obeys no more";
  sigaction(SIGINT, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST(Stop, SleepsToItsTimeOrToTheStop) {
  StopRequest stop;
  for (const uint64_t ns : {300000u, 1000000u, 5500000u}) {
    const uint64_t until = NowNs() + ns;
    EXPECT_TRUE(SleepUntil(until, stop));
    EXPECT_GE(NowNs(), until);
  }
  EXPECT_TRUE(SleepUntil(0, stop));
  stop.Raise();
  EXPECT_FALSE(SleepUntil(0, stop));
  const uint64_t before = NowNs();
  EXPECT_FALSE(SleepUntil(before + 10000000000u, stop));
  EXPECT_LT(NowNs(), before + 5000000000u);
}

TEST(Mailbox, NewestFrameWins) {
  Mailbox mailbox;
  for (uint64_t number = 0; number < 5; ++number) {
    mailbox.back()->number = number;
    EXPECT_TRUE(mailbox.Publish(false));
  }
  EXPECT_EQ(mailbox.Take()->number, 4u);
  EXPECT_EQ(mailbox.dropped(), 4u);
  mailbox.back()->number = 7;
  EXPECT_TRUE(mailbox.Publish(false));
  mailbox.End("why");
  EXPECT_EQ(mailbox.Take()->number, 7u);
  EXPECT_EQ(mailbox.Take(), nullptr);
  EXPECT_EQ(mailbox.error(), "why");
  EXPECT_EQ(mailbox.published(), 6u);
  mailbox.back()->passed_over = 3;  // in a camera's queue
  EXPECT_TRUE(mailbox.Publish(false));
  EXPECT_EQ(mailbox.published(), 10u);
  EXPECT_EQ(mailbox.dropped(), 7u);
  mailbox.Leave();
  EXPECT_FALSE(mailbox.Publish(true));
}

// Neither side ever sees a frame that the other one writes.
TEST(Mailbox, TwoThreads) {
  for (const bool wait : {false, true}) {
    Mailbox mailbox;
    constexpr uint64_t kFrames = 20000;
    std::thread producer([&] {
      for (uint64_t number = 0; number < kFrames; ++number) {
        FrameBuffer* frame = mailbox.back();
        frame->number = number;
        frame->bytes.assign(16, static_cast<uint8_t>(number));
        mailbox.Publish(wait);
      }
      mailbox.End("");
    });
    uint64_t taken = 0, last = 0;
    while (const FrameBuffer* frame = mailbox.Take()) {
      EXPECT_TRUE(taken == 0 || frame->number > last);
      last = frame->number;
      ++taken;
      for (const uint8_t byte : frame->bytes) ASSERT_EQ(byte, static_cast<uint8_t>(last));
    }
    producer.join();
    EXPECT_EQ(last, kFrames - 1);
    EXPECT_EQ(taken + mailbox.dropped(), kFrames);
    if (wait) {
      EXPECT_EQ(taken, kFrames);
    }
  }
}

}  // namespace
}  // namespace octet::port
