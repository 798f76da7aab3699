// One picture with the C++ API: classify MODEL.octet PICTURE.ppm (binary PPM, "P6"). Prints the
// best class.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <octet/octet.hpp>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: classify MODEL.octet PICTURE.ppm\n"), 2;
  std::ifstream file(argv[1], std::ios::binary), picture(argv[2], std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::string magic;
  uint32_t width = 0, height = 0, maximum = 0;
  picture >> magic >> width >> height >> maximum;
  picture.get();
  const std::vector<char> pixels{std::istreambuf_iterator<char>(picture), {}};
  if (magic != "P6" || maximum != 255 || pixels.size() != size_t{3} * width * height) {
    return std::fprintf(stderr, "%s: not a PPM (P6) of 8 bits; convert it\n", argv[2]), 2;
  }

  auto* blob = static_cast<char*>(std::aligned_alloc(64, bytes.size() / 64 * 64 + 64));
  std::copy(bytes.begin(), bytes.end(), blob);
  size_t arena_bytes = 0;
  octet::Model model;
  octet_status status =
      model.ArenaBytes(blob, bytes.size(), OCTET_ISA_REFERENCE, 1, 0, &arena_bytes);
  void* arena = std::aligned_alloc(64, arena_bytes / 64 * 64 + 64);
  octet_config config = {};
  config.isa = OCTET_ISA_REFERENCE;
  config.verify_hashes = OCTET_VERIFY_PORTABLE;
  if (status.code == OCTET_OK) {
    status = model.Bind(blob, bytes.size(), arena, arena_bytes, config);
  }
  if (status.code != OCTET_OK) {
    return std::fprintf(stderr, "%s: %s at byte %u\n", argv[1], octet_code_name(status.code),
                        status.offset),
           2;
  }

  octet_tensor_info info;
  model.OutputInfo(0, &info);
  std::vector<float> scores(info.element_count);
  model.SetImage(0, reinterpret_cast<const uint8_t*>(pixels.data()), height, width, 3,
                 size_t{3} * width);
  model.Run();
  model.GetOutput(0, scores.data(), scores.size());
  uint32_t best = 0;
  for (uint32_t i = 1; i < scores.size(); ++i) best = scores[i] > scores[best] ? i : best;
  std::printf("%s %.3f\n", best < model.label_count() ? model.label(best) : "?", scores[best]);
  std::free(arena);
  std::free(blob);
}
