// Scores by labels, for answers of which they can be told by hand.
#include "converter/judge/score.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "converter/support/error.h"
#include "tests/support/facts.h"

namespace octet::judge {
namespace {

using test::ExpectFacts;

class Score : public testing::Test {
 protected:
  Score() {
    std::string pattern = (std::filesystem::temp_directory_path() / "octet-score-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    view_.model = &model_;
    view_.decode.data = reinterpret_cast<const uint8_t*>(&model_);  // there is one
  }
  ~Score() override { std::filesystem::remove_all(folder_); }

  template <typename T>
  std::string Npy(const std::string& name, const std::string& type, const std::string& shape,
                  const std::vector<T>& values) const {
    std::string header =
        "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize(117, ' ');
    header += '\n';
    std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
    file += header;
    file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    std::ofstream(folder_ + "/" + name, std::ios::binary) << file;
    return folder_ + "/" + name;
  }
  Truth Read(blob::Task task, const std::string& paths, int64_t samples) {
    model_.task = task;
    return Truth(Decoder(view_), paths, samples);
  }
  std::string Refused(blob::Task task, const std::string& paths, int64_t samples) {
    try {
      Read(task, paths, samples);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  static double Of(const Truth& truth, const std::vector<Answer>& answers) {
    std::vector<const Answer*> given;
    for (const Answer& answer : answers) given.push_back(&answer);
    return truth.Score(given);
  }

  std::string folder_;
  blob::ModelRecord model_{};
  BlobView view_{};
};

TEST_F(Score, FirstClassesOfEveryIntegerType) {
  std::vector<Answer> answers(4);
  for (size_t i = 0; i < 4; ++i) answers[i].label = static_cast<int64_t>(i) + 1;
  const std::vector<std::string> files{
      Npy<uint8_t>("a.npy", "|u1", "4,", {1, 200, 3, 4}),
      Npy<int8_t>("b.npy", "|i1", "4,", {1, 100, 3, 4}),
      Npy<int32_t>("c.npy", "<i4", "4,", {1, 70000, 3, 4}),
      Npy<int64_t>("d.npy", "<i8", "4,", {1, int64_t{1} << 40, 3, 4})};
  for (const std::string& file : files) {
    const Truth truth = Read(blob::Task::kClassify, file, 4);
    EXPECT_STREQ(truth.metric(), "top1");
    EXPECT_EQ(Of(truth, answers), 75) << file;
  }
  EXPECT_EQ(Of(Read(blob::Task::kClassify, Npy<int8_t>("m.npy", "|i1", "4,", {-1, 2, -3, 4}), 4),
               answers),
            50);
  EXPECT_EQ(Of(Read(blob::Task::kClassify, files[0], 4), {answers[0]}), 100) << "the first ones";
}

TEST_F(Score, FilesThatDoNotFit) {
  const std::string four = Npy<uint8_t>("a.npy", "|u1", "4,", {1, 2, 3, 4});
  EXPECT_EQ(Refused(blob::Task::kClassify, four, 4), "");
  ExpectFacts(Refused(blob::Task::kClassify, four, 5),
              {"a.npy", "4 labels", "5 samples", "--samples"});
  ExpectFacts(Refused(blob::Task::kClassify, four + "," + four, 4), {"--labels", "one"});
  ExpectFacts(Refused(blob::Task::kDetect, four, 4), {"--labels", "BOXES.npy,CLASSES.npy"});
  ExpectFacts(Refused(blob::Task::kSegment, four, 4), {"a.npy", "[4]", "uint8", "[N,H,W]"});
  const std::string square = Npy<uint8_t>("s.npy", "|u1", "2,2", {1, 2, 3, 4});
  ExpectFacts(Refused(blob::Task::kClassify, square, 2), {"s.npy", "[2,2]", "[N]"});
  const std::string floats = Npy<float>("f.npy", "<f4", "2,", {1, 2});
  ExpectFacts(Refused(blob::Task::kClassify, floats, 2), {"f.npy", "<f4", "int64"});
  const std::string boxes = Npy<float>("b.npy", "<f4", "1,2,4", std::vector<float>(8));
  ExpectFacts(Refused(blob::Task::kDetect, boxes + "," + four, 1),
              {"a.npy", "[4]", "[1,2,4]", "[N,M]"});
  ExpectFacts(Refused(blob::Task::kDetect, square + "," + four, 1), {"s.npy", "|u1", "[N,M,4]"});
  const std::string three = Npy<float>("t.npy", "<f4", "1,2,3", std::vector<float>(6));
  ExpectFacts(Refused(blob::Task::kDetect, three + "," + four, 1), {"t.npy", "[1,2,3]"});
  ExpectFacts(Refused(blob::Task::kSegment, Npy<int8_t>("i.npy", "|i1", "1,1,2", {1, 2}), 1),
              {"i.npy", "|i1"});
}

// Two samples: class 0 has a box in each, class 1 one in the second. Boxes of 10 x 10.
class MeanAveragePrecision : public Score {
 protected:
  Truth Boxes() {
    const std::string boxes = Npy<float>("b.npy", "<f4", "2,2,4",
                                         {0, 0, 10, 10, 9, 9, 9, 9,  //
                                          0, 0, 10, 10, 50, 0, 60, 10});
    const std::string classes = Npy<int8_t>("c.npy", "|i1", "2,2", {0, -1, 0, 1});
    return Read(blob::Task::kDetect, boxes + "," + classes, 2);
  }
  static Detection At(float x, float score, uint32_t label, float width = 10) {
    return {x, 0, x + width, 10, score, label};
  }
  double Of(const std::vector<Detection>& first, const std::vector<Detection>& second) {
    std::vector<Answer> answers(2);
    answers[0].boxes = first;
    answers[1].boxes = second;
    return Score::Of(Boxes(), answers);
  }
};

TEST_F(MeanAveragePrecision, IsTheMeanOverClasses) {
  EXPECT_STREQ(Boxes().metric(), "map50");
  EXPECT_EQ(Of({At(0, 0.9f, 0)}, {At(0, 0.8f, 0), At(50, 0.7f, 1)}), 100);
  EXPECT_EQ(Of({}, {}), 0);
  EXPECT_EQ(Of({At(0, 0.9f, 0)}, {At(0, 0.8f, 0)}), 50) << "class 1 is never found";
  EXPECT_EQ(Of({At(0, 0.9f, 0)}, {}), 25) << "half of class 0";
  EXPECT_EQ(Of({At(0, 0.9f, 1)}, {At(50, 0.8f, 0)}), 0) << "other classes";
  EXPECT_EQ(Of({At(0, 0.9f, 2)}, {}), 0) << "a class that does not occur";
}

TEST_F(MeanAveragePrecision, HalfOfABoxIsEnough) {
  EXPECT_EQ(Of({At(0, 0.9f, 0, 5)}, {At(0, 0.8f, 0)}), 50);
  EXPECT_EQ(Of({At(0, 0.9f, 0, 4.9f)}, {At(0, 0.8f, 0)}), 12.5)
      << "of two one is right, the second: half of the recall with a precision of a half";
}

TEST_F(MeanAveragePrecision, ABoxIsFoundOnceAndByTheBestScore) {
  // In one sample the box is found twice: what comes second is wrong.
  EXPECT_DOUBLE_EQ(Of({At(0, 0.9f, 0), At(1, 0.8f, 0)}, {At(0, 0.7f, 0)}),
                   100 * (0.5 + 0.5 * 2 / 3) / 2);
  // The same with the least score costs nothing: all is found before.
  EXPECT_EQ(Of({At(0, 0.9f, 0), At(1, 0.1f, 0)}, {At(0, 0.7f, 0)}), 50);
  // Order between samples is by score.
  EXPECT_EQ(Of({At(30, 0.2f, 0), At(0, 0.1f, 0)}, {At(0, 0.9f, 0)}),
            100 * (0.5 + 0.5 * 2.0 / 3) / 2);
}

TEST_F(Score, TextsThatAreEqual) {
  std::ofstream(folder_ + "/t.txt", std::ios::binary) << "ab\r\n\nb\xc3\xa9 \nx\n";
  const char labels[] = "a\0b\0\xc3\xa9\0 ";
  view_.labels = {reinterpret_cast<const uint8_t*>(labels), sizeof(labels), 0};
  model_.label_count = 4;
  const Truth truth = Read(blob::Task::kText, folder_ + "/t.txt", 4);
  EXPECT_STREQ(truth.metric(), "texts");
  std::vector<Answer> answers(4);
  answers[0].text = {0, 1};
  answers[2].text = {1, 2, 3};
  EXPECT_EQ(Of(truth, answers), 75) << "the last is x";
  answers[2].text = {1, 2};
  EXPECT_EQ(Of(truth, answers), 50) << "a space is a character";
  ExpectFacts(Refused(blob::Task::kText, folder_ + "/t.txt", 5), {"t.txt", "4 labels"});
  ExpectFacts(Refused(blob::Task::kText, folder_ + "/none.txt", 1), {"none.txt", "text file"});
  ExpectFacts(Refused(blob::Task::kText, folder_, 1), {"folder"});
}

TEST_F(Score, MasksByClassWithoutWhatIsIgnored) {
  const Truth truth = Read(blob::Task::kSegment,
                           Npy<uint8_t>("m.npy", "|u1", "2,2,2", {0, 0, 1, 255, 1, 1, 255, 3}), 2);
  EXPECT_STREQ(truth.metric(), "miou");
  std::vector<Answer> answers(2);
  answers[0].map = {0, 0, 1, 7};
  answers[1].map = {1, 1, 7, 3};
  EXPECT_EQ(Of(truth, answers), 100);
  // Class 0: 1 of 2. Class 1: 3 of 4. Class 3: none; what is found besides, 2, does not occur.
  answers[0].map = {0, 1, 1, 0};
  answers[1].map = {1, 1, 0, 2};
  EXPECT_DOUBLE_EQ(Of(truth, answers), 100 * (0.5 + 0.75 + 0) / 3);
  answers[1].map = {1, 1, 0};
  EXPECT_THROW(Of(truth, answers), UserError);
}

}  // namespace
}  // namespace octet::judge
