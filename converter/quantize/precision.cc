#include "converter/quantize/precision.h"

#include <algorithm>
#include <string_view>

#include <fmt/ranges.h>

#include "converter/quantize/activation.h"
#include "converter/quantize/carried.h"
#include "converter/quantize/coarse_inputs.h"
#include "converter/quantize/narrow_outputs.h"
#include "converter/quantize/positions.h"
#include "converter/quantize/reasons.h"
#include "converter/quantize/states.h"
#include "converter/quantize/tail.h"
#include "converter/quantize/whole_numbers.h"
#include "converter/quantize/wide_inputs.h"
#include "converter/support/not_possible.h"

namespace octet::quantize {
namespace {

// Chosen by name or by what it is worth, so that the activation behind it goes with it.
bool IsChosen(const Entry* entry) {
  if (entry == nullptr) return false;
  switch (entry->reason) {
    case Reason::kRequestedFp16:
    case Reason::kAssigned:
    case Reason::kFloatOutput:
    case Reason::kWideInput:
    case Reason::kStretch:
      return true;
    default:
      return false;
  }
}

// The activation of a layer that was chosen to run in FP16: between them nothing may be rounded to
// 8 bits, and `octet inspect` shows the two as one layer.
bool Follows(const graph::Graph& graph, const graph::Links& links, const graph::Node& node,
             const Ledger& ledger) {
  if (!IsActivation(node)) return false;
  const auto input = static_cast<size_t>(node.inputs[0]);
  const int producer = links.producer[input];
  return producer >= 0 && IsChosen(ledger.Deciding(static_cast<size_t>(producer))) &&
         links.consumers[input].size() == 1 &&
         AccumulatedProducts(graph, graph.nodes[static_cast<size_t>(producer)]) > 0;
}

// What a value is made of in FP16 for `reason`, from the last weights on.
void MakeExact(const graph::Graph& graph, const graph::Links& links, graph::ValueId value,
               Reason reason, Scheme* scheme) {
  for (std::vector<graph::ValueId> open = {value}; !open.empty();) {
    const graph::ValueId id = open.back();
    open.pop_back();
    const int producer = id == graph::kNoValue ? -1 : links.producer[static_cast<size_t>(id)];
    if (producer < 0) continue;
    const auto n = static_cast<size_t>(producer);
    if (scheme->precision[n] == blob::Precision::kFp16) continue;
    scheme->Want({.node = n, .reason = reason});
    if (scheme->precision[n] == blob::Precision::kInt8) continue;
    const graph::Node& node = graph.nodes[n];
    if (AccumulatedProducts(graph, node) > 0) continue;
    open.insert(open.end(), node.inputs.rbegin(), node.inputs.rend());
  }
}

// UserError at the first node that cannot run in int8 and is bound to.
void RequirePossible(const graph::Graph& graph, const Ledger& ledger) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const std::vector<const Entry*> entries = ledger.Of(n);
    if (entries.empty() || !FactsOf(entries[0]->reason).refuses_int8) continue;
    if (std::none_of(entries.begin(), entries.end(), [](const Entry* e) { return e->binds; })) {
      continue;
    }
    const graph::Node& node = graph.nodes[n];
    RuleOut("node '{}' ({}) must run in int8 but cannot: {}; set it to fp16 in --config", node.name,
            node.op, entries[0]->Text());
  }
}

// Writes what everybody wants of every node, in the order of execution: who follows another does so
// by what was decided of it.
class Writer {
 public:
  Writer(const graph::Graph& graph, const AllStatistics& statistics, const Config& config,
         Scheme* scheme)
      : graph_(graph),
        statistics_(statistics),
        config_(config),
        links_(graph),
        wide_(FindWideReaders(graph, statistics, config)),
        positions_(SampledPositions(graph)),
        states_(MovesStates(graph)),
        carried_(CarriedByStates(graph)),
        whole_(WholeNumbersOfOutputs(graph)),
        narrow_(NarrowOutputs(graph, statistics)),
        scheme_(scheme) {}

  void Run() {
    if (config_.int8_everywhere) {
      scheme_->ledger.AddEverywhere({.reason = Reason::kInt8Everywhere, .binds = true});
    }
    if (!config_.overflow.empty()) {
      scheme_->ledger.AddEverywhere({.reason = Reason::kOverflow, .detail = config_.overflow});
    }
    scheme_->precision.assign(graph_.nodes.size(), blob::Precision::kInt8);
    for (const Entry& entry : config_.measured) scheme_->Want(entry);
    WantTail();
    for (size_t n = 0; n < graph_.nodes.size(); ++n) WriteOf(n);
    RequirePossible(graph_, scheme_->ledger);
    Warn();
    // Where a finite number becomes infinite.
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Entry* entry = scheme_->ledger.Deciding(n);
      if (entry == nullptr || !IsOwnWarning(entry->reason)) continue;
      if (!MakesInfinity(graph_, statistics_, graph_.nodes[n])) continue;
      for (graph::ValueId id : graph_.nodes[n].inputs) {
        MakeExact(graph_, links_, id, Reason::kBeforeInfinity, scheme_);
      }
    }
  }

 private:
  // Said of each node by itself.
  static bool IsOwnWarning(Reason reason) {
    return reason == Reason::kTooManyProducts || reason == Reason::kAsymmetricOnly ||
           reason == Reason::kNotFinite;
  }

  // Also where measuring has found that it gains too little.
  void WantTail() {
    if (config_.fp16_tail == false && !config_.tail) return;
    const std::vector<bool> tail = ArithmeticTail(graph_);
    const auto count = static_cast<size_t>(std::count(tail.begin(), tail.end(), true));
    for (size_t n = 0; n < tail.size(); ++n) {
      if (!tail[n]) continue;
      Entry entry = config_.tail.value_or(Entry());
      entry.node = n;
      entry.reason = Reason::kTail;
      entry.measured_with = count;
      if (config_.fp16_tail == false) {
        scheme_->Want({.node = n, .reason = Reason::kTailGainsTooLittle});
      }
      scheme_->Want(std::move(entry));
    }
  }

  void WriteOf(size_t n) {
    const graph::Node& node = graph_.nodes[n];
    if (const std::optional<Request> request = RequestOf(config_, node)) {
      const bool int8 = request->precision == blob::Precision::kInt8;
      Entry entry{.node = n, .reason = int8 ? Reason::kRequestedInt8 : Reason::kRequestedFp16};
      entry.detail = fmt::format("'{}' of the configuration asks for {} there", request->pattern,
                                 int8 ? "int8" : "FP16");
      entry.binds = int8 && request->constraint == Constraint::kObey;
      scheme_->Want(std::move(entry));
    } else if (Follows(graph_, links_, node, scheme_->ledger)) {
      scheme_->Want({.node = n, .reason = Reason::kFollows});
    }
    if (auto entry = WhyNotInt8(graph_, links_, statistics_, config_, n)) {
      scheme_->Want(std::move(*entry));
    }
    if (IsGiven(graph_, node)) scheme_->Want({.node = n, .reason = Reason::kGiven});
    if (wide_.nodes[n]) scheme_->Want({.node = n, .reason = Reason::kWideInput});
    if (whole_[n] || narrow_[n]) scheme_->Want({.node = n, .reason = Reason::kFloatOutput});
    if (positions_[n]) scheme_->Want({.node = n, .reason = Reason::kPosition});
    if (states_[n] || carried_[n]) scheme_->Want({.node = n, .reason = Reason::kState});
  }

  std::vector<std::string> NamesOf(Reason reason) const {
    std::vector<std::string> names;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Entry* entry = scheme_->ledger.Deciding(n);
      if (entry != nullptr && entry->reason == reason) {
        names.push_back("'" + graph_.nodes[n].name + "'");
      }
    }
    return names;
  }

  void Warn() {
    auto& warnings = scheme_->warnings;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Entry* entry = scheme_->ledger.Deciding(n);
      if (entry == nullptr || !IsOwnWarning(entry->reason)) continue;
      warnings.push_back(fmt::format("node '{}' ({}) runs in FP16: {}", graph_.nodes[n].name,
                                     graph_.nodes[n].op, entry->Text()));
    }
    if (const auto masked = NamesOf(Reason::kMasked); !masked.empty()) {
      warnings.push_back(
          fmt::format("{} nodes run in FP16, the first is {}: they read or write a mask's minus "
                      "infinity (or its substitute), for which 8 bits are too coarse",
                      masked.size(), masked[0]));
    }
    if (const auto wide = NamesOf(Reason::kWideInput); !wide.empty()) {
      warnings.push_back(fmt::format(
          "{}: {} run{} in FP16; try: for int8, clamp these values before the model, or set the "
          "input's range in --config",
          fmt::join(wide_.reasons, ", "), fmt::join(wide, ", "), wide.size() == 1 ? "s" : ""));
      if (!wide_.beyond.empty()) {
        warnings.push_back(
            fmt::format("{} read{} values as wide as the input: 8 bits are too coarse for them; "
                        "try: fp16 for these nodes in --config, or the fp16 plan",
                        fmt::join(wide_.beyond, ", "), wide_.beyond.size() == 1 ? "s" : ""));
      }
    }
  }

  const graph::Graph& graph_;
  const AllStatistics& statistics_;
  const Config& config_;
  graph::Links links_;
  WideReaders wide_;
  std::vector<bool> positions_, states_, carried_, whole_, narrow_;
  Scheme* scheme_;
};

}  // namespace

void Scheme::Want(Entry entry) {
  const size_t n = entry.node;
  ledger.Add(std::move(entry));
  precision[n] = ledger.Decide(n);
}

void AssignPrecision(const graph::Graph& graph, const AllStatistics& statistics,
                     const Config& config, Scheme* scheme) {
  RequireAgreement(graph, config);
  Writer(graph, statistics, config, scheme).Run();
}

// Whether somebody keeps in int8 what a value is made of.
static bool IsMadeInInt8(const graph::Links& links, graph::ValueId id, const Scheme& scheme) {
  const int producer = links.producer[static_cast<size_t>(id)];
  return scheme.precision[static_cast<size_t>(producer)] == blob::Precision::kInt8;
}

bool AvoidCoarseInputs(const graph::Graph& graph, const AllStatistics& statistics,
                       const Config& config, Scheme* scheme) {
  if (config.StaysInt8()) return false;
  const graph::Links links(graph);
  std::vector<std::string> names;
  for (const CoarseNode& coarse :
       FindCoarseNodes(graph, statistics, *scheme, config.coarse_steps)) {
    if (!coarse.in_view) {
      scheme->Want({.node = coarse.node,
                    .reason = Reason::kFinerResult,
                    .detail = fmt::format("8 bits of its inputs and weights move its result by "
                                          "{:.2g} of the steps that the model rounds it to",
                                          coarse.steps)});
      if (scheme->precision[coarse.node] == blob::Precision::kInt8) continue;
    }
    for (const graph::ValueId id : coarse.inputs) {
      MakeExact(graph, links, id, Reason::kBeforeFinerResult, scheme);
    }
    if (coarse.in_view && IsMadeInInt8(links, coarse.inputs[0], *scheme)) continue;
    names.push_back("'" + graph.nodes[coarse.node].name + "'");
  }
  if (names.empty()) return false;
  constexpr size_t kMostNamed = 3;
  const size_t count = names.size();
  if (count > kMostNamed) names.resize(kMostNamed);
  scheme->warnings.push_back(
      fmt::format("{} node{} run{} in FP16: {}{}. The model rounds {} to steps finer than what 8 "
                  "bits of its inputs and weights tell apart. --int8-everywhere turns this off",
                  count, count == 1 ? "" : "s", count == 1 ? "s" : "", fmt::join(names, ", "),
                  count > kMostNamed ? ", ..." : "", count == 1 ? "its result" : "their results"));
  return true;
}

}  // namespace octet::quantize
