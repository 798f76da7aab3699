// Whether a plan agrees with FP32: each output by what it is for, over all samples.
//
// An output the decoder reads is judged by the answers it gives, the plan's against FP32's:
//   classify  share of samples with the same first class
//   detect    F1 of boxes: those one side is sure of (score 0.5 or more) have to be found by the
//             other, of the same class and with an IoU of 0.75 or more, at whatever score it keeps
//   segment   mean IoU of the label maps, over the classes FP32 sees
// Every other output is judged by its numbers: signal over noise, and the cosine to FP32, which
// does not let one large part speak for the rest. So is the output of a decoder that had nothing
// to tell (no sure box in any sample).
#ifndef OCTET_CONVERTER_JUDGE_AGREEMENT_H_
#define OCTET_CONVERTER_JUDGE_AGREEMENT_H_

#include <cstdint>
#include <vector>

#include "converter/judge/answer.h"

namespace octet::judge {

inline constexpr float kSureScore = 0.5f;
inline constexpr float kFoundIou = 0.75f;  // two grid steps off is not found

// What an output has to reach. Shares in percent; from five samples on one miss is always allowed.
struct Limits {
  double snr_db, cosine, top1, f1, iou;
};
inline constexpr Limits kInt8Limits{10, 0.99, 90, 90, 90};
inline constexpr Limits kFp16Limits{30, 0.999, 99, 98, 98};

// Misses out of `count` that a share in percent allows: one at least, since of ten samples nine are
// 90 %, but of fewer than five none.
int64_t AllowedMisses(int64_t count, double percent);

// Sums over samples of one plan's answers.
struct AnswerAgreement {
  int64_t samples = 0, same_top1 = 0;
  int64_t boxes = 0, found = 0;                 // FP32 is sure of; of these found by the plan
  int64_t plan_boxes = 0, plan_found = 0;       // the other way round
  std::vector<int64_t> both, either, expected;  // pixels by class

  void Add(blob::Task task, const Answer& expected_answer, const Answer& actual);
  void Merge(const AnswerAgreement& other);
  // Whether there is anything to judge by.
  bool Speaks(blob::Task task) const;
  double Top1() const;  // percent
  double F1() const;
  double MeanIou() const;
  bool Agrees(blob::Task task, const Limits& limits) const;
};

// Whether the decoder of `blob` reads output `index`.
bool DecoderReads(const BlobView& blob, uint32_t index);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_AGREEMENT_H_
