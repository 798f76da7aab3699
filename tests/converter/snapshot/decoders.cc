// A detector for each family of decoders: outputs of its shapes, whatever stands in them.
#include <algorithm>

#include "tests/converter/snapshot/networks.h"

namespace octet::test {
namespace {

struct Output {
  std::string name;
  Dims shape;
};

std::string WriteOutputs(const Folder& folder, int64_t side, const std::vector<Output>& outputs) {
  OnnxBuilder model(13, 12);
  const OnnxValue x =
      model.Input("image", {1, 3, side, side}).WithChannels(3).GlobalAveragePool().Flatten();
  for (const Output& output : outputs) {
    int64_t count = 1;
    for (const int64_t dim : output.shape) count *= dim;
    x.WithChannels(3).Gemm(count).Sigmoid().Reshape(output.shape).Output(output.name);
  }
  folder.Model(model);
  folder.Data("c.npy", "|u1", {side, side, 3}, 8, 1);
  return folder.Path("c.npy");
}

}  // namespace

void AddDecoders(std::vector<Network>* networks) {
  const auto add = [&](const std::string& preset, int64_t side,
                       const std::vector<Output>& outputs) {
    std::string name = "decoder_" + preset;
    std::replace(name.begin(), name.end(), '-', '_');
    networks->push_back({name,
                         [=](const Folder& folder) { return WriteOutputs(folder, side, outputs); },
                         {"--effort", "fast", "--task", "detect", "--decode", preset}});
  };
  add("yolov5", 32, {{"output0", {1, 63, 7}}});
  add("yolo26", 32, {{"output0", {1, 300, 6}}});
  add("rtdetr", 32, {{"labels", {1, 9}}, {"boxes", {1, 9, 4}}, {"scores", {1, 9}}});
  add("dfine", 32, {{"pred_logits", {1, 9, 3}}, {"pred_boxes", {1, 9, 4}}});
  add("yolov8-seg", 32, {{"output0", {1, 38, 21}}, {"output1", {1, 32, 8, 8}}});
  add("yolov8-pose", 32, {{"output0", {1, 17, 21}}});
  // 12 numbers behind the class are 4 points of 3 as well as 6 of 2.
  networks->back().options.insert(networks->back().options.end(), {"--kpt-shape", "4,3"});
  add("yolox", 32, {{"output", {1, 21, 7}}});
  add("nanodet", 64, {{"out", {1, 85, 34}}});
  add("blazeface", 128,
      {{"a", {1, 512, 1}}, {"b", {1, 384, 1}}, {"c", {1, 512, 16}}, {"d", {1, 384, 16}}});
}

}  // namespace octet::test
