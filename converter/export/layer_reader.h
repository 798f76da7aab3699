// The int8 layers of a blob beside the nodes of the model that they compute: what their numbers
// are, and what they are worth.
#ifndef OCTET_CONVERTER_EXPORT_LAYER_READER_H_
#define OCTET_CONVERTER_EXPORT_LAYER_READER_H_

#include <string>
#include <vector>

#include "converter/export/int8_plan.h"
#include "converter/graph/graph.h"
#include "converter/operators/output_view.h"

namespace octet::exporting {

// A factor of 0 (below 2^-32) lets nothing through; a scale has to be above 0 all the same.
inline constexpr double kNoScale = 1e-30;

class LayerReader {
 public:
  // Throws as Int8Plan.
  LayerReader(const graph::Graph& graph, const BlobView& blob, const std::string& path);

  const Int8Plan& plan() const { return plan_; }
  const graph::Links& links() const { return links_; }
  // The only node that reads a value; null: there are several, or none.
  const graph::Node* ReaderOf(graph::ValueId id) const;
  // In the order of the model's weights. Throws UserError where these are of another layer.
  LayerNumbers NumbersOf(const graph::Node& node, const blob::LayerRecord& layer) const;
  // Real value of a step of the result, by channel; 0 where the weights have no effect, for such
  // a channel's factor says nothing. in_scales: of the input, by channel; empty: one for all.
  std::vector<double> StepsOf(const graph::Node& node, const blob::LayerRecord& layer,
                              const LayerNumbers& numbers,
                              const std::vector<double>& in_scales) const;
  // Of the layer's own result, which its table maps to the tensor written: by far most channels say
  // the same; the best is the one that makes the table.
  double ScaleBeforeTable(const graph::Node& node, const blob::LayerRecord& layer,
                          const std::vector<double>& steps);
  // Entries of tables that come out differently, `worst` of one table. Throws UserError where that
  // is another activation's table.
  void Count(const graph::Node& node, int worst, int differing);
  int64_t differing_entries() const { return differing_entries_; }

  [[noreturn]] void FailOther(const graph::Node& node, const std::string& why) const;

 private:
  int64_t FlattenedPixels(const graph::Node& node) const;

  const graph::Graph& graph_;
  const std::string& path_;
  graph::Links links_;
  operators::OutputView view_;
  Int8Plan plan_;
  int64_t differing_entries_ = 0;
};

}  // namespace octet::exporting

#endif  // OCTET_CONVERTER_EXPORT_LAYER_READER_H_
