// Frames of 1280 x 720, to count instructions of a frame with an emulator: count_motion FRAMES
// [rgb|yuyv|cut]. Of two runs with FRAMES and twice as many, the difference is FRAMES frames. cut:
// light swings, and each cell has pixels at black or white, or had.
#include <cmath>
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
  // Of a whole swing, made before the frames.
  std::vector<std::vector<uint8_t>> swing(format == "cut" ? 16 : 0, pixels);
  for (size_t f = 0; f < swing.size(); ++f) {
    const int light = static_cast<int>(14 * std::sin(0.3927 * static_cast<double>(f)));
    for (size_t i = 0; i < pixels.size(); ++i) {
      constexpr int kLevels[] = {8, 250, 30, 220};
      const int level = kLevels[i / 320 % 4] + light + pixels[i] - 100;
      swing[f][i] = static_cast<uint8_t>(level < 0 ? 0 : level > 255 ? 255 : level);
    }
  }
  uint32_t wanted = 0;
  for (int f = 0; f < frames; ++f) {
    const auto& picture = swing.empty() ? pixels : swing[static_cast<size_t>(f) % swing.size()];
    frame.planes[0] = picture.data() + f % 7;  // other noise in each cell
    octet_motion_answer answer = {};
    answer.size = sizeof(answer);
    octet_motion_frame(motion, static_cast<uint64_t>(f) * 33333, &frame, &answer);
    wanted += answer.reason != OCTET_MOTION_STILL ? 1 : 0;
  }
  std::printf("%zu bytes, %u of %d frames\n", bytes, wanted, frames);
  return 0;
}
