#include "converter/report/ledger.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "converter/operators/output_view.h"
#include "converter/quantize/impossible.h"
#include "converter/quantize/reasons.h"

namespace octet::report {
namespace {

using blob::Precision;
using nlohmann::json;

const char* WordOf(Precision precision) {
  return precision == Precision::kInt8 ? "int8" : "fp16";
}

json EntryJson(const quantize::Entry& entry) {
  json row = {{"reason", quantize::FactsOf(entry.reason).word},
              {"text", entry.Text()},
              {"gain_db", nullptr},
              {"cost_ms", nullptr},
              {"cost_arena_bytes", nullptr},
              {"proposal", nullptr},
              {"measured_with", entry.measured_with}};
  if (!entry.proposal.empty()) row["proposal"] = entry.proposal;
  if (entry.gain_db) row["gain_db"] = *entry.gain_db;
  if (entry.cost_ns) row["cost_ms"] = static_cast<double>(*entry.cost_ns) / 1e6;
  if (entry.cost_arena_bytes) row["cost_arena_bytes"] = *entry.cost_arena_bytes;
  return row;
}

int64_t MacsOf(const graph::Graph& graph, const graph::Node& node) {
  const int64_t products = quantize::AccumulatedProducts(graph, node);
  if (products == 0) return 0;
  return products * graph::ElementCount(*graph.At(node.outputs[0]).shape);
}

}  // namespace

json LedgerJson(const graph::Graph& graph, const quantize::Scheme& scheme) {
  const std::vector<bool> needed = operators::ViewOutputs(graph).needed;
  json rows = json::array();
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const std::vector<const quantize::Entry*> entries = scheme.ledger.Of(n);
    const bool wanted_fp16 = std::any_of(entries.begin(), entries.end(), [](const auto* entry) {
      return entry->Wants() == Precision::kFp16;
    });
    if (!needed[n] || !wanted_fp16) continue;
    const graph::Node& node = graph.nodes[n];
    json row = EntryJson(*entries.front());
    row["name"] = node.name;
    row["op"] = node.op;
    row["precision"] = WordOf(scheme.precision[n]);
    row["macs"] = MacsOf(graph, node);
    row["overruled"] = json::array();
    for (const quantize::Entry* entry : entries) {
      if (entry->Wants() == entries.front()->Wants()) continue;
      row["overruled"].push_back(EntryJson(*entry));
      row["overruled"].back()["wants"] = WordOf(entry->Wants());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace octet::report
