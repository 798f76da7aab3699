// --tracks, --zones, --lines: ids of boxes, and who enters, leaves and crosses.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/tracks/event_text.h"
#include "ports/linux/camera/program/tracks/metrics.h"
#include "ports/linux/camera/program/tracks/tracks.h"
#include "ports/linux/wall_clock.h"

namespace octet::port {
namespace {

using Count = unsigned long long;

struct TracksOptions {
  std::vector<std::string> tracks, zone_words, line_words;
  octet_tracks_config config = {};
  std::vector<NamedZone> zones;
  bool is_on() const { return !tracks.empty() || !zones.empty(); }
};

class TracksObserver final : public Observer {
 public:
  TracksObserver(const CameraOptions& options, Shared& shared)
      : shared_(shared),
        numbers_(shared.metrics.Numbers<TrackNumbers>()),
        tracks_(Own(options).config, Own(options).zones),
        least_score_(static_cast<float>(Own(options).config.low) / OCTET_TRACKS_ONE),
        json_(options.json),
        writes_lines_(options.writes_lines),
        // A source that waits gives frames as fast as they are taken: their rate is the option's.
        step_us_(shared.waits && options.fps > 0 ? 1e6 / options.fps : 0),
        line_(4096) {
    numbers_.SetZones(tracks_.zones());
  }

  void Load(const Loaded& loaded) override {
    if (octet_model_task(loaded.model.session()) != OCTET_TASK_DETECT) {
      throw InputError("--tracks: " + loaded.path +
                       " has no decoder of boxes; convert the model with --task detect");
    }
    if (was_loaded_) tracks_.Reset();
    was_loaded_ = true;
  }
  float LeastScore() const override { return least_score_; }
  void Track(const FrameBuffer& frame, Results* results) override {
    time_us_ = step_us_ > 0 ? static_cast<uint64_t>(step_us_ * static_cast<double>(frame.number))
                            : frame.captured_ns / 1000;
    tracks_.Frame(time_us_, frame.width, frame.height, results);
    numbers_.Set(tracks_);
  }
  void AddFields(uint64_t, Line* line) override { AddZones(line); }
  void AddStatus(Line* line) override { line->Add("  tracks %u", tracks_.info().seen); }
  // Behind the line of the frame.
  void AfterFrame(const Outcome& outcome) override {
    if (!writes_lines_) return;
    const EventFrame frame = {outcome.frame.number, WallSecondsAt(outcome.frame.captured_ns),
                              time_us_, shared_.name.c_str()};
    for (const octet_zone_event& event : tracks_.events()) {
      FormatEvent(event, tracks_.zones()[event.zone], tracks_.CountsOf(event.zone),
                  LabelName(outcome.session, event.label), frame, json_, &line_);
      if (!shared_.program.emitter->Write(line_, shared_.program.stop))
        return;  // the loop sees it as well
    }
  }
  void AddSummary(uint64_t, Line* line) override {
    line->Add(",\"tracks\":%llu", static_cast<Count>(tracks_.info().begun));
    AddZones(line);
  }
  void AddSummaryText(Line* line) override {
    line->Add("; %llu tracks", static_cast<Count>(tracks_.info().begun));
    for (uint32_t i = 0; i < tracks_.zones().size(); ++i) {
      const octet_zone_counts counts = tracks_.CountsOf(i);
      line->Add("; %s: %llu in, %llu out", tracks_.zones()[i].name.c_str(),
                static_cast<Count>(counts.in), static_cast<Count>(counts.out));
    }
  }

 private:
  static const TracksOptions& Own(const CameraOptions& options) {
    return options.features.Get<TracksOptions>();
  }
  void AddZones(Line* line) const {
    if (tracks_.zones().empty()) return;
    line->Add(",\"zones\":[");
    for (uint32_t i = 0; i < tracks_.zones().size(); ++i) {
      const octet_zone_counts counts = tracks_.CountsOf(i);
      line->Add("%s{\"name\":\"%s\",\"in\":%llu,\"out\":%llu", i == 0 ? "" : ",",
                tracks_.zones()[i].name.c_str(), static_cast<Count>(counts.in),
                static_cast<Count>(counts.out));
      if (!tracks_.zones()[i].is_line()) {
        line->Add(",\"inside\":%llu", static_cast<Count>(counts.inside));
      }
      line->Add("}");
    }
    line->Add("]");
  }

  Shared& shared_;
  TrackNumbers& numbers_;
  CameraTracks tracks_;
  const float least_score_;
  const bool json_, writes_lines_;
  const double step_us_;
  Line line_;
  uint64_t time_us_ = 0;
  bool was_loaded_ = false;
};

void ReadOptions(TracksOptions* options) {
  const bool only_on = options->tracks.size() == 1 && options->tracks[0] == "on";
  options->config =
      ReadTracksConfig(only_on ? std::vector<std::string>() : options->tracks, "--tracks");
  std::set<std::string> names;
  const auto add = [&](const std::vector<std::string>& words, const char* option, bool is_line) {
    for (const std::string& word : words) {
      options->zones.push_back(ReadZone(word, option, is_line));
      if (!names.insert(options->zones.back().name).second) {
        throw InputError(std::string(option) + " '" + word +
                         "': another zone or line has this name; use one name for each");
      }
    }
  };
  options->zones.clear();
  add(options->zone_words, "--zones", false);
  add(options->line_words, "--lines", true);
  if (options->zones.size() > OCTET_ZONES_MOST) {
    throw InputError("--zones: " + std::to_string(options->zones.size()) +
                     " zones and lines; at most " + std::to_string(OCTET_ZONES_MOST) +
                     " are possible");
  }
}

CheckSettings DescribeTracks(CommandLine& app, CameraOptions& o) {
  auto& tracks = o.features.Get<TracksOptions>();
  app.Add("--tracks", tracks.tracks,
          std::string("give boxes of one object the same id in all frames: 'on', or ") +
              kTracksConfigHelp)
      .Delimiter(',')
      .OfCamera();
  app.Add("--zones", tracks.zone_words,
          "polygon that tracks enter and leave: 'NAME=X,Y X,Y X,Y ...' in shares of the picture, "
          "and of anchor=bottom frames=2/3 band=0.05 update=1 what differs; see docs/tracks.md")
      .OneEach()
      .OfCamera();
  app.Add("--lines", tracks.line_words,
          "line that tracks cross, in to its right and out to its left: 'NAME=X,Y X,Y', as --zones")
      .OneEach()
      .OfCamera();
  return [&tracks] { ReadOptions(&tracks); };
}

std::unique_ptr<Observer> MakeTracks(const CameraOptions& options, Shared& shared) {
  if (!options.features.Get<TracksOptions>().is_on()) return nullptr;
  return std::make_unique<TracksObserver>(options, shared);
}

}  // namespace

Feature TracksFeature() {
  return {.describe = DescribeTracks,
          .make = MakeTracks,
          .add_metrics = [](CameraMetrics* metrics) { metrics->Numbers<TrackNumbers>(); }};
}

}  // namespace octet::port
