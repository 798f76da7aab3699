// The search for precisions: every rule that weighs cost and gain proposes sets of layers for FP16,
// and one place decides.
//
// A plan of the graph with the set in FP16 is made and run as on a board, and what it loses of
// FP32's answers is measured (judge/measure). Of all candidates that one is taken for which
//
//   TimeOfOne() * price + time added / time of the plan without it
//
// is least; the price is the loss, and for boxes the number that users see. Times are those of the
// board's clock, else of the stated model (assign/clock.h). All sets together add at most the
// budget of time (--fp16-budget).
//
// A plan that misses its limit serves nobody: of candidates that meet it one is taken, whatever
// their time within the budget. To mend such a plan a small time is free, whatever share of the
// plan's it is.
//
// A choice is made on each half of the samples alone. Where both halves choose the same, no sample
// has chosen for itself, and all of them may judge the plan. Where they differ, the choice of the
// first half is taken if the other half gains by it too, and the other half alone judges then.
#ifndef OCTET_CONVERTER_CONVERT_SEARCH_H_
#define OCTET_CONVERTER_CONVERT_SEARCH_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/assign/clock.h"
#include "converter/convert/evidence.h"
#include "converter/judge/verdict.h"
#include "converter/quantize/scheme.h"

namespace octet::convert {

class Search {
 public:
  // plan_of: the int8 plan of a scheme; nullopt where none can be made.
  using PlanOf = std::function<std::optional<write::Plan>(const quantize::Scheme&)>;
  Search(Evidence* evidence, const assign::Clock* clock, double budget, PlanOf plan_of);

  // Whether a decoder reads the answers of plans.
  bool HasAnswers() const { return evidence_->HasAnswers(); }

  struct Candidate {
    std::string name;  // of what is proposed
    quantize::Scheme scheme;
  };
  // The index of the candidate that is taken, none: the plan stays as it is.
  std::optional<size_t> Choose(const quantize::Scheme& base,
                               const std::vector<Candidate>& candidates);

  const Evidence& evidence() const { return *evidence_; }
  // The same where the plan misses its limit: candidates that meet it come first, and what MakeFree
  // gives costs nothing.
  std::optional<size_t> Mend(const quantize::Scheme& base,
                             const std::vector<Candidate>& candidates);
  // Of layers that are left when a plan was mended: what gains little is not taken.
  std::optional<size_t> MendMore(const quantize::Scheme& base,
                                 const std::vector<Candidate>& candidates);
  // What all mendings together may add beside the budget.
  void MakeFree(int64_t ns) { free_ns_ = ns; }

  // Null where the plan cannot be made.
  std::shared_ptr<const judge::Measure> MeasureOf(const quantize::Scheme& scheme);

  // Whether the plan of a scheme loses more than the limit by the estimate.
  bool Misses(const quantize::Scheme& scheme);

  // What was weighed.
  const std::vector<judge::Proposal>& proposals() const { return proposals_; }
  std::string Unit() const { return unit_; }

 private:
  struct Weighed {
    std::shared_ptr<const judge::Measure> measure;
    int64_t ns = 0;
  };
  // What is asked of a set beside its worth.
  enum class Aim : uint8_t { kWorth, kLimit, kMore };
  std::optional<Weighed> Weigh(const quantize::Scheme& scheme);
  std::optional<size_t> Decide(const quantize::Scheme& base,
                               const std::vector<Candidate>& candidates, Aim aim);

  Evidence* evidence_;
  const assign::Clock* clock_;
  std::unique_ptr<assign::Clock> stated_;  // where nobody knows the board
  double left_;                            // of the budget
  int64_t free_ns_ = 0;                    // beside it
  PlanOf plan_of_;
  std::vector<judge::Proposal> proposals_;
  std::string unit_;
};

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_SEARCH_H_
