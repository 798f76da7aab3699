// bench-kernels: the kernels of one or all instruction sets over the layers of typical networks,
// each network run in order so that caches are in the state of real inference. Prints the median
// time of each layer, GMAC/s and the share of the core's peak measured in the same run. One thread;
// pin it to a core (taskset -c 0).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/clock.h"
#include "bench/kernels/bound_layer.h"
#include "ports/linux/cpu.h"
#include "ports/linux/peak.h"

namespace octet::bench {
namespace {

struct Options {
  std::string word, network;
  int repeat = 30;
  bool json = false, fp16 = false, summary = false, best = false, panels = false;
};

// An instruction set, or one panel of the convolutions (conv/kernels.inc) in the table of its own.
struct Word {
  const char* name;
  Isa isa;
  ConvS8Fn panel_s8 = nullptr;
  ConvF16Fn panel_f16 = nullptr;

  bool IsPanel() const { return panel_s8 != nullptr || panel_f16 != nullptr; }
};
constexpr Word PanelWord(const char* name, Isa isa, ConvS8Fn panel) {
  return {name, isa, panel, nullptr};
}
constexpr Word PanelWord(const char* name, Isa isa, ConvF16Fn panel) {
  return {name, isa, nullptr, panel};
}
constexpr Word kWords[] = {
#define OCTET_LEVEL(code, Name, NAME, word, ...) {#word, Isa::k##Name},
#include "runtime/core/isa.inc"
#undef OCTET_LEVEL
#define OCTET_CONV_PANEL(precision, word, isa, rows, blocks) \
  PanelWord(#word "_" #rows "x" #blocks, isa, &conv_##precision##_##word##_##rows##x##blocks),
#include "runtime/kernels/conv/kernels.inc"
#undef OCTET_CONV_PANEL
};

// Whether the options ask for this entry.
bool IsWanted(const Word& word, const Options& options) {
  if (word.IsPanel() && (word.panel_f16 != nullptr) != options.fp16) return false;
  if (!options.word.empty()) return options.word == word.name;
  return word.isa != Isa::kReference && word.IsPanel() == options.panels;
}

const char* WordOf(Isa isa) {
  for (const Word& word : kWords) {
    if (word.isa == isa) return word.name;
  }
  return "?";
}

// Only x86 is asked: a build for ARM is run on a board whose words the caller names.
bool CpuHas(Isa isa) {
  if (IsaFamilyOf(isa) != IsaFamily::kX86) return true;
  return port::CpuHas(port::DetectCpu(), static_cast<octet_isa>(isa));
}

struct Row {
  std::string name, kernel;
  double seconds;
  uint64_t macs;
};

// The fastest round instead of the median: for a machine that others use as well.
double Typical(std::vector<double> values, bool best) {
  if (best) return *std::min_element(values.begin(), values.end());
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

std::vector<Row> Measure(const Network& network, const KernelTable& table, Isa isa,
                         const Options& options) {
  std::vector<BoundLayer> layers;
  uint64_t bytes = 64;
  for (const Layer& layer : network.layers) {
    layers.emplace_back(layer, options.fp16);
    bytes = std::max(bytes, layers.back().LargestTensorBytes());
  }
  const AlignedBytes buffers[3] = {MakeAligned(bytes), MakeAligned(bytes), MakeAligned(bytes)};
  if (options.fp16) {  // random bits of halves hold NaNs and infinities
    for (const AlignedBytes& buffer : buffers) std::memset(buffer.get(), 0x2C, bytes);
  }
  std::vector<std::vector<double>> seconds(layers.size());
  for (int round = -2; round < options.repeat; ++round) {
    for (size_t i = 0; i < layers.size(); ++i) {
      const double start = SecondsNow();
      layers[i].Run(table, IsaSignByte(isa), buffers[i % 2].get(), buffers[2].get(),
                    buffers[(i + 1) % 2].get());
      if (round >= 0) seconds[i].push_back(SecondsNow() - start);
    }
  }
  std::vector<Row> rows;
  for (size_t i = 0; i < layers.size(); ++i) {
    rows.push_back({NameOf(layers[i].layer()), WordOf(layers[i].KernelOf(table)),
                    Typical(seconds[i], options.best), MacsOf(layers[i].layer())});
  }
  return rows;
}

void PrintTable(const Network& network, const Word& word, const std::vector<Row>& rows, double peak,
                const Options& options) {
  double total = 0, conv = 0, depthwise = 0;
  uint64_t macs = 0;
  for (const Row& row : rows) {
    total += row.seconds;
    macs += row.macs;
    if (row.name.rfind("conv ", 0) == 0) conv += row.seconds;
    if (row.name.rfind("depthwise", 0) == 0) depthwise += row.seconds;
  }
  std::printf("%s %s %s: %.3f ms (conv %.3f, depthwise %.3f, other %.3f), %.1f GMAC/s",
              network.name.c_str(), word.name, options.fp16 ? "fp16" : "int8", total * 1e3,
              conv * 1e3, depthwise * 1e3, (total - conv - depthwise) * 1e3,
              static_cast<double>(macs) / total * 1e-9);
  if (peak > 0) std::printf(", peak %.1f GMAC/s", peak * 1e-9);
  std::printf("\n");
  if (options.summary) return;
  for (const Row& row : rows) {
    const double rate = static_cast<double>(row.macs) / row.seconds;
    std::printf("  %-42s %-10s %9.2f us", row.name.c_str(), row.kernel.c_str(), row.seconds * 1e6);
    if (row.macs != 0) std::printf(" %8.1f GMAC/s", rate * 1e-9);
    if (row.macs != 0 && peak > 0) std::printf(" %5.1f %%", 100 * rate / peak);
    std::printf("\n");
  }
}

void PrintJson(const Network& network, const Word& word, const std::vector<Row>& rows, double peak,
               const Options& options, bool first) {
  std::printf(
      "%s{\"network\":\"%s\",\"isa\":\"%s\",\"precision\":\"%s\",\"peak_gmacs\":%.2f,"
      "\"layers\":[",
      first ? "" : ",\n", network.name.c_str(), word.name, options.fp16 ? "fp16" : "int8",
      peak * 1e-9);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::printf("%s\n {\"layer\":\"%s\",\"kernel\":\"%s\",\"us\":%.3f,\"macs\":%llu}",
                i == 0 ? "" : ",", rows[i].name.c_str(), rows[i].kernel.c_str(),
                rows[i].seconds * 1e6, static_cast<unsigned long long>(rows[i].macs));
  }
  std::printf("]}");
}

int Usage() {
  std::fprintf(stderr,
               "usage: bench-kernels [--isa WORD] [--network ResNet18|MobileNetV2] [--fp16] "
               "[--panels] [--repeat N] [--best] [--summary] [--json]\n");
  return 2;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const bool more = i + 1 < argc;
    if (name == "--json") {
      options.json = true;
    } else if (name == "--fp16") {
      options.fp16 = true;
    } else if (name == "--panels") {
      options.panels = true;
    } else if (name == "--best") {
      options.best = true;
    } else if (name == "--summary") {
      options.summary = true;
    } else if (name == "--isa" && more) {
      options.word = argv[++i];
    } else if (name == "--network" && more) {
      options.network = argv[++i];
    } else if (name == "--repeat" && more) {
      options.repeat = std::max(1, std::atoi(argv[++i]));
    } else {
      return Usage();
    }
  }
  bool first = true;
  const uint32_t features = port::Features(port::DetectCpu());
  if (options.json) std::printf("[");
  for (const Network& network : {ResNet18(), MobileNetV2()}) {
    if (!options.network.empty() && network.name != options.network) continue;
    for (const Word& word : kWords) {
      if (!IsWanted(word, options)) continue;
      KernelTable table;
      if (!FillKernelTable(word.isa, features, &table)) continue;
      if (!CpuHas(word.isa)) {
        std::fprintf(stderr, "skipped: this CPU has no %s\n", word.name);
        continue;
      }
      if (word.panel_s8 != nullptr) table.conv_s8 = word.panel_s8;
      if (word.panel_f16 != nullptr) table.conv_f16 = word.panel_f16;
      const double peak = 1e9 * port::PeakGmacs(static_cast<octet_isa>(word.isa), options.fp16);
      const std::vector<Row> rows = Measure(network, table, word.isa, options);
      if (options.json) {
        PrintJson(network, word, rows, peak, options, first);
      } else {
        PrintTable(network, word, rows, peak, options);
      }
      first = false;
    }
  }
  if (options.json) std::printf("]\n");
  if (first) {
    std::fprintf(stderr,
                 "bench-kernels: nothing to run: no such network or instruction set here\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace octet::bench

int main(int argc, char** argv) {
  return octet::bench::Main(argc, argv);
}
