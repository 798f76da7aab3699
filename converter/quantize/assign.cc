// Ranges to schemes, with the ties between values that operators impose: those that only move data
// keep the scale of their input, a Concat has one scale for all its inputs, and what a clamp alone
// reads has the clamp's, so that it is rounded once.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "converter/calibrate/stand_ins.h"
#include "converter/operators/clamp.h"
#include "converter/operators/copies.h"
#include "converter/operators/fill.h"
#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/operators/recurrent.h"
#include "converter/quantize/channel_scales.h"
#include "converter/quantize/precision.h"
#include "converter/quantize/ranges.h"
#include "converter/quantize/reasons.h"
#include "converter/quantize/scheme.h"
#include "converter/quantize/unquantized.h"
#include "converter/quantize/weight_schemes.h"
#include "converter/support/not_possible.h"

namespace octet::quantize {
namespace {

using graph::ValueId;
using operators::Int8;

// 5 of 8 bits lost: what is left tells 8 levels apart.
constexpr float kRuinous = 32;
// No activation: what files write for infinity.
constexpr float kNoNumber = 1e30f;

// After it grew.
void KeepSymmetric(ValueRange* range) {
  if (!range->symmetric) return;
  range->max = std::max(range->max, -range->min);
  range->min = -range->max;
}

class SchemeMaker {
 public:
  SchemeMaker(const graph::Graph& graph,
              const std::vector<std::optional<calibrate::Statistics>>& statistics,
              std::vector<std::optional<ValueRange>> ranges, Scheme* scheme)
      : graph_(graph),
        statistics_(statistics),
        links_(graph),
        needed_(operators::ViewOutputs(graph).needed),
        ranges_(std::move(ranges)),
        scheme_(scheme) {}

  void Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (ChoosesItsScale(n)) {
        const ValueId id = Node(n).outputs[0];
        Range(id) = ProbabilityRange(statistics_[static_cast<size_t>(id)]);
      }
    }
    for (size_t n = graph_.nodes.size(); n-- > 0;) NarrowToMoved(n);
    GoForward();
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (WidenByFill(n)) GoForward();
    }
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (Joins(n)) WarnOfRuin(n);
    }
    for (size_t n = graph_.nodes.size(); n-- > 0;) {
      if (Joins(n) || OnlyClamps(n)) ShareBackward(n);
    }
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (Moves(n)) ShareForward(n);
    }
    for (const std::string& line : WarnUnquantized(graph_, needed_, ranges_)) Warn(line);
    Write();
  }

 private:
  const graph::Node& Node(size_t n) const { return graph_.nodes[n]; }
  std::optional<ValueRange>& Range(ValueId id) { return ranges_[static_cast<size_t>(id)]; }
  const std::string& Name(ValueId id) const { return graph_.At(id).name; }

  Int8 Int8Of(size_t n) const { return operators::Int8Of(Node(n)); }

  bool RunsInInt8(size_t n) const {
    return needed_[n] && scheme_->precision[n] == blob::Precision::kInt8;
  }

  // The result holds values of input 0 (or a mean of them), at its scale.
  bool Moves(size_t n) const {
    if (!RunsInInt8(n) || graph_.Constant(Node(n).inputs[0]) != nullptr) return false;
    return Int8Of(n) == Int8::kKeepsScale;
  }
  // Probabilities whose codes the model does not say.
  bool ChoosesItsScale(size_t n) const {
    return RunsInInt8(n) && Int8Of(n) == Int8::kFixedScale &&
           graph_.At(Node(n).outputs[0]).given == nullptr;
  }
  bool Joins(size_t n) const { return RunsInInt8(n) && Int8Of(n) == Int8::kJoins; }

  // Relu or Clip as a node of its own: every value that it lets through is one of its input's.
  bool OnlyClamps(size_t n) const {
    return RunsInInt8(n) && Node(n).activation.empty() && !Joins(n) && !Moves(n) &&
           operators::ClampOf(graph_, Node(n)).has_value();
  }

  // Requantizes its result, so that it may do so to any scale.
  bool Computes(size_t n) const {
    return RunsInInt8(n) && !Moves(n) && !Joins(n) && Int8Of(n) != Int8::kFixedScale &&
           !operators::WritesHalves(Node(n));
  }

  // A value that only moving operators read need not hold more than what they let through.
  void NarrowToMoved(size_t n) {
    if (Node(n).outputs.empty()) return;
    const ValueId id = Node(n).outputs[0];
    if (!Computes(n) || !Range(id) || Range(id)->overridden) return;
    if (links_.is_output[static_cast<size_t>(id)]) return;
    const auto& readers = links_.consumers[static_cast<size_t>(id)];
    std::optional<ValueRange> united;
    for (int reader : readers) {
      const auto r = static_cast<size_t>(reader);
      if (!Moves(r) || Node(r).inputs[0] != id) return;
      // What is written beside our values is none of them.
      const auto fill = operators::FillOf(graph_, Node(r));
      if (fill && (*fill < Range(id)->min || *fill > Range(id)->max)) return;
      const auto& moved = Range(Node(r).outputs[0]);
      if (!moved || Range(id)->symmetric != moved->symmetric) return;
      // What lies between elements varies less than they do, and needs them as they are.
      if (!operators::CopiesElements(Node(r)) && !moved->overridden) return;
      if (!united) {
        united = moved;
        united->given = nullptr;
      } else {
        united->min = std::min(united->min, moved->min);
        united->max = std::max(united->max, moved->max);
        united->overridden |= moved->overridden;
      }
    }
    if (!united) return;
    // The origin of a clamp stays: a moved ReLU6 has the same bounds.
    if (Range(id)->origin.kind == Origin::Kind::kClamp && !united->overridden) return;
    Range(id) = united;
  }

  // Ranges of what takes them from its inputs.
  void GoForward() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (Moves(n)) ShareForward(n);
      if (Joins(n)) UniteInputs(n);
    }
  }

  Origin SharedWith(ValueId id) const { return {Origin::Kind::kShared, {}, Name(id)}; }

  void ShareForward(size_t n) {
    const ValueId from = Node(n).inputs[0], to = Node(n).outputs[0];
    if (!Range(from)) return;
    if (Range(to) && Range(to)->given != nullptr) return;
    if (Range(to) && Range(to)->overridden &&
        (Range(to)->min != Range(from)->min || Range(to)->max != Range(from)->max ||
         Range(to)->symmetric != Range(from)->symmetric)) {
      Warn(
          fmt::format("tensor '{}': its entry in --config has no effect, because {} keeps the "
                      "scale of '{}'; try: an entry for that tensor",
                      Name(to), Node(n).op, Name(from)));
    }
    Range(to) = Range(from);
    if (Range(to)->origin.kind != Origin::Kind::kShared) Range(to)->origin = SharedWith(from);
  }

  // Of input `id` of a node that joins; none where nothing is known of it.
  std::optional<calibrate::Range> JoinedRange(ValueId id) {
    if (const graph::Tensor* constant = graph_.Constant(id)) {
      if (constant->floats.empty()) return std::nullopt;
      const auto [min, max] = std::minmax_element(constant->floats.begin(), constant->floats.end());
      return calibrate::Range{*min, *max};
    }
    if (!Range(id)) return std::nullopt;
    return calibrate::Range{Range(id)->min, Range(id)->max};
  }

  void UniteInputs(size_t n) {
    auto& out = Range(Node(n).outputs[0]);
    if (!out || out->overridden) return;
    std::optional<ValueRange> united;
    for (ValueId id : Node(n).inputs) {
      const auto range = JoinedRange(id);
      if (!range) continue;
      if (!united) {
        united = ValueRange{range->min, range->max, out->symmetric, false, {Origin::Kind::kUnion}};
      }
      united->min = std::min(united->min, range->min);
      united->max = std::max(united->max, range->max);
    }
    if (!united) return;
    if (const auto fill = fills_.find(Node(n).outputs[0]); fill != fills_.end()) {
      united->min = std::min(united->min, fill->second.min);
      united->max = std::max(united->max, fill->second.max);
    }
    KeepSymmetric(&*united);
    out = united;
  }

  void WarnOfRuin(size_t n) {
    const auto& out = Range(Node(n).outputs[0]);
    if (!out || out->overridden) return;
    float narrowest = 0;
    for (ValueId id : Node(n).inputs) {
      const auto range = JoinedRange(id);
      if (!range) continue;
      const float width = std::max(range->max, 0.0f) - std::min(range->min, 0.0f);
      if (width > 0 && (narrowest == 0 || width < narrowest)) narrowest = width;
    }
    if (narrowest == 0 || out->max - out->min <= kRuinous * narrowest) return;
    Warn(fmt::format(
        "node '{}' (Concat) joins a tensor of range {:.3g} with others of range {:.3g}: it keeps "
        "few bits; try: fp16 for this node under `layers:` in --config",
        Node(n).name, narrowest, out->max - out->min));
  }

  // The constant a moving operator writes beside values of its input has their scale: the range
  // where that scale is chosen holds it too. True where a range has changed.
  bool WidenByFill(size_t n) {
    if (!Moves(n)) return false;
    const std::optional<float> fill = operators::FillOf(graph_, Node(n));
    ValueId root = Node(n).inputs[0];
    for (int p = links_.producer[static_cast<size_t>(root)];
         p >= 0 && Moves(static_cast<size_t>(p)) && !Range(root)->overridden;
         p = links_.producer[static_cast<size_t>(root)]) {
      root = Node(static_cast<size_t>(p)).inputs[0];
    }
    auto& range = Range(root);
    if (!fill || !range || (*fill >= range->min && *fill <= range->max)) return false;
    // Stands for minus infinity, in front of a maximum: the lowest code is as good.
    const auto& seen = statistics_[static_cast<size_t>(Node(n).outputs[0])];
    if (*fill <= -kNoNumber || (seen && calibrate::StandInCount(*seen) > 0)) return false;
    const int producer = links_.producer[static_cast<size_t>(root)];
    const float width = range->max - range->min;
    ValueRange wide = *range;
    wide.min = std::min(wide.min, *fill);
    wide.max = std::max(wide.max, *fill);
    KeepSymmetric(&wide);
    const bool fixed = producer >= 0 && Int8Of(static_cast<size_t>(producer)) == Int8::kFixedScale;
    if (range->overridden || fixed || !(wide.max - wide.min <= kRuinous * width)) {
      // Beside it nothing would be left of the values, or their scale is not ours to choose.
      wide.given = nullptr;
      wide.overridden = false;
      if (auto& own = Range(Node(n).outputs[0]); own && own->given == nullptr) own = wide;
      Entry entry{.node = n, .reason = Reason::kFill};
      entry.detail = fmt::format("it writes {} beside values of '{}', whose range is {} to {}",
                                 *fill, Name(root), range->min, range->max);
      Warn(fmt::format("node '{}' ({}) runs in FP16: {}; try: `layers:` in --config asks for int8",
                       Node(n).name, Node(n).op, entry.detail));
      scheme_->Want(std::move(entry));
      return true;
    }
    wide.origin = {Origin::Kind::kFill, {}, Node(n).name};
    fills_[root] = {wide.min, wide.max};
    range = wide;
    return true;
  }

  // Inputs that nobody else reads are rounded once, straight to the scale of the result.
  void ShareBackward(size_t n) {
    const ValueId to = Node(n).outputs[0];
    if (!Range(to)) return;
    for (ValueId id : Node(n).inputs) TakeRange(id, to);
  }

  bool TakeRange(ValueId id, ValueId to) {
    const int producer = links_.producer[static_cast<size_t>(id)];
    if (producer < 0 || links_.is_output[static_cast<size_t>(id)]) return false;
    if (links_.consumers[static_cast<size_t>(id)].size() != 1) return false;
    if (!Range(id) || Range(id)->overridden) return false;
    const auto p = static_cast<size_t>(producer);
    if (Moves(p) ? !TakeRange(Node(p).inputs[0], to) : !(Computes(p) || Joins(p))) return false;
    Range(id) = Range(to);
    Range(id)->overridden = false;
    Range(id)->origin = SharedWith(to);
    return true;
  }

  void Write() {
    scheme_->tensors.assign(graph_.values.size(), std::nullopt);
    for (size_t id = 0; id < ranges_.size(); ++id) {
      if (!ranges_[id]) continue;
      const ValueRange& range = *ranges_[id];
      scheme_->tensors[id] = range.given != nullptr ? Obeyed(*range.given)
                                                    : Affine(range.min, range.max, range.symmetric);
      scheme_->tensors[id]->origin = range.origin;
    }
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!RunsInInt8(n)) continue;
      if (Moves(n)) {
        const auto& from = scheme_->tensors[static_cast<size_t>(Node(n).inputs[0])];
        auto& to = scheme_->tensors[static_cast<size_t>(Node(n).outputs[0])];
        const Origin origin = to ? to->origin : SharedWith(Node(n).inputs[0]);
        to = from;
        if (to) to->origin = origin;
      }
      for (const auto* ids : {&Node(n).inputs, &Node(n).outputs}) {
        for (ValueId id : *ids) RequireScheme(Node(n), id);
      }
    }
  }

  static TensorScheme Obeyed(const graph::Given& given) {
    return TensorScheme{given.scale, given.zero_point, given.Low(), given.High(), {}, {}};
  }

  void RequireScheme(const graph::Node& node, ValueId id) const {
    if (id == graph::kNoValue || graph_.At(id).constant != nullptr) return;
    if (graph_.At(id).type != graph::DataType::kFloat) return;
    if (!scheme_->tensors[static_cast<size_t>(id)]) {
      RuleOut(
          "node '{}' ({}): tensor '{}' has no range, because calibration did not reach it; give "
          "one under `tensors:` in --config",
          node.name, node.op, Name(id));
    }
  }

  void Warn(const std::string& line) {
    auto& warnings = scheme_->warnings;
    if (std::find(warnings.begin(), warnings.end(), line) == warnings.end()) {
      warnings.push_back(line);
    }
  }

  const graph::Graph& graph_;
  const std::vector<std::optional<calibrate::Statistics>>& statistics_;
  graph::Links links_;
  std::vector<bool> needed_;
  std::vector<std::optional<ValueRange>> ranges_;
  std::map<ValueId, calibrate::Range> fills_;  // of values that WidenByFill widened: they stay so
  Scheme* scheme_;
};

}  // namespace

Scheme AssignScheme(const graph::Graph& graph,
                    const std::vector<std::optional<calibrate::Statistics>>& statistics,
                    const Config& config) {
  Scheme scheme;
  scheme.symmetric_only = config.symmetric_only;
  AssignPrecision(graph, statistics, config, &scheme);
  do {
    SchemeMaker(graph, statistics, ChooseRanges(graph, statistics, config, scheme.precision),
                &scheme)
        .Run();
  } while (AvoidCoarseInputs(graph, statistics, config, &scheme));
  ChooseChannelScales(graph, statistics, config, &scheme);
  ChooseWeightSchemes(graph, config, &scheme);
  return scheme;
}

}  // namespace octet::quantize
