#include <algorithm>
#include <map>
#include <numeric>

#include "converter/decode/resolve.h"

namespace octet::decode {
namespace {

bool Contains(const std::vector<Role>& roles, Role role) {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

class OutputMatcher {
 public:
  OutputMatcher(const Spec& spec, const Ports& ports, size_t level_count)
      : spec_(spec), ports_(ports), level_count_(level_count) {}

  Assignment Run() {
    FindPrototypes();
    bool named = false;
    for (const auto& names : spec_.outputs) named |= !names.empty();
    if (named) {
      ByName();
    } else if (!spec_.separate.empty()) {
      ByShape();
    } else {
      AllInOne();
    }
    for (const Role role : {Role::kBox, Role::kClass}) {
      if (Of(role).outputs.empty()) {
        Reject(spec_,
               fmt::format("no output is named for '{}'", kRoleNames[static_cast<size_t>(role)]),
               "name it in `channels:` or `outputs:`");
      }
    }
    for (size_t role = 0; role < kRoles; ++role) {
      const size_t count = result_.holders[role].outputs.size();
      if (count > 1 && count != level_count_) {
        Reject(spec_, fmt::format("{} outputs for '{}', but {} strides", count, kRoleNames[role],
                                  spec_.strides.size()));
      }
    }
    return result_;
  }

 private:
  Holder& Of(Role role) { return result_.holders[static_cast<size_t>(role)]; }

  uint32_t OutputNamed(const std::string& name) const {
    const auto found = std::find_if(ports_.outputs.begin(), ports_.outputs.end(),
                                    [&](const Port& port) { return port.name == name; });
    if (found == ports_.outputs.end()) {
      std::vector<std::string> names;
      for (const Port& port : ports_.outputs) names.push_back(port.name);
      Reject(spec_,
             fmt::format("the model has no output '{}', only {}", name, fmt::join(names, ", ")));
    }
    return static_cast<uint32_t>(found - ports_.outputs.begin());
  }

  void FindPrototypes() {
    const bool masks =
        Contains(spec_.channels, Role::kMask) || Contains(spec_.separate, Role::kMask);
    for (uint32_t i = 0; i < ports_.outputs.size(); ++i) candidates_.push_back(i);
    if (!masks) return;
    std::vector<uint32_t> fitting;
    if (!spec_.prototypes.empty()) {
      fitting.push_back(OutputNamed(spec_.prototypes));
    } else {
      for (uint32_t i = 0; i < ports_.outputs.size(); ++i) {
        if (ports_.outputs[i].shape.size() == 4) fitting.push_back(i);
      }
    }
    if (fitting.size() != 1 || ports_.outputs[fitting[0]].shape.size() != 4) {
      Reject(
          spec_,
          fmt::format("{} outputs of the model fit the masks' prototypes [1, count, height, width]",
                      fitting.size()),
          "name one with `prototypes:`");
    }
    result_.prototypes = fitting[0];
    result_.prototype_count = ports_.outputs[fitting[0]].shape[1];
    candidates_.erase(std::find(candidates_.begin(), candidates_.end(), fitting[0]));
  }

  void ShareWithBox(const std::vector<uint32_t>& outputs) {
    for (const Role role : spec_.channels) {
      if (Contains(spec_.separate, role)) continue;
      Of(role) = Holder{outputs, true};
    }
  }

  void AllInOne() {
    if (candidates_.size() != 1 && candidates_.size() != level_count_) {
      Reject(spec_, fmt::format("the model has {} outputs", ports_.outputs.size()),
             "name their roles with `outputs:`");
    }
    ShareWithBox(candidates_);
  }

  void ByName() {
    for (size_t role = 0; role < kRoles; ++role) {
      for (const std::string& name : spec_.outputs[role]) {
        result_.holders[role].outputs.push_back(OutputNamed(name));
      }
    }
    // Points and coefficients without outputs of their own stand behind the box.
    for (const Role role : {Role::kPoints, Role::kMask}) {
      if (!Of(role).outputs.empty() || !Contains(spec_.channels, role)) continue;
      Of(role) = Holder{Of(Role::kBox).outputs, true};
      Of(Role::kBox).shared = true;
    }
  }

  // Outputs with as many candidates belong to one level, the finest first; within a level each role
  // takes an output with as many numbers as it needs, in the order of the roles and the outputs.
  void ByShape() {
    std::map<int64_t, std::vector<uint32_t>, std::greater<>> levels;
    for (const uint32_t output : candidates_) {
      levels[TableOf(spec_, ports_, output, 1, true).candidates].push_back(output);
    }
    const size_t roles = 1 + spec_.separate.size();
    const bool complete = std::all_of(levels.begin(), levels.end(), [&](const auto& level) {
      return level.second.size() == roles;
    });
    if (levels.size() != level_count_ || !complete) {
      Reject(spec_, fmt::format("{} outputs of {} sizes, expected {} sizes with {} outputs each",
                                candidates_.size(), levels.size(), level_count_, roles));
    }
    for (const auto& [count, outputs] : levels) AssignLevel(outputs);
  }

  void AssignLevel(const std::vector<uint32_t>& outputs) {
    std::vector<size_t> order(outputs.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      bool fits = TakesBox(outputs[order.back()]);
      for (size_t i = 0; i < spec_.separate.size(); ++i) {
        fits &= Takes(spec_.separate[i], outputs[order[i]]);
      }
      if (!fits) continue;
      for (size_t i = 0; i < spec_.separate.size(); ++i) {
        Of(spec_.separate[i]).outputs.push_back(outputs[order[i]]);
      }
      for (const Role role : spec_.channels) {
        if (Contains(spec_.separate, role)) continue;
        Of(role).outputs.push_back(outputs[order.back()]);
        Of(role).shared = true;
      }
      return;
    } while (std::next_permutation(order.begin(), order.end()));
    Reject(spec_, "no output of a level has the channel count of its boxes",
           "name the roles with `outputs:`");
  }

  int64_t NumbersIn(uint32_t output) const {
    return TableOf(spec_, ports_, output, 1, true).numbers;
  }

  bool TakesBox(uint32_t output) const {
    const int64_t box = spec_.record.bins == 0 ? 4 : 4 * int64_t{spec_.record.bins};
    const int64_t rest = NumbersIn(output) - box;
    if (!Contains(spec_.channels, Role::kPoints) || Contains(spec_.separate, Role::kPoints)) {
      return rest == 0;
    }
    return rest > 0 && rest % spec_.record.point_numbers == 0;
  }

  bool Takes(Role role, uint32_t output) const {
    const int64_t numbers = NumbersIn(output);
    if (role == Role::kObject) return numbers == 1;
    if (role == Role::kPoints) return numbers % spec_.record.point_numbers == 0 && numbers > 1;
    return spec_.class_count == 0 || numbers == int64_t{spec_.class_count};
  }

  const Spec& spec_;
  const Ports& ports_;
  size_t level_count_;
  std::vector<uint32_t> candidates_;
  Assignment result_;
};

}  // namespace

Assignment AssignOutputs(const Spec& spec, const Ports& ports, size_t level_count) {
  return OutputMatcher(spec, ports, level_count).Run();
}

int64_t NumbersOf(const Spec& spec, const Assignment& assignment, Role role, const Table& table) {
  const Holder& holder = assignment.Of(role);
  const bool by_index = spec.record.class_form != blob::ClassForm::kScores;
  switch (role) {
    case Role::kBox:
      return spec.record.bins == 0 ? 4 : 4 * int64_t{spec.record.bins};
    case Role::kObject:
      return 1;
    case Role::kMask:
      return assignment.prototype_count;
    case Role::kClass:
      if (by_index) return spec.record.class_form == blob::ClassForm::kIndex ? 2 : 1;
      if (spec.class_count != 0) return spec.class_count;
      break;
    case Role::kPoints:
      if (spec.point_count != 0) return spec.point_count * spec.record.point_numbers;
      // Beside classes of unknown number their count has to be known.
      if (holder.shared && assignment.Of(Role::kClass).shared && spec.class_count == 0 &&
          !by_index) {
        Reject(spec, "classes and key points are in one output", "give `class: {count: N}`");
      }
      break;
  }
  int64_t rest = table.numbers;
  if (!holder.shared) return rest;
  for (const Role other : spec.channels) {
    if (other != role && assignment.Of(other).shared) {
      // Of the two without a number of their own only one is left here.
      rest -= NumbersOf(spec, assignment, other, table);
    }
  }
  return rest;
}

}  // namespace octet::decode
