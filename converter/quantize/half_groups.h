// Values whose powers of two hang together, because an operator adds, joins or passes them, or
// takes their square or their root.
#ifndef OCTET_CONVERTER_QUANTIZE_HALF_GROUPS_H_
#define OCTET_CONVERTER_QUANTIZE_HALF_GROUPS_H_

#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/operators/output_view.h"
#include "converter/quantize/scheme.h"

namespace octet::quantize {

struct HalfGroup {
  bool pinned = false;        // a member meets an operator that lets no factor pass
  bool uniform = false;       // one exponent for all channels
  std::vector<int> exponent;  // of a value of degree 0: one, or one a channel; 0 where pinned
  std::vector<graph::ValueId> values;
};

class HalfGroups {
 public:
  HalfGroups(const graph::Graph& graph,
             const std::vector<std::optional<calibrate::Statistics>>& statistics,
             const Scheme& scheme);

  const graph::Graph& graph() const { return graph_; }
  const graph::Links& links() const { return links_; }
  const operators::OutputView& view() const { return view_; }
  std::vector<HalfGroup>& groups() { return groups_; }
  // Whether a node is executed, and in FP16.
  bool IsHalf(size_t node) const;
  // Null for constants, integers and values no FP16 layer meets.
  const HalfGroup* GroupOf(graph::ValueId id) const;
  HalfGroup* GroupOf(graph::ValueId id);
  // A value's exponent is that of its group times two to the power of its degree, which is 0 or
  // more: a square has one more than what it is of.
  int DegreeOf(graph::ValueId id) const { return degree_[static_cast<size_t>(id)]; }
  // Of the value's group, for one channel; 0 where it has none.
  int ExponentOf(graph::ValueId id, size_t channel) const;
  // The largest degree of a group.
  static constexpr int kMostDegree = 3;
  // The input of a bilinear node or a quotient that is computed where the other one is constant,
  // else -1.
  int DataInput(const graph::Node& node) const;
  // Largest magnitude seen, of all or of one channel; 0 where nothing finite was.
  double Largest(graph::ValueId id) const;
  double Largest(graph::ValueId id, size_t channel) const;
  // The least number seen; 0 where it is below 0 or nothing finite was.
  double Smallest(graph::ValueId id) const;

 private:
  bool Computed(graph::ValueId id) const;
  size_t Root(graph::ValueId id);
  // more: the degree of b beyond that of a.
  void Tie(graph::ValueId a, graph::ValueId b, int more = 0);
  void Pin(graph::ValueId id);
  void MakeUniform(graph::ValueId id);
  void Visit(const graph::Node& node);
  void VisitHomogeneous(const graph::Node& node);
  void VisitBilinear(const graph::Node& node);
  void VisitQuotient(const graph::Node& node);
  // False: it is none, or one whose result another function follows.
  bool VisitPower(const graph::Node& node);
  void MarkBorders();
  void Collect();

  const graph::Graph& graph_;
  const std::vector<std::optional<calibrate::Statistics>>& statistics_;
  const Scheme& scheme_;
  graph::Links links_;
  operators::OutputView view_;
  std::vector<size_t> parent_;  // by value
  std::vector<int> degree_;     // beyond that of the parent; in the end as DegreeOf says
  std::vector<bool> pinned_, uniform_, met_;
  std::vector<int> group_of_;
  std::vector<HalfGroup> groups_;  // in the order in which values appear
};

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_HALF_GROUPS_H_
