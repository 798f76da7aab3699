// Compares a model on trial with the model before. Frames and answers of the confirmed model are
// kept, and the model on trial answers these frames again. So two models are never in memory at
// once.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_COMPARISON_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_COMPARISON_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ports/linux/camera/program/answer.h"
#include "ports/linux/camera/program/observer.h"
#include "ports/linux/slot/model_face.h"

namespace octet::port {

struct ComparisonSettings {
  uint32_t frames = 8;             // that are compared; 0: none
  uint32_t least_agreement = 200;  // of all, per mille; below it a model is rolled back
};

class Comparison {
 public:
  // Frames of one comparison take no more memory than this; of larger ones fewer are kept.
  static constexpr size_t kMostFrameBytes = size_t{16} << 20;

  explicit Comparison(const ComparisonSettings& settings) : settings_(settings) {}

  // A model was bound, or goes. What another one has answered stays where this one is on trial. The
  // memory for its answers is taken here.
  void Load(Model& model, bool on_trial);
  void Unload() { model_ = nullptr; }

  // Of a frame of the confirmed model, at most one a second, or every one of a source that waits.
  // Behind octet_run, while the outputs are this frame's. session: of its camera.
  void AfterRun(const octet_session* session, uint64_t now_ns, bool waits);
  // Its answer, where it has one: a frame without a box says nothing about the next model. Of
  // several cameras no frame that is larger than the first one.
  void Keep(const FrameBuffer& frame, const Results& results);

  // Of the model on trial: there are frames that it has not answered yet.
  bool IsDue() const { return model_ != nullptr && of_trial_ && next_ < count_; }
  // Nothing is kept that this one could answer.
  bool HasNothing() const { return settings_.frames != 0 && of_trial_ && count_ == 0; }
  // It answers the next one. True: that was the last.
  bool AnswerNext();
  // Per mille, the mean of all frames.
  uint32_t agreement() const { return count_ == 0 ? 0 : sum_ / count_; }
  uint32_t frames() const { return count_; }
  uint32_t least_agreement() const { return settings_.least_agreement; }
  bool is_enough() const { return agreement() >= settings_.least_agreement; }

 private:
  struct Kept {
    FrameBuffer frame;
    std::vector<octet_detection> boxes;
    octet_class_score classes[Results::kTopClasses];
    uint32_t count = 0;
    std::vector<uint8_t> map;
    std::vector<float> values;
    std::string text;
  };
  using Digest = std::array<uint8_t, sizeof(blob::Header::sha256)>;

  void Begin();
  void ReadValues(const octet_session* session);
  static AnswerView ViewOf(const Kept& kept, octet_task task);

  const ComparisonSettings settings_;
  Model* model_ = nullptr;
  bool of_trial_ = false, is_due_ = false;
  std::optional<ResultReader> reader_;
  std::vector<float> values_;  // of all outputs, where nothing decodes them
  // Of the model that has answered: its digest, and what it is.
  Digest digest_{};
  ModelFace face_;
  std::vector<Kept> kept_;  // a ring, the oldest at `oldest_` once it is full
  uint32_t count_ = 0, oldest_ = 0;
  size_t frame_bytes_ = 0;  // at most, of each
  uint64_t kept_ns_ = 0;
  uint32_t next_ = 0, sum_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_COMPARISON_H_
