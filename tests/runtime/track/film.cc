#include "tests/runtime/track/film.h"

#include <string.h>

#include "runtime/format/sha256.h"
#include "tests/runtime/track/random.h"

namespace octet::film {
namespace {

constexpr int32_t kWidth = 1280 * 256, kHeight = 720 * 256;

struct Walker {
  int32_t x, y, vx, vy, w, h;  // 256 a pixel; velocity a frame
  uint32_t label;
};

void Bounce(int32_t side, int32_t* at, int32_t* velocity) {
  *at += *velocity;
  if (*at < 0 || *at > side) *velocity = -*velocity;
}

// Boxes of a frame: noisy, some weak, absent or double, some of nothing.
uint32_t MakeBoxes(test::Random* random, Walker* walkers, octet_box* boxes) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < kWalkers; ++i) {
    Walker& w = walkers[i];
    Bounce(kWidth, &w.x, &w.vx);
    Bounce(kHeight, &w.y, &w.vy);
    if (random->OneIn(60)) w.vx = random->Between(-1500, 1500);
    if (random->OneIn(40)) w.h = random->Between(8000, 60000);
    for (uint32_t n = random->OneIn(8) ? 0 : random->OneIn(40) ? 2 : 1; n != 0; --n) {
      const int32_t noise = w.h / 32;
      octet_box& box = boxes[count++];
      box.x0 = w.x - w.w / 2 + random->Between(-noise, noise);
      box.y0 = w.y - w.h / 2 + random->Between(-noise, noise);
      box.x1 = w.x + w.w / 2 + random->Between(-noise, noise);
      box.y1 = w.y + w.h / 2 + random->Between(-noise, noise);
      box.score = static_cast<uint32_t>(random->Between(2000, 64000));
      if (!random->OneIn(4)) box.score = static_cast<uint32_t>(random->Between(46000, 64000));
      box.label = w.label;
    }
  }
  for (uint32_t n = random->Below(8); n > 4; --n) {
    octet_box& box = boxes[count++];
    const bool huge = random->OneIn(3);
    box.x0 = huge ? INT32_MIN : random->Between(0, kWidth);
    box.y0 = random->Between(-kHeight, kHeight);
    box.x1 = huge ? INT32_MAX : box.x0 + random->Between(-100, 30000);
    box.y1 = box.y0 + random->Between(0, 90000);
    box.score = static_cast<uint32_t>(random->Bits() >> 40);
    box.label = random->Below(3);
  }
  return count;
}

struct Digester {
  Sha256 hash;
  uint64_t events;

  // Little-endian, whatever the machine is.
  void Add(uint64_t number) {
    uint8_t bytes[8];
    for (uint32_t i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(number >> (8 * i));
    Sha256Update(&hash, bytes, sizeof(bytes));
  }
  void Add(const octet_track& t) {
    Add(t.id);
    Add(t.begun_us);
    Add(t.seen_us);
    const int32_t corners[] = {t.x0, t.y0, t.x1, t.y1};
    for (const int32_t corner : corners) Add(static_cast<uint32_t>(corner));
    Add(uint64_t{t.score} << 32 | t.label);
    Add(uint64_t{t.state} << 32 | t.box);
  }
  static void Event(void* context, const octet_zone_event* e) {
    auto* self = static_cast<Digester*>(context);
    ++self->events;
    self->Add(uint64_t{e->kind} << 32 | e->zone);
    self->Add(e->track);
    self->Add(uint64_t{e->label} << 32 | e->ended);
    self->Add(e->time_us);
    self->Add(e->begun_us);
    self->Add(e->dwell_us);
  }
};

bool StartZones(Memory* memory, octet_zones** zones) {
  static const octet_zone_point line[] = {{32768, 0}, {30000, 65536}};
  static const octet_zone_point polygon[] = {
      {9000, 9000}, {50000, 20000}, {60000, 60000}, {20000, 40000}};
  octet_zone made[2];
  for (octet_zone& zone : made) octet_zone_defaults(&zone);
  made[0].points = line;
  made[0].point_count = 2;
  made[1].points = polygon;
  made[1].point_count = 4;
  made[1].anchor = OCTET_ZONE_CENTRE;
  octet_zones_config config;
  config.zones = made;
  config.zone_count = 2;
  config.label_count = 3;
  config.capacity = kCapacity;
  return octet_zones_init(memory->zones, kZonesBytes, &config, zones).code == OCTET_OK;
}

}  // namespace

const char kDigests[2][65] = {"eb5feaf12c92d47f71ad90819c04f05d91ac258201635659f73b313a877ec004",
                              "d93a75eda9d7883dbbd3bde3c8bb1721c156b2fbb8cd684231563c4bbc1fcbcb"};

bool RunFilm(octet_tracks_method method, uint32_t frames, Memory* memory, Result* result) {
  octet_tracks* tracks = nullptr;
  octet_zones* zones = nullptr;
  octet_tracks_config config;
  octet_tracks_defaults(&config);
  config.method = method;
  if (octet_tracks_init(memory->tracks, kTracksBytes, kCapacity, &config, &tracks).code !=
          OCTET_OK ||
      !StartZones(memory, &zones)) {
    return false;
  }
  test::Random random(57);
  Walker walkers[kWalkers];
  for (Walker& w : walkers) {
    w.x = random.Between(0, kWidth), w.y = random.Between(0, kHeight);
    w.vx = random.Between(-1500, 1500), w.vy = random.Between(-300, 300);
    w.h = random.Between(8000, 60000);
    w.w = w.h / 2;
    w.label = random.Below(3);
  }
  Digester digester = {};
  Sha256Start(&digester.hash, Sha256BlocksPortable);
  uint64_t time_us = 0;
  octet_box* const boxes = memory->boxes;
  octet_track* const list = memory->list;
  for (uint32_t f = 0; f < frames; ++f) {
    time_us += random.OneIn(200) ? random.Below(3000000) : 16000 + random.Below(60000);
    const uint32_t box_count = MakeBoxes(&random, walkers, boxes);
    uint32_t count = 0;
    if (octet_tracks_frame(tracks, time_us, boxes, box_count, list, kCapacity, &count).code !=
        OCTET_OK) {
      return false;
    }
    for (uint32_t i = 0; i < count; ++i) digester.Add(list[i]);
    if (octet_zones_frame(zones, time_us, 1280, 720, list, count, Digester::Event, &digester)
            .code != OCTET_OK) {
      return false;
    }
  }
  octet_tracks_info info;
  if (octet_tracks_describe(tracks, &info).code != OCTET_OK) return false;
  result->tracks = info.begun;
  result->events = digester.events;
  uint8_t digest[kSha256Bytes];
  Sha256Finish(&digester.hash, digest);
  for (uint32_t i = 0; i < 64; ++i) {
    result->digest[i] = "0123456789abcdef"[digest[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
  }
  result->digest[64] = 0;
  return true;
}

}  // namespace octet::film
