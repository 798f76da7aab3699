// How good answers are by labels, by the task of a blob: top-1, mAP@0.5, mean IoU.
#ifndef OCTET_CONVERTER_JUDGE_SCORE_H_
#define OCTET_CONVERTER_JUDGE_SCORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "converter/images/dataset.h"
#include "converter/judge/answer.h"
#include "runtime/format/view.h"

namespace octet::judge {

// A box is found if it shares this much with one of its class that no other found.
constexpr float kMatchingIou = 0.5f;

// The files of --labels:
//   classify   CLASSES.npy: integers [N]
//   detect     BOXES.npy,CLASSES.npy: float32 [N,M,4] left, top, right, bottom in pixels of the
//              picture, integers [N,M], negative where there is no box
//   text       TEXTS.txt: the text of each sample, one a line
//   segment    MASKS.npy: uint8 [N,H,W] on the output's grid, 255 where nothing counts
class Truth {
 public:
  // Throws UserError where the files do not fit the task, or hold fewer than `samples`.
  Truth(const Decoder& decoder, const std::string& paths, int64_t samples);
  ~Truth();
  const char* metric() const;  // "top1", "map50", "texts" or "miou"
  // Score in percent of the answers to samples 0, 1, ..., in order.
  double Score(const std::vector<const Answer*>& answers) const;

 private:
  struct Box {
    float x0, y0, x1, y1;
    int64_t label;
  };
  void ReadClasses(const std::string& path);
  void ReadBoxes(const std::string& boxes, const std::string& classes);
  void ReadMasks(const std::string& path);
  void ReadTexts(const std::string& path, const Decoder& decoder);
  double Top1(const std::vector<const Answer*>& answers) const;
  double MeanAveragePrecision(const std::vector<const Answer*>& answers) const;
  double MeanIou(const std::vector<const Answer*>& answers) const;
  double EqualTexts(const std::vector<const Answer*>& answers) const;

  blob::Task task_;
  std::vector<int64_t> classes_;
  std::vector<std::string> texts_, characters_;  // of the samples; of the labels
  std::vector<std::vector<Box>> boxes_;
  std::unique_ptr<images::NpyFile> masks_;
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_SCORE_H_
