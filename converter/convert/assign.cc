#include "converter/convert/assign.h"

#include "converter/boards/board.h"
#include "converter/convert/in_model.h"
#include "converter/convert/progress.h"

namespace octet::convert {
namespace {

assign::Result AssignMixed(const Recovered& from) {
  // Each from its first step on, so that what is left is told of it alone.
  std::optional<Stage> stage;
  const auto show = [&](const char* what) {
    return [&, what](int64_t done, int64_t total) {
      if (done == 1) stage.emplace(from.from.progress.get(), what);
      if (stage) stage->Show(done, total);
    };
  };
  assign::Settings settings = from.options().mixed->settings;
  settings.measuring = show("measuring layers");
  settings.judging = show("judging assignments");
  return assign::Assign(
      {*from.simulator, from.sets, from.from.statistics, from.config, from.scheme},
      *from.from.from.mixed_clock, settings);
}

}  // namespace

std::unique_ptr<assign::Clock> MixedClock(const MixedOptions& mixed, const std::string& board) {
  if (!mixed.profiles.empty()) return assign::ProfileClock(mixed.profiles);
  return board.empty() ? assign::DefaultClock()
                       : assign::ModelClock(boards::ReadBoard(boards::FindBoard(board)));
}

Assigned Assign(const Recovered& from) {
  Assigned result{from, {}};
  if (from.options().mixed) {
    InModel(from.options().model, [&] { result.mixed = AssignMixed(from); });
  }
  return result;
}

}  // namespace octet::convert
