// Stand-ins for minus infinity: what masks write where a Softmax or a maximum shall see nothing.
//
// Models write -inf, -3.4e38, -65504, -1e9, -1e4 or -100 by Where, Add, Sub, Mul, Concat, Min or
// Pad, from constants or computed from inputs. None of them is a number that anybody tells from
// another one as low, and a range that holds them has no room for those that count. They are told
// by what reads them, not by their size:
//
//   Softmax, LogSoftmax   numbers 87.34 and more below the largest of their row: exp(x - max) is no
//                         normal float, so that a probability is 0 in every plan; rows that are as
//                         far below the others are masked whole
//   Exp, Sigmoid          numbers below -87.34
//   ReduceLogSumExp       numbers 87.34 below the least result
//   Max, MaxPool, GlobalMaxPool, ReduceMax, TopK of the largest
//                         numbers below the least result, which never win
//   Min, ReduceMin        numbers above the largest result
//   what moves, joins, adds or scales values
//                         those that its own result has as stand-ins
//
// A value has stand-ins where all that read it say so, and where it could have got some: it is an
// input, or numbers of 87 and more meet others on the way to it, the bias of a layer among them.
// Behind a maximum they have to be kFarOff times as far as all else, in front of a Softmax kFar
// times where the value is not what the Softmax itself reads. They take no part in what calibration
// keeps of a value but its count.
#ifndef OCTET_CONVERTER_CALIBRATE_STAND_INS_H_
#define OCTET_CONVERTER_CALIBRATE_STAND_INS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"

namespace octet::calibrate {

// How many of the numbers that a value had were such.
int64_t StandInCount(const Statistics& statistics);

class StandIns {
 public:
  // All readers have left out what lies outside of [low, high].
  struct Bounds {
    float low, high;
  };
  // How often the range of all numbers holds that of those that count, at least.
  static constexpr float kFar = 4, kFarOff = 32;

  explicit StandIns(const graph::Graph& graph);

  // Whether the value may have some in any sample.
  bool IsCandidate(graph::ValueId id) const { return candidate_[static_cast<size_t>(id)]; }
  bool Any() const { return any_; }

  // A computed value of the sample, in the order of computing. Candidates are kept until Finish.
  void Add(graph::ValueId id, const graph::Tensor& tensor);
  // The end of a sample: each candidate, with infinities for stand-ins where it has some.
  using Receiver = std::function<void(graph::ValueId, const graph::Tensor&, bool masked)>;
  void Finish(const Receiver& receive);

 private:
  struct Seen {
    float low = 0, high = 0;  // of the finite numbers; low > high where there is none
    bool finite = true;       // all of them
  };
  struct Kept {
    Bounds bounds;
    float factor;
  };

  bool MayHold(graph::ValueId id) const { return may_hold_[static_cast<size_t>(id)]; }
  void FindSources();
  void FindSilenced();
  std::optional<Kept> KeptBy(const graph::Node& node, size_t input, const graph::Tensor& tensor);
  std::optional<Kept> KeptByCarrier(const graph::Node& node, size_t input) const;
  std::optional<Kept> KeptOf(graph::ValueId id, const graph::Tensor& tensor);
  const Seen& SeenOf(graph::ValueId id) const { return seen_[static_cast<size_t>(id)]; }

  const graph::Graph& graph_;
  graph::Links links_;
  std::vector<bool> may_hold_, candidate_;
  bool any_ = false;
  // Of this sample.
  std::vector<Seen> seen_;
  std::vector<std::optional<Kept>> kept_;  // of candidates, from Finish on
  std::vector<std::pair<graph::ValueId, graph::Tensor>> stash_;
};

}  // namespace octet::calibrate

#endif  // OCTET_CONVERTER_CALIBRATE_STAND_INS_H_
