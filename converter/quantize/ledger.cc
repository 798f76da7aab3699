#include "converter/quantize/ledger.h"

#include <algorithm>
#include <utility>

#include "converter/quantize/reasons.h"

namespace octet::quantize {
namespace {

using blob::Precision;

bool IsStronger(const Entry& a, const Entry& b) {
  return a.reason < b.reason;
}

void Insert(Entry entry, std::vector<Entry>* entries) {
  const auto at = std::lower_bound(entries->begin(), entries->end(), entry, IsStronger);
  if (at != entries->end() && at->reason == entry.reason) {
    *at = std::move(entry);
  } else {
    entries->insert(at, std::move(entry));
  }
}

}  // namespace

Precision Entry::Wants() const {
  return FactsOf(reason).wants;
}

std::string Entry::Text() const {
  return detail.empty() ? FactsOf(reason).text : detail;
}

void Ledger::Add(Entry entry) {
  if (nodes_.size() <= entry.node) nodes_.resize(entry.node + 1);
  std::vector<Entry>& entries = nodes_[entry.node];
  Insert(std::move(entry), &entries);
}

void Ledger::AddEverywhere(Entry entry) {
  Insert(std::move(entry), &everywhere_);
}

std::vector<const Entry*> Ledger::Of(size_t node) const {
  std::vector<const Entry*> all;
  if (node < nodes_.size()) {
    for (const Entry& entry : nodes_[node]) all.push_back(&entry);
  }
  for (const Entry& entry : everywhere_) all.push_back(&entry);
  std::stable_sort(all.begin(), all.end(),
                   [](const Entry* a, const Entry* b) { return IsStronger(*a, *b); });
  return all;
}

const Entry* Ledger::Deciding(size_t node) const {
  const std::vector<const Entry*> all = Of(node);
  return all.empty() ? nullptr : all.front();
}

Precision Ledger::Decide(size_t node) const {
  const Entry* entry = Deciding(node);
  return entry == nullptr ? Precision::kInt8 : entry->Wants();
}

}  // namespace octet::quantize
