// What a plan answers to a frame, kept to be compared with another plan's.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_ANSWER_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_ANSWER_H_

#include <cstdint>
#include <vector>

#include "ports/linux/capture/frame.h"
#include "ports/linux/model.h"
#include "ports/linux/results/results.h"

namespace octet::port {

class Answer {
 public:
  // What is kept beside the decoded result: the outputs' values, for Fidelity (without a decoder
  // they are the result and are always kept).
  enum Values : bool { kWithoutValues, kWithValues };
  // model: bound; stays. All memory is taken here.
  explicit Answer(Model& model, Values values = kWithoutValues);

  // The current plan runs on the frame and is read.
  void Ask(const FrameBuffer& frame);
  // The current plan has run on the frame.
  void Read(const FrameBuffer& frame);
  // It has, and this is what it gave.
  void Keep(const Results& results);

  // Per mille (octet/guard.h): boxes by F1, classes by the best one, segmentation by mean IoU,
  // outputs without a decoder by their cosine.
  uint32_t Agreement(const Answer& other) const;
  // Of the outputs (octet/drift.h), this being the finer one; both with values.
  uint32_t Fidelity(const Answer& other) const;

 private:
  void KeepValues();

  Model& model_;
  ResultReader reader_;
  const Results* results_ = nullptr;
  std::vector<float> values_;  // all outputs; empty: not kept
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_ANSWER_H_
