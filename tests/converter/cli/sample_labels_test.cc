// --sample-labels and --select: what is read, what is kept, what is said.
#include "converter/judge/sample_labels.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "converter/support/error.h"
#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::cli {
namespace {

using nlohmann::json;
using test::Dims;
using test::ExpectFacts;

class SampleLabelsTest : public test::Cli {
 protected:
  judge::SampleLabels Read(const json& file,
                           const std::vector<std::string>& names = {"a", "b"}) const {
    WriteText("labels.json", file.dump());
    return {Path("labels.json"), names, 2};
  }
  std::string Refused(const std::string& text, const std::vector<std::string>& names) const {
    WriteText("labels.json", text);
    try {
      const judge::SampleLabels labels(Path("labels.json"), names, 2);
    } catch (const UserError& error) {
      const std::string line = error.what();
      EXPECT_EQ(line.rfind(Path("labels.json: "), 0), 0u) << line;
      return line.substr(Path("labels.json: ").size());
    }
    return "";
  }
  static json File() {
    return {{"images",
             {{{"id", 7}, {"file_name", "one.jpg"}},
              {{"id", 9}, {"file_name", "train/two.jpg"}},
              {{"id", 8}, {"file_name", "val/two.jpg"}}}},
            {"annotations",
             {{{"image_id", 7}, {"category_id", 30}, {"bbox", {10, 20, 30, 40}}},
              {{"image_id", 7}, {"category_id", 4}, {"bbox", {1, 2, 3, 4}}, {"iscrowd", 1}},
              {{"image_id", 8}, {"category_id", 4}, {"bbox", {1, 2, 3, 4}}, {"iscrowd", 0}}}},
            {"categories", {{{"id", 30}, {"name", "a"}}, {{"id", 4}, {"name", "b"}}}}};
  }
};

TEST_F(SampleLabelsTest, ByFileAndByName) {
  const judge::SampleLabels labels = Read(File());
  EXPECT_EQ(labels.size(), 3u);
  const judge::SampleLabel* one = labels.Of("/somewhere/one.jpg");
  ASSERT_NE(one, nullptr);
  ASSERT_EQ(one->boxes.size(), 1u) << "a crowd is no box";
  EXPECT_EQ(one->boxes[0].label, 0u) << "by its name, not by its number";
  EXPECT_EQ(one->boxes[0].x0, 10);
  EXPECT_EQ(one->boxes[0].x1, 40);
  EXPECT_EQ(one->boxes[0].y1, 60);
  // The same name in two folders.
  ASSERT_NE(labels.Of("/data/val/two.jpg"), nullptr);
  EXPECT_EQ(labels.Of("/data/val/two.jpg")->boxes.size(), 1u);
  EXPECT_TRUE(labels.Of("/data/train/two.jpg")->boxes.empty());
  ASSERT_NE(labels.Of("val/two.jpg"), nullptr) << "the path as the file has it";
  EXPECT_EQ(labels.Of("val/two.jpg")->boxes.size(), 1u);
  EXPECT_EQ(labels.Of("/data/other_val/two.jpg"), nullptr) << "half a folder's name";
  EXPECT_EQ(labels.Of("/data/two.jpg"), nullptr);
  EXPECT_EQ(labels.Of("/data/three.jpg"), nullptr);
  // Without names the order of the numbers counts.
  EXPECT_EQ(Read(File(), {}).Of("one.jpg")->boxes[0].label, 1u);
}

TEST_F(SampleLabelsTest, FilesThatAreNone) {
  const std::vector<std::string> names{"a", "b"};
  EXPECT_NE(Refused("{", names).find("not JSON in COCO format"), std::string::npos);
  EXPECT_NE(Refused("{}", names).find("key 'categories' not found"), std::string::npos);
  json file = File();
  file["annotations"][0]["image_id"] = 1;
  ExpectFacts(Refused(file.dump(), names), {"annotation", "image 1"});
  file = File();
  file["annotations"][0]["category_id"] = 1;
  ExpectFacts(Refused(file.dump(), names), {"annotation", "category 1"});
  file = File();
  file["annotations"][0]["bbox"] = {1, 2, 3};
  ExpectFacts(Refused(file.dump(), names), {"bbox", "3 numbers", "4"});
  file = File();
  file["images"][1]["id"] = 7;
  ExpectFacts(Refused(file.dump(), names), {"two images", "id 7"});
  file = File();
  file["categories"].push_back({{"id", 5}, {"name", "c"}});
  EXPECT_EQ(Refused(file.dump(), {}),
            "has 3 categories, but the model has 2 classes; name the classes with --labels, as the "
            "categories are called");
}

TEST(QualityOf, Boxes) {
  judge::SampleLabel label;
  judge::Answer answer;
  EXPECT_EQ(judge::QualityOf(blob::Task::kDetect, label, answer), 1)
      << "nothing there, nothing found";
  answer.boxes.push_back({0, 0, 10, 10, 0.4f, 0});
  EXPECT_EQ(judge::QualityOf(blob::Task::kDetect, label, answer), 1) << "it is not sure of that";
  answer.boxes[0].score = 0.5f;
  EXPECT_EQ(judge::QualityOf(blob::Task::kDetect, label, answer), 0);
  label.boxes.push_back({0, 0, 10, 10, 1, 0});
  EXPECT_EQ(judge::QualityOf(blob::Task::kDetect, label, answer), 1);
  label.boxes.push_back({0, 0, 10, 10, 1, 0});
  EXPECT_EQ(judge::QualityOf(blob::Task::kDetect, label, answer), 0.5) << "one box finds one label";
  answer.boxes.push_back({0, 0, 10, 5, 0.9f, 0});
  EXPECT_EQ(judge::QualityOf(blob::Task::kDetect, label, answer), 0.75) << "the best overlap first";
  answer.boxes[1].label = 1;
  EXPECT_EQ(judge::QualityOf(blob::Task::kDetect, label, answer), 0.5) << "of another class";
}

TEST(QualityOf, Classes) {
  judge::SampleLabel label;
  label.label = 3;
  judge::Answer answer;
  answer.label = 3;
  answer.confidence = 0.75f;
  EXPECT_EQ(judge::QualityOf(blob::Task::kClassify, label, answer), 0.75);
  answer.label = 2;
  EXPECT_EQ(judge::QualityOf(blob::Task::kClassify, label, answer), 0);
}

// The model of the other tests tells four classes apart; half of its pictures are labelled with
// what it says itself, so that those are kept and no others.
class SampleChoiceTest : public test::Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    std::filesystem::create_directory(Path("pictures"));
    for (int i = 0; i < 12; ++i) {
      std::string pixels;
      for (int k = 0; k < 192; ++k) pixels += static_cast<char>((k * (i + 3) * 37 + 20 * i) % 251);
      WriteText("pictures/" + std::to_string(i) + ".ppm", "P6 8 8 255\n" + pixels);
    }
  }
  // Four categories; picture i has class `label_of(i)`, where that is not negative.
  template <typename F>
  void WriteLabels(F&& label_of) const {
    json file{{"images", json::array()}, {"annotations", json::array()}};
    for (int i = 0; i < 12; ++i) {
      if (label_of(i) < 0) continue;
      file["images"].push_back({{"id", i}, {"file_name", std::to_string(i) + ".ppm"}});
      file["annotations"].push_back({{"image_id", i}, {"category_id", label_of(i)}});
    }
    for (int c = 0; c < 4; ++c) {
      file["categories"].push_back({{"id", c}, {"name", "class " + std::to_string(c)}});
    }
    WriteText("labels.json", file.dump());
  }
  Result Choose(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"--calibrate", Path("pictures")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Convert("m.onnx", arguments);
  }
};

TEST_F(SampleChoiceTest, PicturesTheModelUnderstands) {
  // By each class in turn: together they keep every picture once.
  int64_t kept = 0;
  for (int c = 0; c < 4; ++c) {
    WriteLabels([c](int i) { return i < 10 ? c : -1; });
    const Result result = Choose({"--task", "classify", "--sample-labels", Path("labels.json"),
                                  "--label-quality", "0.25", "--json"});
    if (result.status == 2) continue;
    ASSERT_EQ(result.status, 0) << result.err;
    const json out = json::parse(result.out);
    const json labels = out["choice"]["labels"];
    EXPECT_EQ(labels["unlabelled"], 2);
    EXPECT_EQ(labels["kept"].get<int>() + labels["poor"].get<int>(), 10);
    EXPECT_EQ(out["samples"], labels["kept"]);
    kept += labels["kept"].get<int64_t>();
  }
  EXPECT_EQ(kept, 10) << "of four classes the likeliest has 0.25 and more";
}

TEST_F(SampleChoiceTest, AQualityOf0KeepsEveryLabelledPicture) {
  WriteLabels([](int i) { return i < 9 ? i % 4 : -1; });
  const Result result = Choose({"--task", "classify", "--sample-labels", Path("labels.json"),
                                "--label-quality", "0", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json labels = json::parse(result.out)["choice"]["labels"];
  EXPECT_EQ(labels["kept"], 9);
  EXPECT_EQ(labels["poor"], 0);
  EXPECT_EQ(labels["unlabelled"], 3);
}

TEST_F(SampleChoiceTest, Refusals) {
  WriteLabels([](int i) { return i % 4; });
  const std::string file = Path("labels.json");
  ExpectRefused(Choose({"--sample-labels", file}), "give --task classify, or --task detect with");
  ExpectRefused(Choose({"--task", "classify", "--sample-labels", Path("absent.json")}),
                "absent.json: cannot be read");
  ExpectRefused(Choose({"--label-quality", "0.5"}), "--label-quality: needs --sample-labels");
  ExpectRefused(Choose({"--task", "classify", "--sample-labels", file, "--label-quality", "1.5"}),
                "--label-quality: must be from 0 to 1");
  ExpectRefused(Convert("m.onnx", {"--task", "classify", "--sample-labels", file}),
                "give --calibrate a folder");
  ExpectRefused(Choose({"--select", "0"}), "--select");
  WriteLabels([](int) { return -1; });
  const Result none = Choose({"--task", "classify", "--sample-labels", file});
  ExpectRefused(none,
                "no picture is left for calibration: 12 are not in it, 0 have an FP32 score below");
}

TEST_F(SampleChoiceTest, SelectIsTheSameForAnyThreads) {
  std::string first;
  for (const char* threads : {"1", "2"}) {
    const Result result = Choose({"--select", "5", "--threads", threads, "--details"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("selected: 5 of 12 samples"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("calibrated with 5 samples"), std::string::npos) << result.out;
    if (first.empty()) first = ReadText("out.octet");
    EXPECT_EQ(ReadText("out.octet"), first);
  }
}

// Chosen otherwise, statistics are others.
TEST_F(SampleChoiceTest, TheCacheKnowsTheChoice) {
  const std::string cache = Path("cache.json");
  ASSERT_EQ(Choose({"--select", "5", "--calibration-cache", cache}).status, 0);
  EXPECT_EQ(Choose({"--select", "5", "--calibration-cache", cache}).status, 0);
  const Result other = Choose({"--select", "6", "--calibration-cache", cache});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("other settings"), std::string::npos) << other.err;
  EXPECT_EQ(Choose({"--calibration-cache", cache}).status, 2);
}

}  // namespace
}  // namespace octet::cli
