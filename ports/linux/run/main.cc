// octet-run: runs a blob over pictures, sounds or .npy samples, one by one.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "octet/octet.hpp"
#include "octet/state.h"
#include "ports/linux/affinity.h"
#include "ports/linux/command_line/command_line.h"
#include "ports/linux/output/program.h"
#include "ports/linux/run/frames.h"
#include "ports/linux/run/options.h"
#include "ports/linux/run/picture_results.h"
#include "ports/linux/run/report.h"
#include "ports/linux/run/self_test.h"
#include "ports/linux/run/self_test_report.h"
#include "ports/linux/run/sequences.h"
#include "ports/linux/run/sound.h"
#include "ports/linux/run/sound_lines.h"
#include "ports/linux/run/tracks.h"
#include "ports/linux/whitelist.h"

namespace octet::port {
namespace {

// Nothing is allocated between Bind and the last frame, but for pictures what reads and prints
// them.
void RunSamples(const RunOptions& o, Model& model, const std::vector<bool>& starts, Inputs& inputs,
                Outputs& outputs, Measurement* m) {
  const uint64_t load_started = NowNs();
  model.Bind();
  m->load_ns += NowNs() - load_started;
  octet_session* session = model.session();
  bool first = true;
  const auto run = [&] {
    const uint64_t started = NowNs();
    octet_run(session);
    const uint64_t ns = NowNs() - started;
    if (first) m->first_ns = ns;
    first = false;
    return ns;
  };
  const bool has_states = octet_state_count(session) != 0;
  std::optional<PictureResults> results;
  if (PictureResults::Reads(inputs, model)) results.emplace(o, model);
  if (results) results->CheckTimes(inputs.sample_count());
  if (!inputs.of_pictures() && !o.tracks.tracks.empty()) {
    throw InputError("--tracks " + o.tracks.tracks +
                     ": inputs of .npy files have no boxes; give pictures, or --boxes FILE.txt");
  }
  for (uint32_t i = 0; i < o.warmup; ++i) {
    inputs.Set(session);  // the first
    run();
  }
  for (uint64_t sample = 0; sample < inputs.sample_count(); ++sample) {
    inputs.Load(sample);
    if (starts[sample]) octet_reset(session);
    for (uint32_t i = 0; i < o.repeat; ++i) {
      // The same frame again, from the same states.
      std::optional<RunAside> aside;
      if (has_states && i > 0) aside.emplace(session);
      inputs.Set(session);  // a run may overwrite its inputs
      m->run_ns.push_back(run());
      m->layers.Add(session);
    }
    outputs.Write(session);
    if (results) results->Add(inputs, sample, m->run_ns.back(), m);
  }
  if (results) results->Commit();
}

// Line by line, so that it may go on for ever; times are those of a file.
void RunSound(const RunOptions& o, Model& model, Sound& sound, Outputs& outputs, Measurement* m) {
  const uint64_t load_started = NowNs();
  model.Bind();
  m->load_ns += NowNs() - load_started;
  octet_session* session = model.session();
  const bool has_states = octet_state_count(session) != 0;
  SoundLines lines(model);
  while (sound.Next()) {
    for (uint32_t i = 0; i < o.repeat; ++i) {
      std::optional<RunAside> aside;  // the same window again, from the same states
      if (has_states && i > 0) aside.emplace(session);
      sound.Set(session);  // a run may overwrite its inputs
      const uint64_t started = NowNs();
      octet_run(session);
      if (!sound.window_count()) continue;
      m->run_ns.push_back(NowNs() - started);
      m->layers.Add(session);
    }
    outputs.Write(session);
    if (!o.json) lines.Print(sound, outputs.values());
  }
  if (!m->run_ns.empty()) m->first_ns = m->run_ns[0];
}

// Exit status 1: a hash is wrong.
int SelfTestCommand(const CommandLine& app, const RunOptions& o) {
  RefuseOthers(app, "self-test",
               {"model", "self-test", "json", "cpus", "thermal-root", "threads", "plan", "isa"});
  SelfTestChoice choice{o.model.isa, o.model.plan, std::nullopt};
  for (const Setting& setting : app.Settings()) {
    if (setting.given && setting.name == "threads") choice.threads = o.model.threads;
  }
  PinTo(o.cpus);
  try {
    SelfTestVectors vectors(o.blob);
    const SelfTest test = RunSelfTest(vectors, ThermalSensor(o.thermal_root, {}), choice);
    (o.json ? PrintSelfTestJson : PrintSelfTest)(test, ReadMachine("/"));
    return test.ok() ? 0 : 1;
  } catch (const DamagedProgram& error) {
    std::fprintf(stderr, "octet-run: %s\n", error.what());
    return 1;
  }
}

void Reserve(const RunOptions& o, const Model& model, uint64_t samples, Measurement* m) {
  m->samples = samples;
  m->run_ns.reserve(samples * o.repeat);
  if (o.profile) {
    m->layers = LayerClock(model.blob().plans[model.plan()].layer_count, samples * o.repeat);
  }
}

void Report(const RunOptions& o, const Model& model, const Measurement& m) {
  Profile profile;
  if (o.profile) profile = MakeProfile(model, m.layers);
  if (o.json) {
    PrintJson(model, m, o.profile ? &profile : nullptr);
  } else {
    PrintText(model, m, o.profile ? &profile : nullptr);
  }
}

// The lines are all that is printed, unless a report is asked for.
int SoundCommand(const RunOptions& o, Model& model, Measurement* m) {
  if (o.inputs.size() > 1) {
    throw InputError("--input names " + std::to_string(o.inputs.size()) +
                     " files; give one sound at a time");
  }
  Sound sound(o.inputs[0], model, o.sound);
  RefuseWithSound(o, !sound.window_count());
  const uint64_t windows = sound.window_count().value_or(0);
  Outputs outputs(o.output, model, windows);
  Reserve(o, model, windows, m);
  RunSound(o, model, sound, outputs, m);
  outputs.Commit();
  if (o.json || o.profile) Report(o, model, *m);
  return 0;
}

int Main(int argc, char** argv) {
  CommandLine app("Runs an Octet blob over pictures, sounds or .npy samples");
  RunOptions o;
  DescribeOptions(app, o);
  if (const std::optional<int> status = app.Parse(argc, argv)) return *status;
  app.CheckNeeds();
  if (o.isa == "list") {
    std::puts(RunnableWords(DetectCpu(), "\n").c_str());
    return 0;
  }
  ReadIsa(&o);
  if (o.self_test) return SelfTestCommand(app, o);
  if (!o.tracks.boxes.empty()) {
    RefuseOthers(app, "boxes", {"boxes", "tracks", "times", "tracker"});
    RefuseToReplace(o);
    TrackBoxes(o.tracks);
    return 0;
  }
  if (o.blob.empty()) {
    throw InputError(
        o.inputs.size() > 1
            ? "no MODEL given; put it before --input, which takes all arguments after it"
            : "no MODEL given; see --help");
  }
  o.model.verify_hashes = !o.no_verify;
  if (o.map) o.model.storage = BlobStorage::kMapped;
  if (o.profile) o.model.ticks = NowNs;

  RefuseToReplace(o);
  PinTo(o.cpus);
  Measurement m;
  const uint64_t load_started = NowNs();
  Model model(o.blob, o.model);
  if (!o.board.empty()) RequireAllowed(ReadWhitelist(o.board), model, o.blob);
  m.load_ns = NowNs() - load_started;
  const bool is_sound = !o.inputs.empty() && IsSound(o.inputs[0]);
  if (is_sound) return SoundCommand(o, model, &m);
  if (o.sound.rate != 0 || o.sound.hop != 0) {
    throw InputError("--rate and --hop are of sounds; give --input FILE.wav or -");
  }
  Inputs inputs(o.inputs, model);
  Outputs outputs(o.output, model, inputs.sample_count());
  const std::vector<bool> starts =
      StartsOfSequences(o.sequences, inputs.sample_count(), model.blob().model->state_count != 0);
  Reserve(o, model, inputs.sample_count(), &m);
  RunSamples(o, model, starts, inputs, outputs, &m);
  outputs.Commit();
  Report(o, model, m);
  return 0;
}

}  // namespace
}  // namespace octet::port

int main(int argc, char** argv) {
  return octet::port::RunProgram("octet-run", [&] { return octet::port::Main(argc, argv); });
}
