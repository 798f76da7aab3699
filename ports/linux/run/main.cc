// octet-run: runs a blob over .npy samples, one by one.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "ports/linux/run/frames.h"
#include "ports/linux/run/report.h"

namespace octet::port {
namespace {

struct Options {
  std::string blob, output, isa;
  std::vector<std::string> inputs;
  uint32_t repeat = 1, warmup = 0;
  bool profile = false, json = false, no_verify = false;
  ModelOptions model;
};

// Every word there is.
std::string IsaWords() {
  std::string words;
  for (int i = OCTET_ISA_REFERENCE; i <= OCTET_ISA_I8MM; ++i) {
    words += std::string(i == 0 ? "" : ", ") + octet_isa_name(static_cast<octet_isa>(i));
  }
  return words;
}

int ListIsas() {
  const CpuWord cpu = DetectCpu();
  for (int i = OCTET_ISA_REFERENCE; i <= OCTET_ISA_I8MM; ++i) {
    const auto isa = static_cast<octet_isa>(i);
    if (CanRun(cpu, isa)) std::puts(octet_isa_name(isa));
  }
  return 0;
}

void DescribeOptions(CLI::App& app, Options& o) {
  app.set_version_flag("--version", "octet-run " OCTET_VERSION);
  app.add_option("MODEL", o.blob, "blob made by octet convert");
  app.add_option("--input", o.inputs,
                 "one .npy for each model input: uint8 pictures [N,H,W,C] or float32 in the "
                 "model's own layout")
      ->delimiter(',');
  app.add_option("--output", o.output, "float32 .npy; OUT.0.npy, OUT.1.npy, ... for several");
  app.add_option("--plan", o.model.plan, "plan by name (default: the blob's first)");
  app.add_option("--isa", o.isa,
                 "highest instruction set to use: " + IsaWords() +
                     " (default: the best here); 'list' names those that work here");
  app.add_option("--threads", o.model.threads, "threads, this one included")
      ->check(CLI::Range(1u, 256u));
  app.add_option("--repeat", o.repeat, "timed inferences of each sample")
      ->check(CLI::Range(1u, 1000000u));
  app.add_option("--warmup", o.warmup, "untimed inferences of the first sample")
      ->check(CLI::Range(0u, 1000000u));
  app.add_flag("--profile", o.profile,
               "time, work, traffic and share of the core's peak of every layer");
  app.add_flag("--json", o.json, "report as JSON");
  app.add_flag("--no-verify", o.no_verify, "skip the SHA-256 check of the blob");
}

// Nothing is allocated between Bind and the last frame.
void RunSamples(const Options& o, Model& model, const Inputs& inputs, Outputs& outputs,
                Measurement* m) {
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
  for (uint32_t i = 0; i < o.warmup; ++i) {
    inputs.Set(session, 0);
    run();
  }
  for (uint64_t sample = 0; sample < inputs.sample_count(); ++sample) {
    for (uint32_t i = 0; i < o.repeat; ++i) {
      inputs.Set(session, sample);  // a run may overwrite its inputs
      m->run_ns.push_back(run());
      m->layers.Add(session);
    }
    outputs.Write(session);
  }
}

int Main(int argc, char** argv) {
  CLI::App app{"Runs an Octet blob over .npy samples"};
  Options o;
  DescribeOptions(app, o);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help, --version
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw InputError(std::string(error.what()) + "; see --help");
  }
  if (o.isa == "list") return ListIsas();
  if (o.blob.empty()) throw InputError("no MODEL given; see --help");
  if (!o.isa.empty()) {
    octet_isa isa;
    if (octet_isa_from_name(o.isa.c_str(), &isa).code != OCTET_OK) {
      throw InputError("--isa " + o.isa + ": unknown word; --isa list names those that work here");
    }
    o.model.isa = isa;
  }
  o.model.verify_hashes = !o.no_verify;
  if (o.profile) o.model.ticks = NowNs;

  Measurement m;
  const uint64_t load_started = NowNs();
  Model model(o.blob, o.model);
  m.load_ns = NowNs() - load_started;
  const Inputs inputs(o.inputs, model);
  Outputs outputs(o.output, model, inputs.sample_count());
  m.samples = inputs.sample_count();
  m.run_ns.reserve(m.samples * o.repeat);
  if (o.profile) {
    m.layers = LayerClock(model.blob().plans[model.plan()].layer_count, m.samples * o.repeat);
  }
  RunSamples(o, model, inputs, outputs, &m);
  outputs.Commit();
  Profile profile;
  if (o.profile) profile = MakeProfile(model, m.layers);
  if (o.json) {
    PrintJson(model, m, o.profile ? &profile : nullptr);
  } else {
    PrintText(model, m, o.profile ? &profile : nullptr);
  }
  return 0;
}

}  // namespace
}  // namespace octet::port

int main(int argc, char** argv) {
  try {
    return octet::port::Main(argc, argv);
  } catch (const octet::port::InputError& error) {
    std::fprintf(stderr, "octet-run: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "octet-run: internal error: %s; please report it\n", error.what());
    return 3;
  }
}
