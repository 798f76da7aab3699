// The ledger of precision: for every node of the int8 plan, who wants it in which precision, and
// why. Whoever has a reason writes an entry; one function reads them all and decides.
//
// The strongest entry of a node decides, every other that wants something else is overruled by it;
// int8 where nobody wants anything. Reasons have the order of priority (reasons.h).
#ifndef OCTET_CONVERTER_QUANTIZE_LEDGER_H_
#define OCTET_CONVERTER_QUANTIZE_LEDGER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/format/blob.h"

namespace octet::quantize {

enum class Reason : uint8_t;  // reasons.h

// Empty fields: not measured, or not known.
struct Entry {
  size_t node = 0;
  Reason reason{};
  std::string detail = {};              // the reason's text with the node's own numbers and names
  bool binds = false;                   // of int8: an error where the node cannot run so
  std::optional<double> gain_db = {};   // of FP16 over int8
  std::optional<int64_t> cost_ns = {};  // what FP16 adds, by a clock
  std::optional<int64_t> cost_arena_bytes = {};
  std::string proposal = {};  // of the search that moved it (convert/search.h), by name
  size_t measured_with = 1;   // nodes that gain and costs are of, this one among them

  blob::Precision Wants() const;
  std::string Text() const;  // the detail, or the reason's text
};

class Ledger {
 public:
  // In place of the node's entry with the same reason, if it has one.
  void Add(Entry entry);
  // For every node, in the same way; `entry.node` means nothing.
  void AddEverywhere(Entry entry);

  // All that speak of a node, strongest first.
  std::vector<const Entry*> Of(size_t node) const;
  // The strongest; null where nobody wants anything.
  const Entry* Deciding(size_t node) const;
  blob::Precision Decide(size_t node) const;

 private:
  std::vector<std::vector<Entry>> nodes_;  // strongest first; may be shorter than nodes are many
  std::vector<Entry> everywhere_;          // strongest first
};

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_LEDGER_H_
