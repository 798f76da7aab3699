// What a plan answers to a frame, kept to be compared with another plan's.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_ANSWER_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_ANSWER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ports/linux/camera/program/layer_hook.h"
#include "ports/linux/capture/frame.h"
#include "ports/linux/model.h"
#include "ports/linux/results/results.h"

namespace octet::port {

// The values of all outputs of the current plan: how many, and into `values`, which has that many.
size_t OutputValueCount(const Model& model);
void ReadOutputValues(const BlobView& blob, const octet_session* session,
                      std::vector<float>* values);

// An answer as it is compared. The memory is its owner's.
struct AnswerView {
  octet_task task = OCTET_TASK_NONE;
  const octet_detection* boxes = nullptr;
  const octet_class_score* classes = nullptr;
  uint32_t count = 0;  // of boxes or classes
  const std::vector<uint8_t>& map;
  const std::vector<float>& values;  // without a decoder
  const std::string& text;
};
AnswerView ViewOf(const Results& results, const std::vector<float>& values);

// Per mille (octet_agreement_*): boxes by F1, classes by the best one, texts by being equal,
// segmentation by mean IoU, outputs without a decoder by their cosine. Maps of different sizes
// cannot be compared: 1000.
uint32_t AgreementOf(const AnswerView& a, const AnswerView& b);

class Answer {
 public:
  // Whether the outputs' values are kept beside the decoded result; without a decoder they are the
  // result and are always kept.
  enum Values : bool { kWithoutValues, kWithValues };
  // model: bound; stays. All memory is taken here.
  explicit Answer(Model& model, Values values = kWithoutValues);

  // The current plan runs on the frame and is read. hook: the model's (LayerHook::Run).
  void Ask(const FrameBuffer& frame);
  void Ask(const FrameBuffer& frame, LayerHook* hook, const LayerHook::Watch& watch);
  // The current plan has run on a frame, and this is what it gave.
  void Keep(const Results& results);

  // AgreementOf both.
  uint32_t Agreement(const Answer& other) const;
  // Of all outputs, one after another; empty: they are not kept.
  const std::vector<float>& values() const { return values_; }

 private:
  void Take(const FrameBuffer& frame);
  void Read(const FrameBuffer& frame);

  Model& model_;
  ResultReader reader_;
  const Results* results_ = nullptr;
  std::vector<float> values_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_ANSWER_H_
