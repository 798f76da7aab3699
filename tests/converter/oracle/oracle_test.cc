// Every pass against the graph before it, over all models at hand that take little time.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "converter/passes/passes.h"
#include "converter/support/error.h"
#include "tests/converter/lower/random_graph.h"
#include "tests/converter/oracle/cases.h"
#include "tests/converter/oracle/oracle.h"
#include "tests/converter/oracle/random_qdq.h"
#include "tests/converter/oracle/small_graphs.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;

// Under sanitizers a graph takes ten times as long; the native build runs the others.
#ifdef OCTET_SANITIZED
constexpr uint64_t kQuantizedGraphs = 100, kFloatGraphs = 40;
#else
constexpr uint64_t kQuantizedGraphs = 300, kFloatGraphs = 100;
#endif

// What all sources together have shown.
struct Totals {
  std::map<std::string, int, std::less<>> fired;
  int judged = 0, refused = 0, ties = 0;
};

Totals& All() {
  static Totals totals;
  return totals;
}

void Try(const OracleCase& one) {
  const Judgement judgement = Judge(one.graph, one.samples);
  Totals& all = All();
  ++all.judged;
  all.ties += judgement.ties;
  if (!judgement.refused.empty()) {
    ++all.refused;
    std::cout << "refused: " << one.name << ": " << judgement.refused << '\n';
  }
  for (const auto& [pass, count] : judgement.fired) all.fired[pass] += count;
  for (const Finding& finding : judgement.findings) {
    ADD_FAILURE() << one.name << ": " << finding.pass << ": " << finding.text;
  }
}

// A model that others read. Control flow and training forms are refused by name.
void NotRead(const std::string& name, const std::string& message) {
  const bool by_name = message.find("subgraphs are not supported") != std::string::npos ||
                       message.find("training") != std::string::npos ||
                       message.find("are not supported; quantize to int8") != std::string::npos;
  if (by_name) {
    std::cout << "not read: " << name << ": " << message << '\n';
  } else {
    ADD_FAILURE() << name << ": " << message;
  }
}

void TryFile(const fs::path& path) {
  try {
    Try(ReadCase(path));
  } catch (const UserError& error) {
    const std::string folder = path.parent_path().parent_path().filename();
    NotRead(folder + "/" + path.parent_path().filename().string(), error.what());
  }
}

TEST(Oracle, ModelsOfTheDemos) {
  const auto models = ModelsUnder(fs::path(OCTET_SOURCE_DIR) / "demo");
  ASSERT_FALSE(models.empty());
  for (const fs::path& path : models) TryFile(path);
}

TEST(Oracle, AGraphForEachPassThatIsRare) {
  for (const SmallGraph& graph : SmallGraphs()) {
    OnnxBuilder model(graph.name == "dilated_average_to_conv" ? 19 : 13);
    graph.build(model);
    OracleCase one = MakeCase("small/" + graph.name, model);
    // Import gives each node a name of its own.
    if (graph.name == "unique_names") {
      for (graph::Node& node : one.graph.nodes) node.name = "same";
    }
    Try(one);
    EXPECT_TRUE(All().fired.contains(graph.name)) << graph.name;
  }
}

TEST(Oracle, SmallModelsThatWentWrong) {
  const auto models = ModelsUnder(fs::path(OCTET_SOURCE_DIR) / "../shared/repro");
  if (models.empty()) GTEST_SKIP() << "../shared/repro is absent";
  const std::string left_out[] = {
      "hostile",  // graphs that exhaust a converter: tests/models/hostile_models.py makes such
      "q_outdtype_4"};  // rounds to 16 bits, which no plan does: a note says so
  for (const fs::path& path : models) {
    if (std::none_of(std::begin(left_out), std::end(left_out), [&path](const std::string& name) {
          return path.string().find(name) != std::string::npos;
        })) {
      TryFile(path);
    }
  }
}

TEST(Oracle, TestsOfOnnx) {
  const auto folders = BackendFolders();
  if (folders.empty()) GTEST_SKIP() << "Debian's libonnx-testdata is not installed";
  for (const fs::path& folder : folders) {
    try {
      Try(ReadBackendCase(folder, true));
    } catch (const std::exception&) {
      continue;  // not for us: operators_test.cc counts them
    }
  }
}

TEST(Oracle, RandomQuantizedGraphs) {
  std::cout << "seeds 1 to " << kQuantizedGraphs << '\n';
  for (uint64_t seed = 1; seed <= kQuantizedGraphs; ++seed) {
    const RandomQdq graph(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + graph.description());
    const std::string name = "qdq/" + std::to_string(seed);
    try {
      Try(MakeCase(name, graph.model()));
    } catch (const UserError& error) {
      NotRead(name, error.what());
    }
  }
}

TEST(Oracle, RandomFloatGraphs) {
  for (const uint64_t first : {uint64_t{0}, RandomGraph::kFamilySeeds, RandomGraph::kAxisSeeds,
                               RandomGraph::kAttentionSeeds}) {
    std::cout << "seeds " << first + 1 << " to " << first + kFloatGraphs << '\n';
    for (uint64_t seed = first + 1; seed <= first + kFloatGraphs; ++seed) {
      const RandomGraph graph(seed);
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + graph.description());
      try {
        Try(MakeCase("float/" + std::to_string(seed), graph.model()));
      } catch (const UserError& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
}

// After a full run each pass has fired somewhere.
class Sums : public ::testing::Environment {
 public:
  void TearDown() override {
    const auto* unit = ::testing::UnitTest::GetInstance();
    if (unit->test_to_run_count() != unit->total_test_count()) return;
    const Totals& all = All();
    std::cout << all.judged << " graphs, " << all.refused << " refused, " << all.ties << " ties\n";
    bool complete = unit->skipped_test_count() == 0;
#ifdef OCTET_SANITIZED
    complete = false;  // too few graphs
#endif
    std::vector<std::string_view> names;
    for (const passes::Pass& pass : passes::AllPasses()) names.push_back(pass.name);
    for (const passes::LatePass& pass : passes::LatePasses()) names.push_back(pass.name);
    for (const std::string_view name : names) {
      if (all.fired.contains(name)) continue;
      std::cout << "nothing here makes pass " << name << " fire\n";
      EXPECT_FALSE(complete) << name;
    }
  }
};
[[maybe_unused]] const auto* const kSums = ::testing::AddGlobalTestEnvironment(new Sums);

}  // namespace
}  // namespace octet::test
