// score_outputs classify|detect LAB_FOLDER OUTPUTS.npy
// Top-1 or mAP@0.5, in percent, of what octet-run wrote for the first test images of the lab.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "tests/support/npy.h"
#include "tests/support/scores.h"

namespace octet::test {
namespace {

double Score(bool detector, const std::filesystem::path& lab, const Npy& outputs) {
  if (outputs.type != "<f4" || outputs.shape.empty())
    throw std::runtime_error("the outputs are no float32 array");
  const std::vector<float> values = outputs.Floats();
  const auto count = static_cast<size_t>(outputs.shape[0]);
  if (!detector) {
    const Npy labels = ReadNpy(lab / "cifar_test_y.npy");
    return Top1(values, {reinterpret_cast<const uint8_t*>(labels.bytes.data()), count});
  }
  const Npy boxes = ReadNpy(lab / "mosaic_val_boxes.npy");
  const std::vector<float> corners = boxes.Floats(0, static_cast<int64_t>(count) * 16);
  const Npy classes = ReadNpy(lab / "mosaic_val_classes.npy");
  return MeanAveragePrecision(values, corners,
                              {reinterpret_cast<const int8_t*>(classes.bytes.data()), count * 4});
}

}  // namespace
}  // namespace octet::test

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "score_outputs: classify|detect LAB_FOLDER OUTPUTS.npy\n");
    return 2;
  }
  try {
    const bool detector = std::strcmp(argv[1], "detect") == 0;
    std::printf("%.4f\n",
                100 * octet::test::Score(detector, argv[2], octet::test::ReadNpy(argv[3])));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "score_outputs: %s\n", error.what());
    return 2;
  }
  return 0;
}
