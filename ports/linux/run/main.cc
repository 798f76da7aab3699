// octet-run: runs a blob over pictures, sounds or .npy samples, one by one.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "octet/octet.hpp"
#include "octet/state.h"
#include "ports/linux/affinity.h"
#include "ports/linux/command_line/command_line.h"
#include "ports/linux/output/program.h"
#include "ports/linux/pictures/pictures.h"
#include "ports/linux/results/text.h"
#include "ports/linux/run/frames.h"
#include "ports/linux/run/report.h"
#include "ports/linux/run/self_test.h"
#include "ports/linux/run/self_test_report.h"
#include "ports/linux/run/sequences.h"
#include "ports/linux/run/sound.h"
#include "ports/linux/run/sound_lines.h"
#include "ports/linux/run/tracks.h"
#include "ports/linux/whitelist.h"
#include "runtime/core/isa.h"

namespace octet::port {
namespace {

struct Options {
  std::string blob, output, isa, board, cpus, sequences, thermal_root = kThermalRoot;
  std::vector<std::string> inputs;
  uint32_t repeat = 1, warmup = 0;
  bool profile = false, json = false, no_verify = false, map = false, self_test = false;
  ModelOptions model;
  SoundOptions sound;
  TracksOptions tracks;
};

// Every word there is.
std::string IsaWords() {
  std::string words;
  for (octet_isa isa = 0; isa < kIsaCount; ++isa) {
    words += std::string(isa == 0 ? "" : ", ") + octet_isa_name(isa);
  }
  return words;
}

void DescribeOptions(CommandLine& app, Options& o) {
  app.Name("octet-run", OCTET_VERSION_TEXT);
  app.Add("MODEL", o.blob, "blob made by octet convert");
  app.Add("--input", o.inputs,
          std::string("pictures or a folder of them (") + pictures::kExtensions +
              "; without any, the pictures of its subfolders), or a .npy file: uint8 pictures "
              "[N,H,W,C], or float32 in the model's own layout; one path per input if the model "
              "has several; or a .wav file (16-bit PCM, mono), or - for such samples from stdin "
              "without a head: a line of JSON for each window")
      .Delimiter(',');
  app.Add("--output", o.output, "float32 .npy; OUT.0.npy, OUT.1.npy, ... for several");
  app.Add("--plan", o.model.plan, "plan by name (default: the blob's first)");
  app.Add("--isa", o.isa,
          "highest instruction set to use: " + IsaWords() +
              " (default: the best here); 'list' shows those that work here");
  app.Add("--threads", o.model.threads,
          "number of threads, with the calling one; at most the number of idle cores (default: 1)")
      .Range(1u, 256u);
  app.Add("--cpus", o.cpus, kCpusHelp);
  app.Add("--rate", o.sound.rate,
          "samples a second of a sound (default: the file's; 16000 of stdin); a file of another "
          "rate is refused")
      .Range(1u, 768000u);
  app.Add("--hop", o.sound.hop,
          "samples of a sound from window to window (default: a window, which is the model's "
          "input)")
      .Range(1u, 100000000u);
  app.Add("--repeat", o.repeat, "timed inferences of each sample (default: 1)").Range(1u, 1000000u);
  app.Add("--warmup", o.warmup, "untimed inferences of the first sample (default: 0)")
      .Range(0u, 1000000u);
  app.Add("--sequences", o.sequences,
          "of a model with states: how many samples each sequence has, as 400,400; states begin "
          "again at each (default: all samples are one sequence)");
  app.AddFlag("--profile", o.profile,
              "time, work, traffic and share of the core's peak of each layer");
  app.AddFlag("--json", o.json, "print a report as JSON");
  app.Add("--board", o.board, kBoardHelp);
  app.AddFlag("--float-sums", o.model.float_sums,
              "a plan that may add in FP16 (octet convert --native-fp16) adds in float: the same "
              "bits as on machines without FP16 arithmetic");
  app.AddFlag("--no-verify", o.no_verify, "skip the SHA-256 check of the blob");
  app.AddFlag("--map", o.map, kMapHelp);
  app.AddFlag("--self-test", o.self_test,
              "run a blob that is part of this program (or MODEL, by its golden vectors) at every "
              "level, in every plan, with one and all threads, and compare hashes; exit status 1: "
              "one is wrong");
  app.Add("--tracks", o.tracks.tracks,
          "write tracks of the boxes that the model finds in the pictures, in their order, as text "
          "of MOTChallenge: frame,id,x,y,w,h,score,class,-1");
  app.Add("--boxes", o.tracks.boxes,
          "take the boxes of --tracks from this file of such lines, without MODEL")
      .Needs("--tracks");
  app.Add("--times", o.tracks.times,
          "JSON file with `times`, the seconds of each frame (default: 30 frames a second)")
      .Needs("--tracks");
  app.Add("--tracker", o.tracks.settings, kTracksConfigHelp).Delimiter(',').Needs("--tracks");
  app.Add("--thermal-root", o.thermal_root, "folder of the thermal zones, for --self-test")
      .ShowDefault()
      .Needs("--self-test");
}

// What was found in each picture, by the blob's decoder: a line as it comes, or kept for the
// report.
class PictureResults {
 public:
  PictureResults(const Options& o, const Model& model)
      : json_(o.json),
        model_(model),
        reader_(model, o.tracks.tracks.empty() ? kNoWeakBoxes : LeastScore(o.tracks)),
        line_(reader_.LineBytes()) {
    if (!o.tracks.tracks.empty()) {
      if (octet_model_task(model.session()) != OCTET_TASK_DETECT) {
        throw InputError(o.blob +
                         ": no decoder of boxes, so --tracks has none; convert the model "
                         "with --task detect");
      }
      tracks_.emplace(o.tracks);
    }
    if (model.blob().decode.data != nullptr || !o.output.empty()) return;
    std::fprintf(stderr,
                 "octet-run: %s has no decoder, so only times are printed; convert the model with "
                 "--task and --decode, or write its numbers with --output FILE.npy\n",
                 o.blob.c_str());
  }

  void CheckTimes(uint64_t frame_count) const {
    if (tracks_) tracks_->CheckTimes(frame_count);
  }
  void Commit() {
    if (tracks_) tracks_->Commit();
  }

  // A text needs no picture: of numbers it is that of a sample.
  static bool Reads(const Inputs& inputs, const Model& model) {
    return inputs.of_pictures() || (model.blob().decode.data != nullptr &&
                                    octet_model_task(model.session()) == OCTET_TASK_TEXT);
  }

  void Add(const Inputs& inputs, uint64_t sample, uint64_t run_ns, Measurement* m) {
    const BlobView& blob = model_.blob();
    const FrameBuffer& frame = inputs.frame(blob.decode.data == nullptr ? 0 : DecodeOf(blob).input);
    const std::string name = inputs.of_pictures() ? frame.name : "sample " + std::to_string(sample);
    const Results& results = reader_.Read(model_.session(), frame.width, frame.height);
    if (tracks_) tracks_->Add(results.boxes.data(), results.BoxCount());
    line_.Clear();
    if (json_) {
      line_.Add("{\"picture\":");
      line_.AddJsonString(name.c_str());
      FormatJsonResults(results, model_.session(), &line_);
      line_.Add("}");
      m->results.push_back(nlohmann::ordered_json::parse(line_.data(), nullptr, false));
      if (m->results.back().is_discarded()) {
        throw InputError(name +
                         ": more results than fit a line; set max_detections lower in the file of "
                         "octet convert --decode, and convert the model again");
      }
    } else {
      FormatPicture(name.c_str(), static_cast<double>(run_ns) / 1e6, results, model_.session(),
                    &line_);
      if (!line_.WriteTo(STDOUT_FILENO)) {
        if (errno != EPIPE) throw InputError("stdout: " + ErrorText(errno) + "; use another place");
        throw InputError("stdout: nothing reads the results; keep the reader open, or use a file");
      }
    }
  }

 private:
  bool json_;
  const Model& model_;
  ResultReader reader_;
  Line line_;
  std::optional<TrackWriter> tracks_;
};

// Outputs must not replace inputs. Each of several outputs needs its own name.
void RefuseToReplace(const Options& o) {
  std::error_code ignored;
  std::vector<std::string> read = o.inputs;
  read.push_back(o.blob);
  read.push_back(o.tracks.boxes);
  read.push_back(o.tracks.times);
  const auto refuse = [&](const std::string& option, const std::string& written) {
    for (const std::string& path : read) {
      if (written.empty() || !std::filesystem::equivalent(written, path, ignored)) continue;
      throw InputError(option + " " + written +
                       ": this command reads that file and would replace it; name another file");
    }
  };
  refuse("--output", o.output);
  refuse("--tracks", o.tracks.tracks);
}

// Nothing is allocated between Bind and the last frame, but for pictures what reads and prints
// them.
void RunSamples(const Options& o, Model& model, const std::vector<bool>& starts, Inputs& inputs,
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

// Options that do nothing beside one that needs no MODEL.
void RefuseOthers(const CommandLine& app, const std::string& with,
                  const std::vector<std::string>& taken) {
  for (const Setting& setting : app.Settings()) {
    if (!setting.given || std::find(taken.begin(), taken.end(), setting.name) != taken.end()) {
      continue;
    }
    throw InputError("--" + setting.name + " does nothing with --" + with + "; remove it");
  }
}

// Line by line, so that it may go on for ever; times are those of a file.
void RunSound(const Options& o, Model& model, Sound& sound, Outputs& outputs, Measurement* m) {
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

void RefuseWithSound(const Options& o, bool is_stream) {
  if (o.warmup > 0) throw InputError("--warmup does nothing with a sound; remove it");
  if (!o.sequences.empty()) {
    throw InputError("--sequences: a sound is one sequence; run the program for each sound");
  }
  if (!o.tracks.tracks.empty()) throw InputError("--tracks needs pictures; remove it");
  if (!is_stream) return;
  if (!o.output.empty()) {
    throw InputError(
        "--output: a stream has no end, so that no .npy file can be written; take "
        "the lines of stdout");
  }
  if (o.json) throw InputError("--json does nothing with --input -: its lines are JSON; remove it");
  if (o.profile) throw InputError("--profile needs an end; give a .wav file as --input");
  if (o.repeat > 1) throw InputError("--repeat does nothing with --input -; remove it");
}

// Exit status 1: a hash is wrong.
int SelfTestCommand(const CommandLine& app, const Options& o) {
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

void ReadIsa(Options* o) {
  if (o->isa.empty()) return;
  octet_isa isa;
  if (octet_isa_from_name(o->isa.c_str(), &isa).code != OCTET_OK) {
    throw InputError("--isa " + o->isa + ": unknown word; see --isa list");
  }
  o->model.isa = isa;
}

void Reserve(const Options& o, const Model& model, uint64_t samples, Measurement* m) {
  m->samples = samples;
  m->run_ns.reserve(samples * o.repeat);
  if (o.profile) {
    m->layers = LayerClock(model.blob().plans[model.plan()].layer_count, samples * o.repeat);
  }
}

void Report(const Options& o, const Model& model, const Measurement& m) {
  Profile profile;
  if (o.profile) profile = MakeProfile(model, m.layers);
  if (o.json) {
    PrintJson(model, m, o.profile ? &profile : nullptr);
  } else {
    PrintText(model, m, o.profile ? &profile : nullptr);
  }
}

// The lines are all that is printed, unless a report is asked for.
int SoundCommand(const Options& o, Model& model, Measurement* m) {
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
  Options o;
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
