// bench-models: the benchmark networks, built in memory, or blobs of real models, at every level of
// this machine. Pin it to cores (taskset) for steady figures.
#include <fmt/core.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "bench/models/engine_session.h"
#include "bench/models/measure.h"
#include "bench/models/to_blob.h"
#include "bench/models/to_onnx.h"
#include "converter/write/write.h"
#include "ports/linux/command_line/command_line.h"
#include "ports/linux/cpu.h"
#include "ports/linux/file.h"

namespace octet::bench {
namespace {

struct Options {
  std::vector<std::string> networks, blobs, levels;
  std::string plan = "both", save_blobs, export_onnx;
  std::vector<uint32_t> threads = {1, 2};
  uint32_t rounds = 9;
  bool json = false, worker = false, reference = false, winograd = false;
};

std::vector<octet_isa> LevelsOf(const Options& options) {
  std::vector<octet_isa> levels;
  const port::CpuWord cpu = port::DetectCpu();
  for (const octet_isa isa : port::kIsasLowestFirst) {
    const auto& names = options.levels;
    const bool named = std::find(names.begin(), names.end(), octet_isa_name(isa)) != names.end();
    const bool wanted = names.empty() ? isa != OCTET_ISA_REFERENCE || options.reference : named;
    if (wanted && port::CanRun(cpu, isa)) levels.push_back(isa);
    if (named && !port::CanRun(cpu, isa)) {
      fmt::print(stderr, "skipped: {} cannot run on this machine\n", octet_isa_name(isa));
    }
  }
  return levels;
}

std::vector<uint8_t> ReadBlob(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw port::InputError(path + ": cannot be read; name a blob of octet convert");
  std::vector<uint8_t> blob{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const AlignedBytes aligned = AllocateAligned(blob.size());
  std::memcpy(aligned.get(), blob.data(), blob.size());
  const octet_status status = octet_validate(aligned.get(), blob.size(), 1);
  if (status.code != OCTET_OK) {
    throw port::InputError(path + ": no valid blob: " + octet_code_name(status.code));
  }
  return blob;
}

void SaveText(const std::filesystem::path& path, const std::string& text) {
  write::SaveFile(path, {text.begin(), text.end()});
}

void Print(const Result& r) {
  fmt::print("{:<13} {:<5} {:<10} {:>7} {:>10.3f} {:>10.3f} {:>9.1f}", r.network, r.plan, r.isa,
             r.threads, r.median_ms, r.min_ms, r.gmacs);
  if (r.peak_gmacs > 0) {
    fmt::print(" {:>9.1f} {:>7.1f} %", r.peak_gmacs, 100 * r.gmacs / r.peak_gmacs / r.threads);
  }
  fmt::print("  {:016x}\n", r.output_hash);
}

nlohmann::json ToJson(const Result& r) {
  return {{"network", r.network},
          {"plan", r.plan},
          {"isa", r.isa},
          {"threads", r.threads},
          {"median_ms", r.median_ms},
          {"min_ms", r.min_ms},
          {"macs", r.macs},
          {"gmacs_per_s", r.gmacs},
          {"core_peak_gmacs_per_s", r.peak_gmacs},
          {"output_hash", fmt::format("{:016x}", r.output_hash)}};
}

// For bench/peers: a line with a count comes in, the milliseconds of so many inferences go out.
int Work(const std::vector<uint8_t>& blob, octet_isa isa, const Options& options) {
  const AlignedBytes memory = AllocateAligned(blob.size());
  std::memcpy(memory.get(), blob.data(), blob.size());
  EngineSession session(memory.get(), blob.size(), isa, options.plan, options.threads.front());
  std::cout << "ready" << std::endl;
  for (int count; std::cin >> count;) {
    for (int i = 0; i < count; ++i) std::cout << session.Infer() * 1e3 << ' ';
    std::cout << std::endl;
  }
  return 0;
}

int Run(const Options& options) {
  Choice choice;
  choice.levels = LevelsOf(options);
  choice.threads = options.threads;
  choice.rounds = options.rounds;
  choice.plans = {options.plan};
  if (options.plan == "both") choice.plans = {"int8", "fp16"};
  if (choice.levels.empty()) {
    fmt::print(stderr, "bench-models: no level left; octet-run --isa list names those here\n");
    return 2;
  }
  const bool save = !options.save_blobs.empty() || !options.export_onnx.empty();
  const bool table = !options.json && !options.worker && !save;
  if (table) {
    fmt::print("{:<13} {:<5} {:<10} {:>7} {:>10} {:>10} {:>9} {:>9} {:>9}  {}\n", "network", "plan",
               "isa", "threads", "median ms", "min ms", "GMAC/s", "core peak", "of peak",
               "output hash");
  }
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& path : options.blobs) {
    const std::vector<uint8_t> blob = ReadBlob(path);
    if (options.worker) return Work(blob, choice.levels.back(), options);
    for (const Result& result : Measure(std::filesystem::path(path).stem(), blob, choice)) {
      if (table) Print(result);
      all.push_back(ToJson(result));
    }
  }
  for (const std::string& name : options.networks) {
    const Network network = MakeNetwork(name);
    if (!options.export_onnx.empty()) {
      SaveText(options.export_onnx + "/" + name + ".onnx", QdqModel(network));
      SaveText(options.export_onnx + "/" + name + ".float.onnx", FloatModel(network));
      const Value& in = network.input();
      const nlohmann::json shape = {1, in.channels, in.height, in.width};
      SaveText(options.export_onnx + "/" + name + ".json",
               nlohmann::json{{"input", shape}, {"macs", network.macs}}.dump() + "\n");
    }
    if (save && options.save_blobs.empty()) continue;
    const std::vector<uint8_t> blob = MakeBlob(network, options.winograd);
    if (!options.save_blobs.empty()) {
      write::SaveFile(options.save_blobs + "/" + name + ".octet", blob);
    }
    if (save) continue;
    if (options.worker) return Work(blob, choice.levels.back(), options);
    for (const Result& result : Measure(name, blob, choice)) {
      if (table) Print(result);
      all.push_back(ToJson(result));
    }
  }
  if (options.json) fmt::print("{}\n", all.dump(2));
  return 0;
}

int Main(int argc, char** argv) {
  Options options;
  port::CommandLine app(
      "Times the benchmark networks: float input to float output, interleaved rounds");
  app.Add("--network", options.networks, "networks, comma separated (default: all)")
      .Delimiter(',')
      .Among(NetworkNames());
  app.Add("--blob", options.blobs, "blobs of octet convert instead of networks, comma separated")
      .Delimiter(',');
  app.Add("--isa", options.levels, "levels, comma separated (default: all of this machine)")
      .Delimiter(',');
  app.Add("--plan", options.plan).Among({"int8", "fp16", "both"});
  app.Add("--threads", options.threads, "thread counts, comma separated")
      .Delimiter(',')
      .Range(1u, 64u);
  app.Add("--rounds", options.rounds).Range(1u, 10000u);
  app.AddFlag("--reference", options.reference, "the portable reference kernels as well (slow)");
  app.AddFlag("--winograd", options.winograd,
              "blobs with weights transformed for Winograd's method as well");
  app.AddFlag("--json", options.json);
  app.Add("--save-blobs", options.save_blobs, "write NAME.octet here instead of timing").Folder();
  app.Add("--export-onnx", options.export_onnx,
          "write NAME.onnx (Q/DQ, uint8 activations) here instead of timing")
      .Folder();
  app.AddFlag("--worker", options.worker,
              "serve bench/peers: counts on stdin, milliseconds on stdout");
  try {
    if (const std::optional<int> status = app.Parse(argc, argv)) return *status;
  } catch (const port::UsageError& error) {
    fmt::print(stderr, "bench-models: {}; see --help\n", error.cause);
    return 2;
  }
  if (!options.blobs.empty() && (!options.networks.empty() || options.winograd ||
                                 !options.save_blobs.empty() || !options.export_onnx.empty())) {
    fmt::print(stderr,
               "bench-models: --blob goes with none of --network, --winograd, --save-blobs and "
               "--export-onnx; see --help\n");
    return 2;
  }
  if (options.networks.empty() && options.blobs.empty()) options.networks = NetworkNames();
  if (options.worker && options.plan == "both") options.plan = "int8";
  try {
    return Run(options);
  } catch (const port::InputError& error) {
    fmt::print(stderr, "bench-models: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench-models: {}\n", error.what());
    return 3;
  }
}

}  // namespace
}  // namespace octet::bench

int main(int argc, char** argv) {
  return octet::bench::Main(argc, argv);
}
