#include "ports/linux/run/options.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "octet/octet.h"
#include "ports/linux/affinity.h"
#include "ports/linux/pictures/pictures.h"
#include "ports/linux/whitelist.h"
#include "runtime/core/isa.h"

namespace octet::port {
namespace {

// Every word there is.
std::string IsaWords() {
  std::string words;
  for (octet_isa isa = 0; isa < kIsaCount; ++isa) {
    words += std::string(isa == 0 ? "" : ", ") + octet_isa_name(isa);
  }
  return words;
}

}  // namespace

void DescribeOptions(CommandLine& app, RunOptions& o) {
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
  app.AddFlag("--no-verify", o.no_verify,
              "skip the SHA-256 check of the blob, and the check that its weights, "
              "sums and layouts agree");
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

void ReadIsa(RunOptions* o) {
  if (o->isa.empty()) return;
  octet_isa isa;
  if (octet_isa_from_name(o->isa.c_str(), &isa).code != OCTET_OK) {
    throw InputError("--isa " + o->isa + ": unknown word; see --isa list");
  }
  o->model.isa = isa;
}

void RefuseToReplace(const RunOptions& o) {
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

void RefuseOthers(const CommandLine& app, const std::string& with,
                  const std::vector<std::string>& taken) {
  for (const Setting& setting : app.Settings()) {
    if (!setting.given || std::find(taken.begin(), taken.end(), setting.name) != taken.end()) {
      continue;
    }
    throw InputError("--" + setting.name + " does nothing with --" + with + "; remove it");
  }
}

void RefuseWithSound(const RunOptions& o, bool is_stream) {
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

}  // namespace octet::port
