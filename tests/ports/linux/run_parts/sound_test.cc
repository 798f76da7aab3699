// Which WAV files are read, which windows a sound has, and how a stream may end.
#include "ports/linux/run/sound.h"

#include <fcntl.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "ports/linux/run/sound_lines.h"
#include "tests/ports/linux/run_parts/parts.h"

namespace octet::test {
namespace {

using port::Sound;
using port::SoundOptions;
using port::Wav;

std::string Little(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
  return text;
}

std::string Chunk(const std::string& name, const std::string& bytes) {
  return name + Little(bytes.size(), 4) + bytes + std::string(bytes.size() % 2, 0);
}

struct Format {
  uint64_t format = 1, channels = 1, rate = 8000, bits = 16;
};
std::string FormatChunk(const Format& f) {
  return Chunk("fmt ", Little(f.format, 2) + Little(f.channels, 2) + Little(f.rate, 4) +
                           Little(f.rate * f.channels * f.bits / 8, 4) +
                           Little(f.channels * f.bits / 8, 2) + Little(f.bits, 2));
}

std::string Samples(int count, int first = 1) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += Little(static_cast<uint16_t>((first + i) * 256), 2);
  return bytes;
}

std::string Riff(const std::string& chunks) {
  return "RIFF" + Little(chunks.size() + 4, 4) + "WAVE" + chunks;
}

Wav Parse(const std::string& bytes) {
  return port::ParseWav(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

TEST(WavFile, TakesSamplesOfOneChannel) {
  const std::string extensible =
      Chunk("fmt ", Little(0xFFFE, 2) + Little(1, 2) + Little(16000, 4) + Little(32000, 4) +
                        Little(2, 2) + Little(16, 2) + Little(22, 2) + Little(16, 2) +
                        Little(4, 4) + Little(1, 2) + std::string(14, 'g'));
  const struct {
    std::string bytes;
    uint64_t count;
    uint32_t rate;
  } files[] = {
      {Riff(FormatChunk({}) + Chunk("data", Samples(5))), 5, 8000},
      {Riff(Chunk("LIST", "abc") + FormatChunk({}) + Chunk("fact", "1234") +
            Chunk("data", Samples(3)) + Chunk("more", "x")),
       3, 8000},
      {Riff(extensible + Chunk("data", Samples(4))), 4, 16000},
      {Riff(FormatChunk({}) + Chunk("data", Samples(2) + "h")), 2, 8000},  // half a sample
  };
  for (const auto& file : files) {
    const Wav wav = Parse(file.bytes);
    EXPECT_EQ(wav.why, "");
    EXPECT_EQ(wav.count, file.count);
    EXPECT_EQ(wav.rate, file.rate);
    EXPECT_EQ(wav.samples[1], 1);
  }
}

TEST(WavFile, RefusesWhatItCannotRead) {
  const std::string data = Chunk("data", Samples(5));
  const struct {
    std::string bytes, why;
  } files[] = {
      {"", "it is not a WAV file"},
      {"RIFF", "it is not a WAV file"},
      {"RIFX" + Riff(FormatChunk({}) + data).substr(4), "it is not a WAV file"},
      {"RF64" + Riff(FormatChunk({}) + data).substr(4), "it is not a WAV file"},
      {"fLaC" + std::string(60, 0), "it is not a WAV file"},
      {Riff(""), "it has no format before its samples"},
      {Riff(data + FormatChunk({})), "it has no format before its samples"},
      {Riff(FormatChunk({})), "it has no samples"},
      {Riff(FormatChunk({}) + Chunk("data", "")), "it has no samples"},
      {Riff(FormatChunk({}) + Chunk("data", "x")), "it has no samples"},
      {Riff(Chunk("fmt ", "12") + data), "its format has 2 bytes, at least 16"},
      {Riff(FormatChunk({.format = 3, .bits = 32}) + data), "its samples are not PCM (format 3)"},
      {Riff(FormatChunk({.channels = 2}) + data), "it has 2 channels"},
      {Riff(FormatChunk({.channels = 0}) + data), "it has 0 channels"},
      {Riff(FormatChunk({.bits = 24}) + data), "its samples have 24 bits"},
      {Riff(FormatChunk({.rate = 0}) + data), "its rate is 0 Hz"},
      {Riff(FormatChunk({.rate = 0xFFFFFFFF}) + data), "its rate is 4294967295 Hz"},
      // As a program writes it that does not know the length.
      {Riff(FormatChunk({})) + "data" + Little(0xFFFFFFFF, 4) + Samples(5),
       "a part of it is missing: a chunk has 4294967295 bytes, 10 are there"},
      {Riff("junk" + Little(0xFFFFFFFE, 4)), "a part of it is missing: a chunk has 4294967294"},
  };
  for (const auto& file : files) {
    const Wav wav = Parse(file.bytes);
    EXPECT_EQ(wav.why.rfind(file.why, 0), 0u) << wav.why << "; wanted: " << file.why;
    EXPECT_EQ(wav.why.find('\n'), std::string::npos);
  }
}

// Each file cut after each byte: whole, refused, but never read beyond its end (sanitizers).
TEST(WavFile, EndsAnywhere) {
  const std::string whole =
      Riff(Chunk("LIST", "abc") + FormatChunk({}) + Chunk("data", Samples(3)));
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::vector<uint8_t> part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_NE(port::ParseWav(part.data(), part.size()).why, "") << size;
  }
}

class Sounds : public RunParts {
 protected:
  // One input of four numbers, given back in steps of 2^-7.
  std::unique_ptr<port::Model> Echo(uint32_t inputs = 1) const {
    using namespace blob;
    BlobBuilder b;
    std::vector<int8_t> same(256);
    for (int q = -128; q < 128; ++q) same[static_cast<size_t>(q + 128)] = static_cast<int8_t>(q);
    for (uint32_t i = 0; i < inputs; ++i) {
      const std::string number = std::to_string(i);
      const uint32_t x = b.AddInput("x" + number, {1, 4, 1, 1}, ElementType::kInt8, 0.0078125f, 0);
      const uint32_t y = b.AddTensor({1, 4, 1, 1}, ElementType::kInt8, 0.0078125f, 0);
      b.AddLayer(Op::kUnary, {x}, y, "same" + number).table = b.AddTable(same);
      b.AddOutput("y" + number, y);
    }
    return Open(b.Build());
  }

  // What the windows are, in 128ths.
  static std::vector<std::vector<int>> Windows(Sound& sound, const port::Model& model) {
    std::vector<std::vector<int>> windows;
    while (sound.Next()) {
      sound.Set(model.session());
      octet_run(model.session());
      std::vector<float> values(4);
      octet_get_output(model.session(), 0, values.data(), values.size());
      windows.emplace_back();
      for (const float v : values) windows.back().push_back(static_cast<int>(v * 128));
    }
    return windows;
  }

  std::string Refusal(const std::string& path, const port::Model& model,
                      const SoundOptions& options = {}) const {
    try {
      Sound sound(path, model, options);
      while (sound.Next()) {
      }
    } catch (const port::InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "read";
  }
};

TEST_F(Sounds, WindowsEndWithTheLatestSample) {
  const auto model = Echo();
  const std::string path = Write("s.wav", Riff(FormatChunk({}) + Chunk("data", Samples(6))));
  Sound whole(path, *model, {});
  EXPECT_EQ(whole.window_count(), 2u);
  EXPECT_EQ(Windows(whole, *model), (std::vector<std::vector<int>>{{1, 2, 3, 4}, {5, 6, 0, 0}}));
  EXPECT_EQ(whole.missing(), 2u);
  EXPECT_DOUBLE_EQ(whole.end_s(), 0.001);

  Sound hops(path, *model, {.rate = 8000, .hop = 3});
  EXPECT_EQ(hops.window_count(), 2u);
  EXPECT_EQ(Windows(hops, *model), (std::vector<std::vector<int>>{{0, 1, 2, 3}, {3, 4, 5, 6}}));
  EXPECT_EQ(hops.missing(), 0u);
}

TEST_F(Sounds, RefusalsHaveTheCommandThatHelps) {
  const auto model = Echo(), two = Echo(2);
  const std::string good = Write("s.wav", Riff(FormatChunk({}) + Chunk("data", Samples(6))));
  const std::string stereo =
      Write("a b.wav", Riff(FormatChunk({.channels = 2}) + Chunk("data", Samples(6))));
  const struct {
    std::string line, wanted;
  } refusals[] = {
      {Refusal(good, *model, {.rate = 16000}), "its rate is 8000 Hz; convert it: ffmpeg -i " +
                                                   good +
                                                   " -ac 1 -ar 16000 -c:a pcm_s16le s.mono.wav"},
      {Refusal(stereo, *model), "it has 2 channels; convert it: ffmpeg -i '" + stereo +
                                    "' -ac 1 -ar 8000 -c:a pcm_s16le 'a b.mono.wav'"},
      {Refusal(Write("s.flac", "fLaC"), *model), "it is not a WAV file; convert it: ffmpeg -i "},
      {Refusal(good, *model, {.hop = 5}), "--hop 5: the model's window has 4 samples"},
      {Refusal(good, *two), "a sound is one input, and the model has 2"},
      {Refusal(Path("none.wav"), *model), "none.wav"},
  };
  for (const auto& refusal : refusals) {
    EXPECT_NE(refusal.line.find(refusal.wanted), std::string::npos)
        << refusal.line << "\nwanted: " << refusal.wanted;
  }
}

// stdin of this process becomes what a test gives.
class Streams : public Sounds {
 protected:
  void SetUp() override {
    Sounds::SetUp();
    kept_ = dup(STDIN_FILENO);
  }
  void TearDown() override {
    if (kept_ >= 0) {
      dup2(kept_, STDIN_FILENO);
      close(kept_);
    }
    Sounds::TearDown();
  }
  static void BecomeStdin(int file) {
    ASSERT_GE(dup2(file, STDIN_FILENO), 0);
    close(file);
  }
  // Bytes that come in parts, from another thread.
  static std::thread Slowly(const std::string& bytes, size_t part, int flags = 0) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    if (flags != 0) fcntl(ends[0], F_SETFL, flags);
    BecomeStdin(ends[0]);
    return std::thread([bytes, part, file = ends[1]] {
      for (size_t at = 0; at < bytes.size(); at += part) {
        const std::string now = bytes.substr(at, part);
        EXPECT_EQ(write(file, now.data(), now.size()), static_cast<ssize_t>(now.size()));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      close(file);
    });
  }

  int kept_ = -1;
};

TEST_F(Streams, SlowPipesGiveWholeWindows) {
  const auto model = Echo();
  for (const int flags : {0, O_NONBLOCK}) {
    std::thread writer = Slowly(Samples(8), 3, flags);
    Sound sound("-", *model, {});
    EXPECT_EQ(sound.window_count(), std::nullopt);
    EXPECT_EQ(Windows(sound, *model), (std::vector<std::vector<int>>{{1, 2, 3, 4}, {5, 6, 7, 8}}));
    EXPECT_DOUBLE_EQ(sound.end_s(), 8.0 / 16000);
    writer.join();
  }
}

// In the middle of a window and of a sample.
TEST_F(Streams, TheEndMayComeAnywhere) {
  const auto model = Echo();
  std::thread writer = Slowly(Samples(5) + "h", 4);
  Sound sound("-", *model, {});
  EXPECT_EQ(Windows(sound, *model), (std::vector<std::vector<int>>{{1, 2, 3, 4}, {5, 0, 0, 0}}));
  EXPECT_EQ(sound.missing(), 3u);
  EXPECT_FALSE(sound.Next());
  writer.join();
}

TEST_F(Streams, ReadsThatFailAreNamed) {
  const auto model = Echo();
  Slowly("", 1).join();
  EXPECT_EQ(Refusal("-", *model), "stdin: no samples; is the program before it running?");
  BecomeStdin(open(folder_.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(Refusal("-", *model).rfind("stdin: Is a directory; give it 16-bit samples: arecord", 0),
            0u);
  BecomeStdin(open(Write("w", "").c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(Refusal("-", *model, {.rate = 8000}).rfind("stdin: Bad file descriptor; give it", 0),
            0u);
}

TEST_F(Streams, LinesSayWhatCameOut) {
  const auto model = Echo();
  const std::string path = Write("s.wav", Riff(FormatChunk({}) + Chunk("data", Samples(1))));
  Sound sound(path, *model, {.hop = 2});
  ASSERT_TRUE(sound.Next());
  port::SoundLines lines(*model);
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const int kept = dup(STDOUT_FILENO);
  fflush(stdout);
  dup2(ends[1], STDOUT_FILENO);
  lines.Print(sound, {{0.5f, -INFINITY}});
  signal(SIGPIPE, SIG_IGN);
  close(ends[1]);
  std::string line(200, 0);
  line.resize(static_cast<size_t>(read(ends[0], line.data(), line.size())));
  close(ends[0]);
  std::string error;
  try {
    lines.Print(sound, {{0.5f}});
  } catch (const port::InputError& gone) {
    error = gone.what();
  }
  dup2(kept, STDOUT_FILENO);
  close(kept);
  EXPECT_EQ(line,
            "{\"window\":0,\"end_s\":0.00025,\"missing\":1,\"outputs\":{\"y0\":[0.5,null]}}\n");
  EXPECT_EQ(error, "stdout: nothing reads the results; keep the reader open, or use a file");
}

}  // namespace
}  // namespace octet::test
