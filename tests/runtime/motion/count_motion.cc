// Frames of 1280 x 720, to count instructions of a frame with an emulator: count_motion FRAMES
// [rgb|yuyv]. Of two runs with FRAMES and twice as many, the difference is FRAMES frames.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "octet/motion.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int frames = std::atoi(argv[1]);
  const std::string format = argc > 2 ? argv[2] : "";
  octet_motion_config config;
  octet_motion_defaults(&config);
  config.width = 1280;
  config.height = 720;
  const size_t bytes = octet_motion_bytes(&config);
  std::vector<uint64_t> memory(bytes / 8);
  octet_motion* motion = nullptr;
  if (octet_motion_init(memory.data(), bytes, &config, &motion).code != OCTET_OK) return 1;
  octet_frame frame = {};
  frame.size = sizeof(frame);
  frame.format = format == "rgb"    ? OCTET_PIXELS_RGB24
                 : format == "yuyv" ? OCTET_PIXELS_YUYV
                                    : OCTET_PIXELS_GREY8;
  frame.width = config.width;
  frame.height = config.height;
  frame.strides[0] = size_t{config.width} * (format == "rgb" ? 3 : format == "yuyv" ? 2 : 1);
  std::vector<uint8_t> pixels(frame.strides[0] * frame.height + 8);
  uint32_t random = 1;
  for (uint8_t& pixel : pixels) {
    random = random * 1664525 + 1013904223;
    pixel = static_cast<uint8_t>(100 + (random >> 30));
  }
  uint32_t wanted = 0;
  for (int f = 0; f < frames; ++f) {
    frame.planes[0] = pixels.data() + f % 7;  // other noise in each cell
    octet_motion_answer answer = {};
    answer.size = sizeof(answer);
    octet_motion_frame(motion, static_cast<uint64_t>(f) * 33333, &frame, &answer);
    wanted += answer.reason != OCTET_MOTION_STILL ? 1 : 0;
  }
  std::printf("%zu bytes, %u of %d frames\n", bytes, wanted, frames);
  return 0;
}
