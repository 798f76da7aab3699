// Frames of a number of boxes, to count instructions of a frame with an emulator: count_frames
// BOXES FRAMES [crowd|equal|dense|found] [ocsort]. Of two runs with FRAMES and twice as many, the
// difference is FRAMES frames. equal: all boxes at one place. dense: boxes that overlap all others,
// with other costs each. found: of ten frames boxes are in the last two only, so half of the frames
// with boxes find all tracks again.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "octet/track.h"
#include "tests/runtime/track/random.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto count = static_cast<uint32_t>(std::atoi(argv[1]));
  const int frames = std::atoi(argv[2]);
  const std::string kind = argc > 3 ? argv[3] : "crowd";
  const bool oc_sort = argc > 4 && std::string(argv[4]) == "ocsort";
  octet_tracks_config config;
  octet_tracks_defaults(&config);
  const bool all_match = kind == "equal" || kind == "dense";
  if (all_match) config.match = config.second = OCTET_TRACKS_ONE;
  if (oc_sort) {
    config.method = OCTET_TRACKS_OC_SORT;
    if (all_match) config.iou = 0;
  }
  const uint32_t capacity = 128;
  std::vector<uint64_t> memory(octet_tracks_bytes(capacity) / 8);
  octet_tracks* tracks = nullptr;
  if (octet_tracks_init(memory.data(), memory.size() * 8, capacity, &config, &tracks).code !=
      OCTET_OK) {
    return 1;
  }
  octet::test::Random random(1);
  // A crowd in 1920 x 1080: a tenth is weak or absent.
  struct Walker {
    int32_t x, y, v, h;
  };
  std::vector<Walker> walkers(count);
  for (Walker& w : walkers) {
    w = {random.Between(0, 1920 * 256), random.Between(0, 1080 * 256), random.Between(-1000, 1000),
         random.Between(40 * 256, 200 * 256)};
  }
  std::vector<octet_box> boxes;
  std::vector<octet_track> list(capacity);
  uint32_t shown = 0;
  for (int f = 0; f < frames; ++f) {
    boxes.clear();
    for (Walker& w : walkers) {
      w.x += w.v;
      if (w.x < 0 || w.x > 1920 * 256) w.v = -w.v;
      const int32_t noise = w.h / 32;
      const int32_t x = w.x + random.Between(-noise, noise),
                    y = w.y + random.Between(-noise, noise);
      octet_box box = {x - w.h / 4,
                       y - w.h / 2,
                       x + w.h / 4,
                       y + w.h / 2,
                       random.OneIn(10) ? 20000u : 60000u,
                       0};
      if (kind == "equal") box = {0, 0, 25600, 51200, 65536, 0};
      if (kind == "dense") {
        box = {random.Between(0, 9000),
               random.Between(0, 9000),
               random.Between(20000, 40000),
               random.Between(20000, 40000),
               static_cast<uint32_t>(random.Between(50000, 65536)),
               0};
      }
      if (kind != "found" || f % 10 >= 8) boxes.push_back(box);
    }
    octet_tracks_frame(tracks, static_cast<uint64_t>(f) * 33333, boxes.data(),
                       static_cast<uint32_t>(boxes.size()), list.data(), capacity, &shown);
  }
  std::printf("%u tracks\n", shown);
  return 0;
}
