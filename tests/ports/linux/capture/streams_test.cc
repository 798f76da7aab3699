// Frames of a stream: raw and Y4M, in pieces, damaged, stopped.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ports/linux/capture/source.h"
#include "ports/linux/model.h"
#include "tests/ports/linux/capture/failure.h"

namespace octet::port {
namespace {

using test::Failure;
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

TEST(Stream, LogLinesAreOfPlainCharacters) {
  const Piped pipe("YUV4MPEG2 W4 H2 C\x1b[31m" + std::string(500, '\xff') + "\nFRAME\n");
  const auto source = OpenStream(pipe.descriptor(), ReadStreamFormat("y4m", ""));
  const std::string line = Failure(*source);
  EXPECT_LT(line.size(), 200u);
  EXPECT_NE(line.find("colour space ?[31m??"), std::string::npos) << line;
}

}  // namespace
}  // namespace octet::port
