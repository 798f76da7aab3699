// Raw frames and YUV4MPEG2 (https://linux.die.net/man/5/yuv4mpeg) from a pipe.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "ports/linux/capture/source.h"
#include "ports/linux/file.h"
#include "ports/linux/model.h"
#include "ports/linux/words/numbers.h"

namespace octet::port {
namespace {

constexpr size_t kLongestLine = 1024;
constexpr int kStallMs = 5000;
constexpr const char* kMagic = "YUV4MPEG2 ";
constexpr const char* kFrame = "FRAME";
constexpr const char* kRange = "XCOLORRANGE=";

// Bytes of a stream as they may stand in a log line: short, and of plain characters.
std::string Quoted(const std::string& text) {
  constexpr size_t kMost = 80;
  std::string plain = text.substr(0, kMost);
  for (char& c : plain) {
    if (c < ' ' || c > '~') c = '?';
  }
  return plain;
}

// act(bytes from row to row as they come, bytes of a dense row, rows) of each plane.
template <typename Act>
void EachPlane(const StreamFormat& format, Act act) {
  FrameBuffer dense;
  dense.Resize(format.pixels, format.width, format.height);
  const octet_frame view = dense.View();
  for (uint32_t i = 0; i < 3 && view.planes[i] != nullptr; ++i) {
    const uint32_t stride = i == 0 ? format.stride : format.other_stride;
    act(size_t{stride}, view.strides[i], i == 0 ? format.height : (format.height + 1) / 2);
  }
}

// FIRST or FIRST,OTHERS: of planes of half the width half of the first, where it is not given.
void ReadStride(const std::string& typed, StreamFormat* format) {
  const bool has_planes =
      format->pixels == OCTET_PIXELS_YUV420P || format->pixels == OCTET_PIXELS_NV12;
  bool good = ReadNumbers(typed, ',', {&format->stride});
  if (good) {
    format->other_stride =
        format->pixels == OCTET_PIXELS_YUV420P ? format->stride / 2 : format->stride;
  } else {
    good = has_planes && ReadNumbers(typed, ',', {&format->stride, &format->other_stride});
  }
  constexpr uint32_t kMostBytes = 1u << 20;
  if (!good || format->stride > kMostBytes || format->other_stride > kMostBytes) {
    throw InputError("--stride " + typed + ": not a number of bytes; write it as 704" +
                     (has_planes ? ", or 704,352 where the planes differ" : ""));
  }
  size_t least[2] = {0, 0};
  bool first = true;
  EachPlane(*format, [&](size_t, size_t row_bytes, size_t) {
    least[first ? 0 : 1] = row_bytes;
    first = false;
  });
  if (format->stride < least[0] || format->other_stride < least[1]) {
    throw InputError("--stride " + typed + ": shorter than a row, which has " +
                     std::to_string(least[0]) + (has_planes ? "," + std::to_string(least[1]) : "") +
                     " bytes; check --size and --format");
  }
}

class StreamSource : public Source {
 public:
  StreamSource(int descriptor, const StreamFormat& format, const std::string& name, StreamWait wait)
      : descriptor_(descriptor), format_(format), name_(name), wait_(std::move(wait)) {
    if (format_.stride == 0) return;
    EachPlane(format_, [this](size_t stride, size_t, size_t rows) {
      padded_.resize(padded_.size() + stride * rows);
    });
  }

  Took Next(FrameBuffer* frame, const StopRequest& stop) override {
    if (format_.y4m) {
      const Took took = ReadHeaders(stop);
      if (took != Took::kFrame) return took;
    }
    frame->Resize(format_.pixels, format_.width, format_.height);
    size_t done = 0;
    std::vector<uint8_t>& bytes = format_.stride == 0 ? frame->bytes : padded_;
    const Took took = Fill(bytes.data(), bytes.size(), &done, stop);
    if (took == Took::kEnd && done != 0) {
      note_ = name_ + ": ended inside frame " + std::to_string(frames_) + ": " +
              std::to_string(done) + " of " + std::to_string(bytes.size()) + " bytes dropped";
      // All bytes are valid raw frames, so only the end can show a wrong size.
      note_ += format_.y4m ? "; the sender was cut off, start it again"
                           : "; the stream was cut, or --size, --stride or --format is wrong";
    }
    if (took == Took::kFrame) {
      ++frames_;
      if (format_.stride != 0) TakeRows(frame);
      if (format_.is_bgr) SwapRedAndBlue(frame);
      MeetRange(frame);
    }
    return took;
  }

  std::string note() const override { return note_; }

 private:
  // The stream's header, where it is new or comes again (another stream behind the first), and the
  // frame's.
  Took ReadHeaders(const StopRequest& stop) {
    for (;;) {
      const Took took = ReadLine(stop);
      if (took != Took::kFrame) return took;
      if (line_.rfind(kMagic, 0) == 0) {
        ParseHeader();
      } else if (format_.width != 0 && line_.rfind(kFrame, 0) == 0) {
        return Took::kFrame;
      } else {
        RefuseHeader();
      }
    }
  }

  [[noreturn]] void RefuseHeader() const {
    throw InputError(
        name_ +
        (format_.width == 0
             ? ": not a YUV4MPEG2 stream; pipe one, or give --format and --size"
             : ": a frame header of the YUV4MPEG2 stream is missing; the stream is damaged"));
  }

  void ParseHeader() {
    uint64_t width = 0, height = 0;
    std::string colour = "420jpeg", range;
    for (size_t at = std::strlen(kMagic); at < line_.size();) {
      const size_t end = std::min(line_.find(' ', at), line_.size());
      const std::string word = line_.substr(at, end - at);
      at = end + 1;
      if (word.empty()) continue;
      if (word[0] == 'W') width = Number(word);
      if (word[0] == 'H') height = Number(word);
      if (word[0] == 'C') colour = word.substr(1);
      if (word.rfind(kRange, 0) == 0) range = word.substr(std::strlen(kRange));
    }
    if (!range.empty() && range != "FULL" && range != "LIMITED") {
      throw InputError(name_ + ": YUV4MPEG2 with colour range " + Quoted(range) +
                       "; convert it to limited range (ffmpeg -color_range tv)");
    }
    if (colour == "mono") {
      format_.pixels = OCTET_PIXELS_GREY8;
    } else if (colour == "420" || colour == "420jpeg" || colour == "420paldv" ||
               colour == "420mpeg2") {
      format_.pixels = OCTET_PIXELS_YUV420P;
    } else {
      throw InputError(name_ + ": YUV4MPEG2 with colour space " + Quoted(colour) +
                       "; convert it to 4:2:0 with 8 bits (ffmpeg -pix_fmt yuv420p)");
    }
    if (width > UINT32_MAX || height > UINT32_MAX ||
        FrameBytes(format_.pixels, static_cast<uint32_t>(width), static_cast<uint32_t>(height)) ==
            0) {
      throw InputError(name_ + ": YUV4MPEG2 header " + Quoted(line_) +
                       " has no valid size; send one with W and H");
    }
    format_.width = static_cast<uint32_t>(width);
    format_.height = static_cast<uint32_t>(height);
    range_ = range;
  }

  void TakeRows(FrameBuffer* frame) const {
    const uint8_t* from = padded_.data();
    uint8_t* to = frame->bytes.data();
    EachPlane(format_, [&](size_t stride, size_t row_bytes, size_t rows) {
      for (size_t y = 0; y < rows; ++y, from += stride, to += row_bytes) {
        std::memcpy(to, from, row_bytes);
      }
    });
  }

  static void SwapRedAndBlue(FrameBuffer* frame) {
    for (size_t i = 0; i + 2 < frame->bytes.size(); i += 3) {
      std::swap(frame->bytes[i], frame->bytes[i + 2]);
    }
  }

  // The model takes YUV frames in limited range (16 to 235) and grey frames in full range. Frames
  // of the other range, by the stream's header, are converted.
  void MeetRange(FrameBuffer* frame) {
    if (frame->format == OCTET_PIXELS_YUV420P && range_ == "FULL") {
      full_.bytes.swap(frame->bytes);
      full_.format = frame->format, full_.width = frame->width, full_.height = frame->height;
      FullRangeToRgb(full_, frame);
    } else if (frame->format == OCTET_PIXELS_GREY8 && range_ == "LIMITED") {
      for (uint8_t& value : frame->bytes) {
        value = static_cast<uint8_t>(std::clamp((2 * (value - 16) * 255 + 219) / 438, 0, 255));
      }
    }
  }

  static uint64_t Number(const std::string& word) {
    uint64_t value = 0;
    for (size_t i = 1; i < word.size(); ++i) {
      if (word[i] < '0' || word[i] > '9' || value > UINT32_MAX) return 0;
      value = value * 10 + static_cast<uint64_t>(word[i] - '0');
    }
    return value;
  }

  Took ReadLine(const StopRequest& stop) {
    line_.clear();
    for (;;) {
      char c = 0;
      size_t done = 0;
      const Took took = Fill(reinterpret_cast<uint8_t*>(&c), 1, &done, stop);
      if (took == Took::kEnd && !line_.empty()) {
        note_ = name_ + ": ended inside a header line; the sender was cut off, start it again";
      }
      if (took != Took::kFrame) return took;
      if (c == '\n') return Took::kFrame;
      line_ += c;
      if (line_.size() > kLongestLine) {
        RefuseHeader();
      }
    }
  }

  // kFrame: all bytes were read.
  Took Fill(uint8_t* to, size_t bytes, size_t* done, const StopRequest& stop) {
    while (*done < bytes) {
      if (next_ == end_) {
        const Took took = Refill(to + *done, bytes - *done, done, stop);
        if (took != Took::kFrame) return took;
        continue;
      }
      const size_t count = std::min(bytes - *done, end_ - next_);
      std::memcpy(to + *done, buffer_ + next_, count);
      next_ += count;
      *done += count;
    }
    return Took::kFrame;
  }

  // Large remainders are read into their place, small ones through the buffer.
  Took Refill(uint8_t* to, size_t wanted, size_t* done, const StopRequest& stop) {
    for (;;) {
      const Waited waited = wait_(descriptor_, stop);
      if (waited == Waited::kStopped) return Took::kStopped;
      if (waited == Waited::kTimeout) return Took::kEnd;
      const bool direct = wanted >= sizeof(buffer_);
      const ssize_t count =
          direct ? read(descriptor_, to, wanted) : read(descriptor_, buffer_, sizeof(buffer_));
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count < 0) {
        throw InputError(name_ + ": " + ErrorText(errno));
      }
      if (count == 0) return Took::kEnd;
      if (direct) {
        *done += static_cast<size_t>(count);
      } else {
        next_ = 0;
        end_ = static_cast<size_t>(count);
      }
      return Took::kFrame;
    }
  }

  int descriptor_;
  StreamFormat format_;
  std::string line_, note_, range_;  // range_: as the header of YUV4MPEG2 says it
  std::vector<uint8_t> padded_;      // a frame as it comes, where its rows are padded
  FrameBuffer full_;                 // a frame of full range
  uint64_t frames_ = 0;              // that came whole
  const std::string name_;
  const StreamWait wait_;
  uint8_t buffer_[4096];
  size_t next_ = 0, end_ = 0;
};

}  // namespace

StreamFormat ReadStreamFormat(const std::string& format, const std::string& size,
                              const std::string& stride) {
  StreamFormat stream;
  if (format == "y4m") {
    const bool has_size = !size.empty();
    if (has_size || !stride.empty()) {
      throw InputError(std::string(has_size ? "--size" : "--stride") +
                       ": a YUV4MPEG2 stream has its own size; remove it, or give --format of raw "
                       "frames");
    }
    stream.y4m = true;
    return stream;
  }
  static constexpr std::pair<const char*, octet_pixel_format> kWords[] = {
      {"rgb24", OCTET_PIXELS_RGB24},     {"bgr24", OCTET_PIXELS_RGB24},
      {"grey8", OCTET_PIXELS_GREY8},     {"nv12", OCTET_PIXELS_NV12},
      {"yuv420p", OCTET_PIXELS_YUV420P}, {"i420", OCTET_PIXELS_YUV420P},
      {"yuyv", OCTET_PIXELS_YUYV},       {"yuy2", OCTET_PIXELS_YUYV},
  };
  const auto* word = std::find_if(std::begin(kWords), std::end(kWords),
                                  [&](const auto& entry) { return format == entry.first; });
  if (word == std::end(kWords)) {
    throw InputError("--format " + format +
                     ": unknown format; known: rgb24, bgr24, grey8, nv12, yuv420p, yuyv and y4m");
  }
  stream.pixels = word->second;
  stream.is_bgr = format == "bgr24";
  if (!ReadNumbers(size, 'x', {&stream.width, &stream.height}) ||
      FrameBytes(stream.pixels, stream.width, stream.height) == 0) {
    throw InputError((size.empty() ? "no --size given" : "--size " + size) +
                     ": raw frames need their size; give it as --size 1280x720");
  }
  if (!stride.empty()) ReadStride(stride, &stream);
  return stream;
}

std::unique_ptr<Source> OpenStream(int descriptor, const StreamFormat& format,
                                   const std::string& name, StreamWait wait) {
  return std::make_unique<StreamSource>(descriptor, format, name, std::move(wait));
}

std::unique_ptr<Source> OpenStream(int descriptor, const StreamFormat& format) {
  return OpenStream(
      descriptor, format, "stdin",
      [stalled = false](int of_stdin, const StopRequest& stop) mutable {
        for (;;) {
          const Waited waited = WaitReadable(of_stdin, stop, kStallMs);
          if (waited == Waited::kReady && stalled) {
            std::fprintf(stderr, "octet-camera: stdin: data is back\n");
          }
          if (waited != Waited::kTimeout) {
            stalled = false;
            return waited;
          }
          if (!stalled) {
            std::fprintf(stderr,
                         "octet-camera: stdin: no data for 5 s; waiting; check that its sender "
                         "runs\n");
          }
          stalled = true;
        }
      });
}

Pace::Pace(double frames_per_second)
    : period_ns_(frames_per_second > 0 ? static_cast<uint64_t>(1e9 / frames_per_second) : 0) {}

bool Pace::Wait(const StopRequest& stop) {
  const uint64_t now = NowNs();
  if (period_ns_ == 0) return !stop.raised();
  if (next_ns_ == 0) next_ns_ = now;
  // Late by more than one period: these frames are skipped.
  if (now > next_ns_ + period_ns_) next_ns_ = now - (now - next_ns_) % period_ns_;
  const bool go_on = SleepUntil(next_ns_, stop);
  next_ns_ += period_ns_;
  return go_on;
}

}  // namespace octet::port
