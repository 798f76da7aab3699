#include "converter/calibrate/checkpoint.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "converter/calibrate/calibrate.h"
#include "converter/support/error.h"

namespace octet::calibrate {
namespace {

namespace fs = std::filesystem;

// Sample i: [1, 2, 2, 2] values, other ones in each and growing, so that histograms widen.
class Samples : public images::Dataset {
 public:
  explicit Samples(int64_t size) : size_(size) {}
  int64_t size() const override { return size_; }
  graph::Tensor Load(int64_t i) const override {
    if (++loads == kill_at) std::raise(SIGKILL);
    if (loads == fail_at) Fail("sample {} is broken", i);
    std::vector<float> values(8);
    for (size_t k = 0; k < values.size(); ++k) {
      values[k] = (static_cast<float>(k) - 3.3f) * static_cast<float>(i * i % 97);
    }
    return graph::Tensor::Floats({1, 2, 2, 2}, std::move(values));
  }
  mutable std::atomic<int64_t> loads{0};
  int64_t kill_at = -1, fail_at = -1;

 private:
  int64_t size_;
};

graph::Graph ReluGraph() {
  graph::Graph graph;
  const graph::Shape shape{1, 2, 2, 2};
  const graph::ValueId x = graph.AddValue({"x", graph::DataType::kFloat, shape, {}, {}});
  const graph::ValueId y = graph.AddValue({"y", graph::DataType::kFloat, shape, {}, {}});
  graph::Node node;
  node.name = node.op = "Relu";
  node.inputs = {x};
  node.outputs = {y};
  graph.nodes.push_back(node);
  graph.inputs = {x};
  graph.outputs = {y};
  return graph;
}

class CheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-checkpoint-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path File() const { return CheckpointOf(folder_ / "cache.json"); }
  void Save(const Interim& interim) const {
    const fs::path temporary = folder_ / "new";
    std::ofstream(temporary) << CheckpointText(graph_, key_, interim);
    fs::rename(temporary, File());
  }
  Options Every(double seconds, int threads) const {
    Options options;
    options.threads = threads;
    options.samples = 60;
    options.save = [this](const Interim& interim) { Save(interim); };
    options.save_seconds = seconds;
    return options;
  }
  std::string Text(const Samples& data, const Options& options) const {
    return CacheText(graph_, key_, Collect(graph_, {&data}, options));
  }
  std::string Refused(const CacheKey& key) const {
    try {
      ReadCheckpoint(File(), graph_, key);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
  graph::Graph graph_ = ReluGraph();
  CacheKey key_{"model", "data", "settings"};
};

// A child dies in the middle of a sample, without a word; its parent goes on.
TEST_F(CheckpointTest, GoesOnAfterKill) {
  Options whole;
  whole.samples = 60;
  const std::string expected = Text(Samples(100), whole);
  for (const int threads : {1, 2, 3}) {
    for (const int64_t at : {2, 17, 59}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, killed at " << at);
      fs::remove(File());
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        Samples data(100);
        data.kill_at = at;
        Collect(graph_, {&data}, Every(0, threads));
        _exit(0);
      }
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
      const auto begun = ReadCheckpoint(File(), graph_, key_);
      // Several threads may all be in their first sample.
      if (!begun) {
        EXPECT_GT(threads, 1);
        continue;
      }
      const auto known = static_cast<int64_t>(begun->done.size());
      EXPECT_GE(known, 1);
      EXPECT_LT(known, at);
      if (threads == 1) {
        EXPECT_EQ(known, at - 1) << "saved after each sample";
      }
      for (const int others : {1, 4}) {
        const Samples rest(100);
        Options options = Every(1e9, others);
        options.resume = &*begun;
        int64_t first = -1;
        options.progress = [&first](int64_t done, int64_t total) {
          EXPECT_EQ(total, 60);
          if (first < 0) first = done;
        };
        EXPECT_EQ(Text(rest, options), expected);
        EXPECT_EQ(rest.loads, 60 - known) << "what is in is not run again";
        EXPECT_EQ(first, known + 1);
      }
    }
  }
}

// Of many threads, with a save after every sample: whole samples only, and nobody waits for ever.
TEST_F(CheckpointTest, EverySaveIsWhole) {
  const Samples data(60);
  Options options = Every(0, 4);
  std::vector<Interim> saved;
  options.save = [&saved](const Interim& interim) { saved.push_back(interim); };
  const std::string expected = Text(data, options);
  ASSERT_FALSE(saved.empty());
  for (const Interim& interim : saved) {
    ASSERT_EQ(interim.observations.size(), 2u);
    EXPECT_EQ(interim.observations[0].Finish().count,
              static_cast<int64_t>(interim.done.size()) * 8);
    Options rest = Every(1e9, 2);
    rest.resume = &interim;
    EXPECT_EQ(Text(data, rest), expected);
  }
}

TEST_F(CheckpointTest, AFailedSampleIsNeverIn) {
  Samples data(60);
  data.fail_at = 20;
  int64_t known = 0;
  Options options = Every(0, 1);
  options.save = [&known](const Interim& so_far) {
    known = static_cast<int64_t>(so_far.done.size());
  };
  EXPECT_THROW(Collect(graph_, {&data}, options), UserError);
  EXPECT_EQ(known, 19);
}

TEST_F(CheckpointTest, RarelySavedWhereItIsShort) {
  Options options = Every(60, 2);
  options.save = [](const Interim&) { ADD_FAILURE() << "within a minute"; };
  Collect(graph_, {std::make_unique<Samples>(60).get()}, options);
}

TEST_F(CheckpointTest, RefusesOthersAndDamage) {
  EXPECT_FALSE(ReadCheckpoint(File(), graph_, key_));
  Interim interim;
  interim.done = {0};
  interim.observations.resize(2);
  interim.observations[0].Add(std::vector<float>{1, 2, 3});
  Save(interim);
  ASSERT_TRUE(ReadCheckpoint(File(), graph_, key_));
  const std::string start = File().string() + ": this interrupted calibration was made with ";
  EXPECT_EQ(Refused({"other", "data", "settings"}),
            start + "another model (model instead of other); delete the file to start again");
  EXPECT_EQ(Refused({"model", "other", "settings"}),
            start + "other data (data instead of other); delete the file to start again");
  EXPECT_EQ(Refused({"model", "data", "other"}),
            start + "other settings (settings instead of other); delete the file to start again");
  std::ifstream file(File());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"\"max\":3.0", "\"max\":1e9"},
                                 {"\"exponent\":-9", "\"exponent\":900"},
                                 {"\"count\":3", "\"count\":-3"},
                                 {"\"x\"", "\"z\""},
                                 {"\"bins\":[0,", "\"bins\":["}}) {
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << text.substr(0, 200);
    std::ofstream(File()) << std::string(text).replace(at, from.size(), to);
    EXPECT_EQ(Refused(key_),
              File().string() +
                  ": this interrupted calibration is damaged; delete the file to start again");
  }
  std::ofstream(File()) << text.substr(0, text.size() / 2);
  EXPECT_NE(Refused(key_).find("damaged; delete the file"), std::string::npos);
}

}  // namespace
}  // namespace octet::calibrate
