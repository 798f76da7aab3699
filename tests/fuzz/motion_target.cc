// Pictures of any format, times, polygons and damaged copies of the motion gate, and the mask. The
// input is a stream of numbers, as of the target `tracks`.
#include <algorithm>
#include <cstring>
#include <vector>

#include "octet/motion.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 4096;

std::vector<Input> Seeds() {
  std::vector<Input> seeds;
  for (uint32_t format = 0; format < 5; ++format) {
    Input seed = {static_cast<uint8_t>(format), 24, 30, 0, 1, 3};
    for (uint32_t i = 0; i < 300; ++i) seed.push_back(static_cast<uint8_t>(i * (5 + format) % 253));
    seeds.push_back(seed);
  }
  return seeds;
}

namespace {

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  uint8_t Byte() { return empty() ? 0 : data_[at_++]; }
  uint32_t Word() {
    uint32_t word = 0;
    for (uint32_t i = 0; i < 4; ++i) word = word << 8 | Byte();
    return word;
  }
  // A share of the picture: mostly within it.
  int32_t Share() {
    const uint8_t kind = Byte();
    return kind < 224 ? kind * 293 : static_cast<int32_t>(Word());
  }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

struct Polygons {
  std::vector<std::vector<octet_zone_point>> points;
  std::vector<octet_polygon> views;
};

Polygons ReadPolygons(Bytes* bytes) {
  Polygons made;
  made.points.resize(bytes->Byte() % 4);
  for (auto& points : made.points) {
    points.resize(2 + bytes->Byte() % 5);
    for (octet_zone_point& point : points) point = {bytes->Share(), bytes->Share()};
    made.views.push_back({points.data(), static_cast<uint32_t>(points.size())});
  }
  return made;
}

// A picture with guard bytes behind each plane.
class Picture {
 public:
  Picture(octet_pixel_format format, uint32_t width, uint32_t height) {
    frame_.format = format;
    frame_.width = width;
    frame_.height = height;
    const uint32_t half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    const auto add = [&](size_t stride, uint32_t rows) {
      planes_.emplace_back(stride * rows + kGuard, kPoison);
      frame_.strides[planes_.size() - 1] = stride;
    };
    add(format == OCTET_PIXELS_RGB24  ? size_t{width} * 3
        : format == OCTET_PIXELS_YUYV ? size_t{half_width} * 4
                                      : width,
        height);
    if (format == OCTET_PIXELS_NV12) add(size_t{half_width} * 2, half_height);
    if (format == OCTET_PIXELS_YUV420P) add(half_width, half_height), add(half_width, half_height);
    for (size_t p = 0; p < planes_.size(); ++p) frame_.planes[p] = planes_[p].data();
  }
  const octet_frame& frame() const { return frame_; }
  // A level, a slope and a square of another level.
  void Paint(Bytes* bytes) {
    const uint8_t level = bytes->Byte(), slope = bytes->Byte(), other = bytes->Byte();
    const size_t begin = bytes->Byte() * 8u, length = bytes->Byte();
    for (auto& plane : planes_) {
      const size_t size = plane.size() - kGuard;
      for (size_t i = 0; i < size; ++i) plane[i] = static_cast<uint8_t>(level + (i * slope >> 6));
      for (size_t i = begin; i < std::min(begin + length, size); ++i) plane[i] = other;
    }
  }
  void CheckGuards() const {
    for (const auto& plane : planes_) {
      FUZZ_CHECK(
          std::all_of(plane.end() - kGuard, plane.end(), [](uint8_t b) { return b == kPoison; }));
    }
  }

 private:
  static constexpr uint8_t kPoison = 0xa5;
  static constexpr ptrdiff_t kGuard = 64;
  octet_frame frame_;
  std::vector<std::vector<uint8_t>> planes_;
};

void CheckAnswer(const octet_motion_answer& a) {
  FUZZ_CHECK(a.reason <= OCTET_MOTION_HIDDEN && a.changed <= 65536);
  FUZZ_CHECK(a.x0 >= 0 && a.x0 <= a.x1 && a.x1 <= 65536);
  FUZZ_CHECK(a.y0 >= 0 && a.y0 <= a.y1 && a.y1 <= 65536);
}

// What a copy says may be wrong in any bit: it is refused and nothing has changed, or it runs.
void Damage(octet_motion* motion, size_t size, Bytes* bytes) {
  std::vector<uint8_t> copy(size), before(size), after(size);
  FUZZ_CHECK(octet_motion_get(motion, copy.data(), size).code == OCTET_OK);
  before = copy;
  for (uint32_t i = bytes->Byte() % 8; i != 0; --i) {
    copy[bytes->Word() % (i % 2 != 0 ? 200 : size)] ^= bytes->Byte();
  }
  if (octet_motion_set(motion, copy.data(), size).code == OCTET_OK) return;
  FUZZ_CHECK(octet_motion_get(motion, after.data(), size).code == OCTET_OK);
  FUZZ_CHECK(before == after);
}

}  // namespace
}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet::fuzz;
  Bytes bytes(data, size);
  const auto format = static_cast<octet_pixel_format>(bytes.Byte() % 5);
  octet_motion_config config;
  octet_motion_defaults(&config);
  config.width = OCTET_MOTION_LEAST + bytes.Byte() % 80;
  config.height = OCTET_MOTION_LEAST + bytes.Byte() % 80;
  if (const uint8_t seconds = bytes.Byte(); seconds != 0) config.longest_ms = seconds * 1000u;
  const Polygons ignored = ReadPolygons(&bytes), masks = ReadPolygons(&bytes);
  config.polygons = ignored.views.data();
  config.polygon_count = static_cast<uint32_t>(ignored.views.size());
  const size_t needed = octet_motion_bytes(&config);
  if (needed == 0) return 0;
  std::vector<uint64_t> memory(needed / 8);
  octet_motion* motion = nullptr;
  FUZZ_CHECK(octet_motion_init(memory.data(), needed, &config, &motion).code == OCTET_OK);
  Picture picture(format, config.width, config.height);
  uint64_t time_us = 0, last_run_us = 0;
  bool is_first = true, is_damaged = false;
  while (!bytes.empty()) {
    const uint8_t kind = bytes.Byte();
    if (kind == 255) is_damaged = true, Damage(motion, needed, &bytes);
    if (kind == 254) octet_motion_reset(motion);
    time_us += kind % 8 == 0 ? uint64_t{bytes.Word()} << bytes.Byte() % 32 : 33333;
    if (kind % 4 != 0) picture.Paint(&bytes);
    octet_mask_paint(&picture.frame(), masks.views.data(),
                     static_cast<uint32_t>(masks.views.size()));
    picture.CheckGuards();
    octet_motion_answer answer;
    FUZZ_CHECK(octet_motion_frame(motion, time_us, &picture.frame(), &answer).code == OCTET_OK);
    CheckAnswer(answer);
    if (is_first) FUZZ_CHECK(answer.reason != OCTET_MOTION_STILL);
    is_first = false;
    if (answer.reason != OCTET_MOTION_STILL) last_run_us = time_us;
    // A damaged copy may have a clock of its own.
    FUZZ_CHECK(is_damaged || time_us - last_run_us < uint64_t{config.longest_ms} * 1000);
  }
  return 0;
}
