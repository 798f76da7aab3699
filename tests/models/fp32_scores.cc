// fp32_scores LAB_FOLDER [resnet18|mobilenet_v2|detector] [images] [threads]
// FP32 scores of the lab's models, with the time they took.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "converter/executor/executor.h"
#include "converter/import/import.h"
#include "tests/support/npy.h"
#include "tests/support/scores.h"

namespace octet::test {
namespace {

struct Task {
  const char* name;
  const char* model;
  const char* images;
  std::array<float, 3> mean;
  std::array<float, 3> std;
  bool detector;
};

constexpr std::array<float, 3> kCifarMean = {0.4914f, 0.4822f, 0.4465f};
constexpr std::array<float, 3> kCifarStd = {0.2470f, 0.2435f, 0.2616f};
constexpr Task kTasks[] = {
    {"resnet18", "resnet18_cifar10.onnx", "cifar_test_x.npy", kCifarMean, kCifarStd, false},
    {"mobilenet_v2", "mobilenet_v2_cifar10.onnx", "cifar_test_x.npy", kCifarMean, kCifarStd, false},
    {"detector", "mosaic_detector.onnx", "mosaic_val_x.npy", {0, 0, 0}, {1, 1, 1}, true},
};

// uint8 [H,W,3] to [1,3,H,W]
graph::Tensor Preprocess(const Npy& images, int64_t index, const Task& task) {
  const int64_t pixels = images.shape[1] * images.shape[2];
  const std::byte* image = images.bytes.data() + index * pixels * 3;
  std::vector<float> values(static_cast<size_t>(pixels * 3));
  for (int64_t p = 0; p < pixels; ++p) {
    for (size_t c = 0; c < 3; ++c) {
      const auto level = static_cast<float>(image[p * 3 + static_cast<int64_t>(c)]);
      values[c * static_cast<size_t>(pixels) + static_cast<size_t>(p)] =
          (level / 255.0f - task.mean[c]) / task.std[c];
    }
  }
  return graph::Tensor::Floats({1, 3, images.shape[1], images.shape[2]}, std::move(values));
}

double Score(const std::filesystem::path& lab, const Task& task, std::span<const float> outputs,
             size_t count) {
  if (!task.detector) {
    const Npy labels = ReadNpy(lab / "cifar_test_y.npy");
    return Top1(outputs, {reinterpret_cast<const uint8_t*>(labels.bytes.data()), count});
  }
  const std::vector<float> boxes = ReadNpy(lab / "mosaic_val_boxes.npy").Floats();
  const Npy classes = ReadNpy(lab / "mosaic_val_classes.npy");
  return MeanAveragePrecision(outputs, boxes,
                              {reinterpret_cast<const int8_t*>(classes.bytes.data()), count * 4});
}

void Run(const std::filesystem::path& lab, const Task& task, int64_t limit, int threads) {
  graph::Graph graph = import::ImportOnnx(lab / task.model);
  operators::InferShapes(graph);
  const Npy images = ReadNpy(lab / task.images);
  const int64_t count = std::min(limit, images.shape[0]);
  const auto size = static_cast<size_t>(graph::ElementCount(*graph.At(graph.outputs[0]).shape));
  std::vector<float> outputs(size * static_cast<size_t>(count));
  std::vector<std::unique_ptr<executor::Executor>> executors;
  for (int t = 0; t < threads; ++t) {
    executors.push_back(std::make_unique<executor::Executor>(graph));
  }
  const auto start = std::chrono::steady_clock::now();
  executor::ParallelFor(count, threads, [&](int thread, int64_t item) {
    const auto result =
        executors[static_cast<size_t>(thread)]->Run({Preprocess(images, item, task)});
    std::copy(result[0].floats.begin(), result[0].floats.end(),
              outputs.begin() + static_cast<std::ptrdiff_t>(size) * item);
  });
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const double score = Score(lab, task, outputs, static_cast<size_t>(count));
  std::printf("%-13s %6.2f %% %s, %lld images, %.1f s, %d threads, %.1f MB a thread\n", task.name,
              100 * score, task.detector ? "mAP@0.5" : "top-1", static_cast<long long>(count),
              time.count(), threads, static_cast<double>(executors[0]->SlotElements()) * 4e-6);
}

}  // namespace
}  // namespace octet::test

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(
        stderr,
        "fp32_scores: LAB_FOLDER [resnet18|mobilenet_v2|detector|all] [images] [threads]\n");
    return 2;
  }
  const std::string wanted = argc > 2 ? argv[2] : "all";
  const int64_t images = argc > 3 ? std::stoll(argv[3]) : 10000;
  const int threads = argc > 4 ? std::stoi(argv[4]) : 2;
  try {
    for (const octet::test::Task& task : octet::test::kTasks) {
      if (wanted == "all" || wanted == task.name) octet::test::Run(argv[1], task, images, threads);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fp32_scores: %s\n", error.what());
    return 2;
  }
  return 0;
}
