// Whether a plan agrees with FP32: each output by what it is for, over all samples.
//
// An output the decoder reads is judged by the answers it gives, the plan's against FP32's:
//   classify  share of samples with the same first class
//   detect    F1 of boxes: those one side is sure of (score 0.5 or more) have to be found by the
//             other, of the same class and with an IoU of 0.75 or more, at half that score or more
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

inline constexpr float kSureScore = 0.5f;  // or the decoder's own threshold, if that is higher
inline constexpr float kFoundIou = 0.75f;  // two grid steps off is not found

// Of a value, where the root mean square is within one step: nobody tells them apart.
inline constexpr double kMostSteps = 4;
inline constexpr double kScoreStep = 1.0 / 256;  // of 8 bits over 0 to 1
inline constexpr double kFinerThanInt8 = 8;      // FP16's own steps below 1 are 1/2048

// What an output has to reach. Shares in percent; from five samples on one miss is always allowed.
// Scores of one box that differ by same_score or less are the same.
struct Limits {
  double snr_db, cosine, top1, f1, iou, same_score;
};
inline constexpr Limits kInt8Limits{10, 0.99, 90, 90, 90, kMostSteps* kScoreStep};
inline constexpr Limits kFp16Limits{30, 0.999, 99, 98, 98, kMostSteps* kScoreStep / kFinerThanInt8};

// Of fewer samples or boxes one is a larger share than any limit allows.
inline constexpr int64_t kFew = 5;
// Misses out of `count` that a share in percent allows: one at least, since of ten samples nine are
// 90 %, but of fewer than kFew none.
int64_t AllowedMisses(int64_t count, double percent);

// Sums over samples of one plan's answers.
//
// A box is found before a threshold cuts it off, so that 0.49 is not nothing beside 0.5. A box just
// below the sure score counts where the other side is sure of it with the same score.
struct AnswerAgreement {
  double sure_score = kSureScore, same_score = kInt8Limits.same_score;
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
  // Detection with fewer than kFew sure boxes on both sides: too few to call a plan bad for one.
  bool AreFew(blob::Task task) const;
  // They are few, and at most one box is missing, or moved, or unsure.
  bool MissOneOfFew(blob::Task task) const;
};

// Whether the decoder of `blob` reads output `index`.
bool DecoderReads(const BlobView& blob, uint32_t index);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_AGREEMENT_H_
