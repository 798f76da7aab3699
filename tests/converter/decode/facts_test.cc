// What the metadata says of a head beside its shapes: numbers of classes and of key points.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "converter/decode/spec.h"
#include "converter/support/error.h"

namespace octet::decode {
namespace {

Ports Head(graph::Shape shape, const Facts& facts = {}, size_t labels = 0) {
  Port input{"images", {1, 3, 64, 64}};
  input.is_image = true;
  return {{input}, {{"output0", std::move(shape)}}, labels, facts};
}

blob::DecodeRecord Of(const std::string& spec, const Ports& ports) {
  const std::vector<uint8_t> bytes = DecodeSection(blob::Task::kDetect, ReadSpec(spec), ports);
  blob::DecodeRecord record;
  std::memcpy(&record, bytes.data(), sizeof(record));
  return record;
}

std::string Why(const std::string& spec, const Ports& ports) {
  try {
    Of(spec, ports);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

void Expect(const blob::DecodeRecord& record, uint32_t classes, int points, int numbers) {
  EXPECT_EQ(record.class_count, classes);
  EXPECT_EQ(record.point_count, points);
  EXPECT_EQ(record.point_numbers, numbers);
}

TEST(Facts, OfPosePresets) {
  Expect(Of("yolov8-pose", Head({1, 47, 84}, {1, 21, 2})), 1, 21, 2);
  Expect(Of("yolov8-pose", Head({1, 47, 84}, {1, 14, 3})), 1, 14, 3);
  Expect(Of("yolov8-pose", Head({1, 15, 84}, {2, 3, 3})), 2, 3, 3);
  Expect(Of("yolo11-pose", Head({1, 72, 84}, {2, 22, 3})), 2, 22, 3);
  // Without names of classes what is left are theirs.
  Expect(Of("yolov8-pose", Head({1, 16, 84}, {0, 3, 3})), 3, 3, 3);
  // Labels take the place of the names.
  Expect(Of("yolov8-pose", Head({1, 15, 84}, {5, 3, 3}, 2)), 2, 3, 3);
  Expect(Of("yolo26-pose", Head({1, 60, 48}, {2, 21, 2}, 2)), 2, 21, 2);
  Expect(Of("yolo26-pose", Head({1, 60, 48}, {2, 14, 3}, 2)), 2, 14, 3);
}

TEST(Facts, WithoutThemEqualReadingsAreAskedFor) {
  for (const char* preset : {"yolov8-pose", "yolo11-pose"}) {
    EXPECT_NE(Why(preset, Head({1, 47, 84}))
                  .find("14 key points of 3 numbers or 21 of 2; give "
                        "--kpt-shape"),
              std::string::npos)
        << Why(preset, Head({1, 47, 84}));
    // 17 points of 3 are 51 numbers, which are no pairs; 5 of 2 are no triples.
    Expect(Of(preset, Head({1, 56, 84})), 1, 17, 3);
    Expect(Of(preset, Head({1, 15, 84})), 1, 5, 2);
  }
  EXPECT_NE(Why("yolo26-pose", Head({1, 60, 48})).find("--kpt-shape"), std::string::npos);
}

TEST(Facts, ContradictionsAreRefused) {
  for (const auto& [preset, ports] :
       std::vector<std::pair<const char*, Ports>>{{"yolov8-pose", Head({1, 47, 84}, {1, 20, 2})},
                                                  {"yolov8-pose", Head({1, 47, 84}, {1, 21, 3})},
                                                  {"yolov8-pose", Head({1, 47, 84}, {2, 21, 2})},
                                                  {"yolo26-pose", Head({1, 60, 48}, {1, 20, 2})},
                                                  {"yolov8", Head({1, 7, 84}, {2, 0, 0})},
                                                  {"yolov8", Head({1, 7, 84}, {3, 17, 3})},
                                                  {"yolo26", Head({1, 60, 6}, {3, 17, 3})}}) {
    EXPECT_NE(Why(preset, ports), "") << preset;
  }
}

// A few rows of many numbers are no planes where all numbers are accounted for.
TEST(Facts, FewCandidates) {
  EXPECT_NE(Why("yolo26-pose", Head({1, 10, 57})), "");
  Expect(Of("yolo26-pose", Head({1, 10, 57}, {1, 17, 3}, 1)), 1, 17, 3);
}

// A file is the user's own word.
TEST(Facts, DoNotChangeFiles) {
  const std::string path = testing::TempDir() + "facts.yaml";
  std::ofstream(path) << "layout: planes\nchannels: [box, class, points]\nclass: {count: 1}\n"
                         "points: {numbers: 3}\n";
  Expect(Of(path, Head({1, 47, 84}, {2, 21, 2})), 1, 14, 3);
}

}  // namespace
}  // namespace octet::decode
