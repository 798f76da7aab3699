// Values whose powers of two have to be the same, because an operator adds, joins or passes them.
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
  std::vector<int> exponent;  // one, or one a channel; 0 where pinned
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
  // The input of a bilinear node or a quotient that is computed where the other one is constant,
  // else -1.
  int DataInput(const graph::Node& node) const;
  // Largest magnitude seen, of all or of one channel; 0 where nothing finite was.
  double Largest(graph::ValueId id) const;
  double Largest(graph::ValueId id, size_t channel) const;

 private:
  bool Computed(graph::ValueId id) const;
  size_t Root(graph::ValueId id);
  void Tie(graph::ValueId a, graph::ValueId b);
  void Pin(graph::ValueId id);
  void MakeUniform(graph::ValueId id);
  void Visit(const graph::Node& node);
  void VisitHomogeneous(const graph::Node& node);
  void VisitBilinear(const graph::Node& node);
  void VisitQuotient(const graph::Node& node);
  void MarkBorders();
  void Collect();

  const graph::Graph& graph_;
  const std::vector<std::optional<calibrate::Statistics>>& statistics_;
  const Scheme& scheme_;
  graph::Links links_;
  operators::OutputView view_;
  std::vector<size_t> parent_;  // by value
  std::vector<bool> pinned_, uniform_, met_;
  std::vector<int> group_of_;
  std::vector<HalfGroup> groups_;  // in the order in which values appear
};

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_HALF_GROUPS_H_
