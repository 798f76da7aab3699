#include "tests/converter/snapshot/networks.h"

#include <cstdint>
#include <numeric>

#include "tests/converter/lower/random_graph.h"
#include "tests/converter/oracle/random_qdq.h"
#include "tests/converter/oracle/small_graphs.h"

namespace octet::test {
namespace {

constexpr int64_t kSamples = 8;

// Taken in turn, so that each meets a few networks.
const std::vector<Words>& Turns() {
  static const std::vector<Words> turns{
      {"--effort", "fast"},
      {},
      {"--winograd", "--winograd-fp16"},
      {"--effort", "fast", "--mixed"},
      {"--int8-everywhere", "--native-fp16"},
      {"--effort", "fast", "--drift", "--golden", "2"},
      {"--temporal", "filter", "--temporal-lambda", "10"},
      {"--effort", "fast", "--verbosity", "none", "--section-align", "64"},
      {"--samples", "6", "--seed", "3", "--memory", "0"},
      {"--effort", "fast", "--select", "5"},
  };
  return turns;
}

std::vector<uint64_t> Range(uint64_t count) {
  std::vector<uint64_t> seeds(count);
  std::iota(seeds.begin(), seeds.end(), uint64_t{0});
  return seeds;
}

template <typename Maker>
void AddSeeds(const std::string& name, uint64_t first, const std::vector<uint64_t>& seeds,
              std::vector<Network>* networks) {
  for (const uint64_t i : seeds) {
    networks->push_back({name + "_" + std::to_string(i),
                         [=](const Folder& folder) {
                           const Maker made(first + i);
                           folder.Model(made.model());
                           return folder.DataFor(made.model(), kSamples, first % 1000 + 10 * i);
                         },
                         Turns()[i % Turns().size()]});
  }
}

}  // namespace

void AddMade(std::vector<Network>* networks) {
  AddSeeds<RandomGraph>("graph", 1, Range(20), networks);
  AddSeeds<RandomGraph>("family", RandomGraph::kFamilySeeds, Range(16), networks);
  AddSeeds<RandomGraph>("axes", RandomGraph::kAxisSeeds,
                        {0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}, networks);
  AddSeeds<RandomGraph>("attention", RandomGraph::kAttentionSeeds,
                        {1, 2, 8, 9, 10, 12, 14, 19, 21, 22, 24, 31, 37, 40, 41, 42, 43}, networks);
  AddSeeds<RandomQdq>("qdq", 5, Range(20), networks);
  for (const SmallGraph& small : SmallGraphs()) {
    if (small.name == "fold_into_layer_norm" || small.name == "unique_names") continue;
    networks->push_back({"small_" + small.name,
                         [&small](const Folder& folder) {
                           OnnxBuilder model;
                           small.build(model);
                           folder.Model(model);
                           return folder.DataFor(model, kSamples, 1);
                         },
                         {"--effort", "fast"}});
  }
}

std::vector<Network> Networks() {
  std::vector<Network> networks;
  AddMade(&networks);
  AddFeatures(&networks);
  AddOptions(&networks);
  AddDecoders(&networks);
  AddSections(&networks);
  AddIntegers(&networks);
  return networks;
}

}  // namespace octet::test
