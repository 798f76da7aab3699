#include "ports/linux/tracks/mot.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "ports/linux/file.h"

namespace octet::port {
namespace {

constexpr double kMostFrames = 10'000'000;  // four days at 30 a second
constexpr size_t kMostNumbers = 10;
constexpr double kMostSeconds = 1e9;

// Numbers with commas between; -1: it is something else.
int ReadNumbersOf(std::string_view line, double (&numbers)[kMostNumbers]) {
  size_t count = 0;
  const char *at = line.data(), *const end = at + line.size();
  for (;;) {
    while (at != end && *at == ' ') ++at;
    if (count == kMostNumbers) return -1;
    const auto [next, error] = std::from_chars(at, end, numbers[count]);
    if (error != std::errc() || !std::isfinite(numbers[count])) return -1;
    ++count;
    at = next;
    while (at != end && *at == ' ') ++at;
    if (at == end) return static_cast<int>(count);
    if (*at++ != ',') return -1;
  }
}

// 256 a pixel, within what the tracker takes.
int32_t Fixed(double pixels) {
  constexpr double kMost = 1 << 24;
  return static_cast<int32_t>(std::lround(std::clamp(pixels * 256, -kMost, kMost)));
}

octet_box BoxOfNumbers(const double* n, int count) {
  const double label = count > 7 && n[7] > 0 ? std::min(n[7], 4294967295.0) : 0;
  return {Fixed(n[2]),
          Fixed(n[3]),
          Fixed(n[2] + n[4]),
          Fixed(n[3] + n[5]),
          static_cast<uint32_t>(std::lround(std::clamp(n[6], 0.0, 1.0) * OCTET_TRACKS_ONE)),
          static_cast<uint32_t>(label)};
}

}  // namespace

std::vector<std::vector<octet_box>> ReadMotBoxes(const std::string& path) {
  const MappedFile file(path);
  std::string_view text(reinterpret_cast<const char*>(file.data()), file.bytes());
  std::vector<std::vector<octet_box>> frames;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    double numbers[kMostNumbers] = {};
    const int count = ReadNumbersOf(line, numbers);
    const double frame = numbers[0];
    if (count < 7 || frame < 1 || frame > kMostFrames || frame != std::floor(frame)) {
      throw InputError(path + ":" + std::to_string(number) +
                       ": expected frame,id,x,y,w,h,score,class,visible with frames from 1; "
                       "write such a line");
    }
    if (frames.size() < frame) frames.resize(static_cast<size_t>(frame));
    frames[static_cast<size_t>(frame) - 1].push_back(BoxOfNumbers(numbers, count));
  }
  return frames;
}

std::vector<uint64_t> ReadTimesUs(const std::string& path) {
  const MappedFile file(path);
  const nlohmann::json json =
      nlohmann::json::parse(file.data(), file.data() + file.bytes(), nullptr, false);
  if (!json.is_object() || !json.contains("times") || !json["times"].is_array()) {
    throw InputError(path + ": expected a JSON object with `times`, a list of seconds");
  }
  std::vector<uint64_t> times_us;
  double before = 0;
  for (const nlohmann::json& time : json["times"]) {
    const double seconds = time.is_number() ? time.get<double>() : -1;
    if (!(seconds >= before) || seconds > kMostSeconds) {
      throw InputError(path + ": times[" + std::to_string(times_us.size()) +
                       "] is not a time in seconds, or below the one before; write rising times");
    }
    before = seconds;
    times_us.push_back(static_cast<uint64_t>(std::llround(seconds * 1e6)));
  }
  return times_us;
}

void MotFile::Add(uint64_t frame, const std::vector<octet_track>& tracks) {
  for (const octet_track& track : tracks) {
    if (track.state != OCTET_TRACK_SEEN) continue;
    char line[160];
    // Numbers with 8 bits after the point: exact in double, so the text is the same everywhere.
    const int bytes = std::snprintf(
        line, sizeof(line), "%" PRIu64 ",%" PRIu64 ",%.2f,%.2f,%.2f,%.2f,%.4f,%u,-1\n", frame,
        track.id, track.x0 / 256.0, track.y0 / 256.0, (track.x1 - track.x0) / 256.0,
        (track.y1 - track.y0) / 256.0, track.score / 65536.0, track.label);
    file_.Write(line, static_cast<size_t>(bytes));
  }
}

}  // namespace octet::port
