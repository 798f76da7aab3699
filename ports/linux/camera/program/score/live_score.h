// mAP@0.5 of a running stream whose boxes are known, in fixed memory: detections are counted by
// class and score in 1/4096, so that average precision is that of scores rounded to 12 bits.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_SCORE_LIVE_SCORE_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_SCORE_LIVE_SCORE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "ports/linux/capture/frame.h"
#include "ports/linux/results/results.h"

namespace octet::port {

class LiveScore {
 public:
  explicit LiveScore(uint32_t class_count);
  void Add(const Results& results, std::span<const TruthBox> truth);
  // Mean over the classes seen so far, in percent; all points of recall.
  double MeanAveragePrecision() const;

 private:
  static constexpr uint32_t kBins = 4096;
  static constexpr size_t kMostBoxes = 64;  // of a frame
  struct Bin {
    uint32_t right = 0, wrong = 0;
  };
  uint32_t class_count_;
  std::vector<Bin> bins_;         // [class][score]
  std::vector<uint64_t> truths_;  // by class
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_SCORE_LIVE_SCORE_H_
