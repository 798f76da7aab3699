#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "converter/assign/solve.h"

namespace octet::assign {
namespace {

// One choice on the way, shared by all that go on from it.
struct Choice {
  int32_t before;  // -1: the first unit
  bool fp16;
};
struct Entry {
  Figures figures;
  int32_t choice;  // of the last unit
};
// Which of the units in sight run in FP16, in their order.
using State = std::vector<bool>;
using Lists = std::map<State, std::vector<Entry>>;

bool Faster(const Entry& a, const Entry& b) {
  return a.figures.ns != b.figures.ns ? a.figures.ns < b.figures.ns
                                      : a.figures.loss < b.figures.loss;
}

// Leaves what nothing else beats, the fastest first.
void DropDominated(std::vector<Entry>* list) {
  std::stable_sort(list->begin(), list->end(), Faster);
  double least = std::numeric_limits<double>::infinity();
  std::erase_if(*list, [&least](const Entry& entry) {
    if (entry.figures.loss >= least) return true;
    least = entry.figures.loss;
    return false;
  });
}

// Of every so many neighbours in time one; the fastest and the slowest stay.
void Thin(size_t most, std::vector<Entry>* list) {
  if (list->size() <= most) return;
  std::vector<Entry> kept{list->front()};
  for (size_t i = 1; i < most; ++i) kept.push_back((*list)[i * (list->size() - 1) / (most - 1)]);
  *list = std::move(kept);
}

// The least that the units from one on can still lose within a time, if parts of units could run in
// FP16 and borders cost nothing: Dantzig's bound ("Discrete-variable extremum problems", Operations
// Research 5, 1957).
class Bound {
 public:
  // Of the units from `first` on.
  Bound(const Table& table, size_t first) {
    struct Item {
      double less;
      int64_t ns;
    };
    std::vector<Item> items;
    for (size_t u = first; u < table.units.size(); ++u) {
      const Unit& unit = table.units[u];
      const bool low = !unit.fixed || *unit.fixed == blob::Precision::kInt8;
      least_ns_ += low ? unit.int8_ns : unit.fp16_ns;
      if (low) loss_ += unit.loss;
      if (unit.fixed) continue;
      const int64_t added = unit.fp16_ns - unit.int8_ns;
      if (added <= 0) {
        least_ns_ += added;
        loss_ -= unit.loss;
      } else {
        items.push_back({unit.loss, added});
      }
    }
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return a.less * static_cast<double>(b.ns) > b.less * static_cast<double>(a.ns);
    });
    Corner at;
    corners_.push_back(at);
    for (const Item& item : items) {
      at.ns += item.ns;
      at.less += item.less;
      corners_.push_back(at);
    }
  }

  int64_t least_ns() const { return least_ns_; }

  double LeastLoss(int64_t ns) const {
    const int64_t room = ns - least_ns_;
    const auto next = std::upper_bound(corners_.begin(), corners_.end(), room,
                                       [](int64_t t, const Corner& c) { return t < c.ns; });
    if (next == corners_.begin()) return std::numeric_limits<double>::infinity();
    const Corner& below = *std::prev(next);
    double less = below.less;
    if (next != corners_.end()) {
      less += (next->less - below.less) * static_cast<double>(room - below.ns) /
              static_cast<double>(next->ns - below.ns);
    }
    return loss_ - less;
  }

 private:
  struct Corner {
    int64_t ns = 0;
    double less = 0;
  };
  std::vector<Corner> corners_;
  int64_t least_ns_ = 0;
  double loss_ = 0;
};

class Search {
 public:
  // With `known`: one that has to be beaten. Only assignments that do are looked for.
  Search(const Table& table, int64_t most_ns, std::optional<double> known)
      : table_(table), most_ns_(most_ns), known_(known) {
    last_neighbour_.resize(table.units.size());
    to_.resize(table.units.size());
    for (const Border& border : table.borders) {
      last_neighbour_[border.from] = std::max(last_neighbour_[border.from], border.to);
      to_[border.to].push_back(&border);
    }
    for (size_t u = 0; u <= table.units.size(); ++u) bounds_.emplace_back(table, u);
  }

  std::vector<Solution> Run() {
    Lists lists{{State{}, {Entry{{}, -1}}}};
    for (size_t u = 0; u < table_.units.size(); ++u) lists = Step(u, lists);
    std::vector<Entry> all;
    for (const auto& [state, list] : lists) all.insert(all.end(), list.begin(), list.end());
    DropDominated(&all);
    std::vector<Solution> front;
    front.reserve(all.size());
    for (const Entry& entry : all) {
      const Assignment assignment = AssignmentOf(entry);
      front.push_back({assignment, Evaluate(table_, assignment), optimal_});
    }
    return front;
  }

  bool optimal() const { return optimal_; }

 private:
  static bool IsFixedTo16(const Unit& unit) { return *unit.fixed == blob::Precision::kFp16; }
  static int64_t TimeOf(const Unit& unit, bool fp16) { return fp16 ? unit.fp16_ns : unit.int8_ns; }

  Lists Step(size_t u, const Lists& lists) {
    const Unit& unit = table_.units[u];
    std::vector<size_t> still;  // units in sight afterwards
    for (size_t v : in_sight_) {
      if (last_neighbour_[v] > u) still.push_back(v);
    }
    if (last_neighbour_[u] > u) still.push_back(u);
    Lists next;
    for (const auto& [state, list] : lists) {
      for (const bool fp16 : {false, true}) {
        if (unit.fixed && IsFixedTo16(unit) != fp16) continue;
        int64_t ns = TimeOf(unit, fp16);
        for (const Border* border : to_[u]) {
          const auto at = std::find(in_sight_.begin(), in_sight_.end(), border->from);
          if (state[static_cast<size_t>(at - in_sight_.begin())] != fp16) ns += border->ns;
        }
        State then;
        for (size_t v : still) {
          const auto at = std::find(in_sight_.begin(), in_sight_.end(), v);
          then.push_back(v == u ? fp16 : state[static_cast<size_t>(at - in_sight_.begin())]);
        }
        std::vector<Entry>& out = next[then];
        for (const Entry& entry : list) {
          const Figures figures{entry.figures.ns + ns, entry.figures.loss + (fp16 ? 0 : unit.loss)};
          if (!IsWorthIt(u + 1, figures)) continue;
          out.push_back({figures, entry.choice * 2 + (fp16 ? 1 : 0)});
        }
      }
    }
    in_sight_ = std::move(still);
    Limit(u + 1, &next);
    Remember(&next);
    return next;
  }

  double LeastLossOf(size_t next, const Figures& figures) const {
    return figures.loss + bounds_[next].LeastLoss(most_ns_ - figures.ns);
  }

  bool IsWorthIt(size_t next, const Figures& figures) const {
    if (figures.ns + bounds_[next].least_ns() > most_ns_) return false;
    // The bound is a sum in another order: what only seems to be equal goes on.
    return !known_ || LeastLossOf(next, figures) <= *known_ * (1 + 1e-9);
  }

  void Limit(size_t next, Lists* lists) {
    size_t entries = 0;
    for (auto item = lists->begin(); item != lists->end();) {
      DropDominated(&item->second);
      entries += item->second.size();
      item = item->second.empty() ? lists->erase(item) : std::next(item);
    }
    if (lists->size() <= kMostStates && entries <= kMostEntries) return;
    optimal_ = false;
    if (!known_) {
      while (lists->size() > kMostStates) DropSlowest(lists);
      for (auto& [state, list] : *lists) {
        Thin(std::max<size_t>(2, kMostEntries / lists->size()), &list);
      }
      return;
    }
    std::vector<double> least;
    for (const auto& [state, list] : *lists) {
      for (const Entry& entry : list) least.push_back(LeastLossOf(next, entry.figures));
    }
    const size_t kept = std::min(kMostEntries, least.size()) / 2;
    std::nth_element(least.begin(), least.begin() + static_cast<std::ptrdiff_t>(kept), least.end());
    for (auto& [state, list] : *lists) {
      std::erase_if(
          list, [&](const Entry& entry) { return LeastLossOf(next, entry.figures) > least[kept]; });
    }
    std::erase_if(*lists, [](const auto& item) { return item.second.empty(); });
  }

  // The state whose fastest way is slowest has least room left.
  static void DropSlowest(Lists* lists) {
    lists->erase(std::ranges::max_element(
        *lists, {}, [](const auto& item) { return item.second.front().figures.ns; }));
  }

  // Only what is left gets a place in the tree of choices.
  void Remember(Lists* lists) {
    for (auto& [state, list] : *lists) {
      for (Entry& entry : list) {
        const bool fp16 = (entry.choice & 1) != 0;
        choices_.push_back({entry.choice >> 1, fp16});
        entry.choice = static_cast<int32_t>(choices_.size() - 1);
      }
    }
  }

  Assignment AssignmentOf(const Entry& entry) const {
    Assignment assignment(table_.units.size());
    int32_t at = entry.choice;
    for (size_t u = table_.units.size(); u-- > 0;) {
      assignment[u] = choices_[static_cast<size_t>(at)].fp16;
      at = choices_[static_cast<size_t>(at)].before;
    }
    return assignment;
  }

  const Table& table_;
  int64_t most_ns_;
  std::optional<double> known_;
  std::vector<size_t> last_neighbour_;  // by unit: the last one it has a border to
  std::vector<std::vector<const Border*>> to_;
  std::vector<Bound> bounds_;     // by unit: of it and those behind it
  std::vector<size_t> in_sight_;  // units before the present one that have borders behind it
  std::vector<Choice> choices_;
  bool optimal_ = true;
};

}  // namespace

std::vector<Solution> SolveFront(const Table& table, int64_t most_ns) {
  return Search(table, most_ns, {}).Run();
}

Solution SolveExact(const Table& table, int64_t budget_ns) {
  Solution known = SolveGreedy(table, budget_ns);
  const bool fits = known.figures.ns <= budget_ns;
  Search search(table, budget_ns, fits ? std::optional(known.figures.loss) : std::nullopt);
  std::vector<Solution> found = search.Run();
  const auto is_better = [](const Figures& a, const Figures& b) {
    return a.loss != b.loss ? a.loss < b.loss : a.ns <= b.ns;
  };
  if (!found.empty() && (!fits || is_better(found.back().figures, known.figures))) {
    return found.back();
  }
  known.optimal = search.optimal();
  return known;
}

}  // namespace octet::assign
