// Boxes, times, zones and damaged copies of any kind. The input is a stream of numbers: how many of
// what comes next, then its bytes.
#include <algorithm>
#include <cstring>
#include <vector>

#include "octet/zones.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 4096;

std::vector<Input> Seeds() {
  std::vector<Input> seeds;
  for (uint32_t kind = 0; kind < 4; ++kind) {
    Input seed = {static_cast<uint8_t>(kind), 8, 1, 2, 3, 200, 40, 90};
    for (uint32_t i = 0; i < 400; ++i) seed.push_back(static_cast<uint8_t>(i * (7 + kind) % 251));
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
  // Small numbers are as likely as ones at the ends of their range.
  uint32_t Word() {
    const uint8_t kind = Byte();
    if (kind < 96) return Byte() * 256u;
    if (kind < 128) return 0u - Byte() * 256u;
    uint32_t word = 0;
    for (uint32_t i = 0; i < 4; ++i) word = word << 8 | Byte();
    return word;
  }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

octet_box BoxOf(Bytes* bytes) {
  octet_box box;
  box.x0 = static_cast<int32_t>(bytes->Word());
  box.y0 = static_cast<int32_t>(bytes->Word());
  box.x1 = static_cast<int32_t>(bytes->Word());
  box.y1 = static_cast<int32_t>(bytes->Word());
  box.score = bytes->Word();
  box.label = bytes->Byte() % 3;
  return box;
}

void CheckList(const std::vector<octet_track>& list, uint32_t count, uint64_t* last_id) {
  uint64_t id = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const octet_track& track = list[i];
    FUZZ_CHECK(track.id > id && track.x0 < track.x1 && track.y0 < track.y1);
    FUZZ_CHECK(track.begun_us <= track.seen_us && track.score <= OCTET_TRACKS_ONE);
    id = track.id;
  }
  *last_id = std::max(*last_id, id);
}

// What a copy says may be wrong in any bit; what it leaves is refused, or runs.
void DamageCopy(Bytes* bytes, std::vector<uint8_t>* copy) {
  for (uint32_t i = bytes->Byte() % 8; i != 0; --i) {
    (*copy)[bytes->Word() % copy->size()] ^= bytes->Byte();
  }
}

void Damage(octet_tracks* tracks, Bytes* bytes) {
  octet_tracks_info info;
  FUZZ_CHECK(octet_tracks_describe(tracks, &info).code == OCTET_OK);
  std::vector<uint8_t> copy(info.snapshot_bytes);
  FUZZ_CHECK(octet_tracks_get(tracks, copy.data(), copy.size()).code == OCTET_OK);
  DamageCopy(bytes, &copy);
  octet_tracks_set(tracks, copy.data(), copy.size());
}

void Damage(octet_zones* zones, size_t size, Bytes* bytes) {
  std::vector<uint8_t> copy(size);
  FUZZ_CHECK(octet_zones_get(zones, copy.data(), copy.size()).code == OCTET_OK);
  DamageCopy(bytes, &copy);
  octet_zones_set(zones, copy.data(), copy.size());
}

octet_zones* StartZones(Bytes* bytes, uint32_t capacity, std::vector<uint64_t>* memory) {
  std::vector<octet_zone_point> points(2 + bytes->Byte() % 6);
  for (octet_zone_point& point : points) {
    point = {static_cast<int32_t>(bytes->Word()), static_cast<int32_t>(bytes->Word())};
  }
  octet_zone zone;
  octet_zone_defaults(&zone);
  zone.points = points.data();
  zone.point_count = static_cast<uint32_t>(points.size());
  zone.anchor = bytes->Byte() % 4;
  zone.frames = bytes->Byte() % 8;
  zone.window = bytes->Byte() % 40;
  zone.band = bytes->Word();
  octet_zones_config config;
  config.zones = &zone;
  config.zone_count = 1;
  config.label_count = 2;
  config.capacity = capacity;
  const size_t size = octet_zones_bytes(&config);
  if (size == 0) return nullptr;
  memory->resize(size / 8);
  octet_zones* zones = nullptr;
  FUZZ_CHECK(octet_zones_init(memory->data(), size, &config, &zones).code == OCTET_OK);
  return zones;
}

}  // namespace
}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet::fuzz;
  Bytes bytes(data, size);
  octet_tracks_config config;
  octet_tracks_defaults(&config);
  config.classes = bytes.Byte() % 2;
  const uint32_t capacity = 1 + bytes.Byte() % 24;
  if (bytes.Byte() % 2 != 0) config.match = config.second = config.unconfirmed = OCTET_TRACKS_ONE;
  if (bytes.Byte() % 2 != 0) config.buffer_ms = 10000;
  config.method = bytes.Byte() % 2;
  if (bytes.Byte() % 2 != 0) config.iou = 0, config.inertia = OCTET_TRACKS_ONE;
  std::vector<uint64_t> memory(octet_tracks_bytes(capacity) / 8), zone_memory;
  octet_tracks* tracks = nullptr;
  FUZZ_CHECK(octet_tracks_init(memory.data(), memory.size() * 8, capacity, &config, &tracks).code ==
             OCTET_OK);
  octet_zones* const zones = StartZones(&bytes, capacity, &zone_memory);
  std::vector<octet_track> list(capacity);
  std::vector<octet_box> boxes;
  uint64_t time_us = 0, last_id = 0;
  while (!bytes.empty()) {
    const uint8_t kind = bytes.Byte();
    if (kind == 255) Damage(tracks, &bytes);
    if (kind == 254) octet_tracks_reset(tracks);
    if (kind == 253 && zones != nullptr) Damage(zones, zone_memory.size() * 8, &bytes);
    time_us += kind % 8 == 0 ? uint64_t{bytes.Word()} << bytes.Byte() % 32 : 33333;
    if (kind % 4 != 0) boxes.clear();
    for (uint32_t i = kind / 4 % 16; i != 0; --i) boxes.push_back(BoxOf(&bytes));
    for (octet_box& box : boxes)
      box.x0 = static_cast<int32_t>(static_cast<uint32_t>(box.x0) + kind % 5);
    uint32_t count = 0;
    FUZZ_CHECK(octet_tracks_frame(tracks, time_us, boxes.data(),
                                  static_cast<uint32_t>(boxes.size()), list.data(), capacity,
                                  &count)
                   .code == OCTET_OK);
    CheckList(list, count, &last_id);
    if (zones == nullptr) continue;
    FUZZ_CHECK(
        octet_zones_frame(zones, time_us, 1 + kind, 65535, list.data(), count, nullptr, nullptr)
            .code == OCTET_OK);
    octet_zone_counts counts;
    FUZZ_CHECK(octet_zones_counts(zones, 0, UINT32_MAX, &counts).code == OCTET_OK);
    FUZZ_CHECK(counts.inside <= capacity);
  }
  return 0;
}
