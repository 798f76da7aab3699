// Every rule of the decode section: offset of the refusal, and the last value that a limit lets
// pass.
#include <algorithm>
#include <limits>

#include "tests/runtime/format/refusals.h"

namespace octet::test {
namespace {

using R = Records;
using blob::BoxForm;
using blob::BoxRule;
using blob::ClassForm;
using blob::DecodeField;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Sixteen numbers a candidate: box, object, three scores, two points, two coefficients. The first
// level has four candidates, which fill output 0; the second two. Output 1 is for prototypes.
constexpr uint32_t kPrototypes = 256 * 257;

struct Detector {
  blob::DecodeRecord record{};
  blob::DecodeLevel levels[2]{};
  blob::DecodeExtra extra{};

  Detector() {
    record.class_count = 3;
    record.background = blob::kNone;
    record.has_object = 1;
    record.box_rule = BoxRule::kPrior;
    record.max_candidates = record.max_detections = 6;
    record.point_count = 2, record.point_numbers = 2;
    record.mask_count = 2, record.prototypes = 1, record.prototype_columns = 2;
    for (blob::DecodeLevel& level : levels) {
      level.stride_x = level.stride_y = 8;
      level.grid_h = level.grid_w = 2, level.anchor_count = 1;
      level.box = Field(0), level.object = Field(4), level.scores = Field(5);
    }
    levels[1].grid_h = levels[1].grid_w = 1, levels[1].anchor_count = 2;
    extra = {Field(8), Field(12)};
  }
  static DecodeField Field(uint32_t base) { return {0, base, 16, 32, 16, 1}; }

  Blob Build(blob::Task task = blob::Task::kDetect) const {
    BlobBuilder b;
    const uint32_t picture = b.AddInput("picture", {1, 8, 8, 3});
    b.input(0).is_image = 1;
    b.AddOutput("numbers", b.AddInput("numbers", {1, 1, 1, 64}));
    b.AddOutput("prototypes", b.AddInput("prototypes", {1, 1, 1, kPrototypes}));
    b.AddOutput("picture", picture);
    b.SetDecode(task, record, {levels[0], levels[1]}, {{2, 3}, {1, 1}}, {extra, extra});
    return b.Build();
  }
};

constexpr uint32_t kDecodeSection = 3;

// All candidates at one place: only their number counts.
void StandStill(R& r, uint32_t grid_h, uint32_t grid_w) {
  blob::DecodeLevel& level = r.level();
  level.grid_h = grid_h, level.grid_w = grid_w;
  for (DecodeField* field :
       {&level.box, &level.object, &level.scores, &r.extra().points, &r.extra().mask}) {
    field->row_step = field->column_step = 0;
  }
}

TEST(Refusals, DecodeRecord) {
  ExpectRefusals(
      Detector().Build(),
      {
          {"no task",
           [](R& r) -> const void* { return r.model().task = blob::Task::kNone, &r.decode(); }},
          {"no record",
           [](R& r) -> const void* {
             r.header().file_bytes -= r.section(kDecodeSection).bytes;
             r.header().file_bytes += sizeof(blob::DecodeRecord) - 1;
             r.section(kDecodeSection).bytes = sizeof(blob::DecodeRecord) - 1;
             return &r.decode();
           }},
          {"no level", [](R& r) -> const void* { return r.decode().level_count = 0, &r.decode(); }},
          {"no class", [](R& r) -> const void* { return r.decode().class_count = 0, &r.decode(); }},
          {"too many classes",
           [](R& r) -> const void* { return r.decode().class_count = 0x80000000u, &r.decode(); }},
          {"most classes, which are not there",
           [](R& r) -> const void* { return r.decode().class_count = 0x7FFFFFFFu, &r.level(); }},
          {"background",
           [](R& r) -> const void* { return r.decode().background = 3, &r.decode(); }},
          {"last class as background",
           [](R& r) -> const void* { return r.decode().background = 2, nullptr; }},
          {"activation of classes",
           [](R& r) -> const void* {
             r.decode().class_activation = static_cast<blob::Activation>(3);
             return &r.decode();
           }},
          {"softmax of classes",
           [](R& r) -> const void* {
             return r.decode().class_activation = blob::Activation::kSoftmax, nullptr;
           }},
          {"threshold",
           [](R& r) -> const void* { return r.decode().score_threshold = kInfinity, &r.decode(); }},
          {"no such input", [](R& r) -> const void* { return r.decode().input = 3, &r.decode(); }},
          {"an input of floats",
           [](R& r) -> const void* { return r.decode().input = 1, &r.decode(); }},
          {"softmax of objects",
           [](R& r) -> const void* {
             return r.decode().object_activation = blob::Activation::kSoftmax, &r.decode();
           }},
          {"sigmoid of objects",
           [](R& r) -> const void* {
             return r.decode().object_activation = blob::Activation::kSigmoid, nullptr;
           }},
          {"softmax of boxes",
           [](R& r) -> const void* {
             return r.decode().box_activation = blob::Activation::kSoftmax, &r.decode();
           }},
          {"sigmoid of boxes",
           [](R& r) -> const void* {
             return r.decode().box_activation = blob::Activation::kSigmoid, nullptr;
           }},
          {"form of boxes",
           [](R& r) -> const void* {
             r.decode().box_rule = BoxRule::kPlain;
             return r.decode().box_form = static_cast<BoxForm>(4), &r.decode();
           }},
          {"distances",
           [](R& r) -> const void* {
             r.decode().box_rule = BoxRule::kPlain;
             return r.decode().box_form = BoxForm::kDistances, nullptr;
           }},
          {"rule of boxes",
           [](R& r) -> const void* {
             return r.decode().box_rule = static_cast<BoxRule>(5), &r.decode();
           }},
          {"last rule of boxes",
           [](R& r) -> const void* { return r.decode().box_rule = BoxRule::kOffset, nullptr; }},
          {"corners by a rule for centres",
           [](R& r) -> const void* {
             return r.decode().box_form = BoxForm::kCorners, &r.decode();
           }},
          {"bins of no distances",
           [](R& r) -> const void* { return r.decode().bins = 1, &r.decode(); }},
          {"too many bins",
           [](R& r) -> const void* {
             r.decode().box_rule = BoxRule::kPlain, r.decode().box_form = BoxForm::kDistances;
             return r.decode().bins = 65, &r.decode();
           }},
          {"most bins, which are not there",
           [](R& r) -> const void* {
             r.decode().box_rule = BoxRule::kPlain, r.decode().box_form = BoxForm::kDistances;
             return r.decode().bins = 64, &r.level();
           }},
          {"no candidate",
           [](R& r) -> const void* {
             r.decode().max_detections = 0;
             return r.decode().max_candidates = 0, &r.decode();
           }},
          {"no detection",
           [](R& r) -> const void* { return r.decode().max_detections = 0, &r.decode(); }},
          {"more detections than candidates",
           [](R& r) -> const void* { return r.decode().max_detections = 7, &r.decode(); }},
          {"most candidates",
           [](R& r) -> const void* { return r.decode().max_candidates = 65536, nullptr; }},
          {"too many candidates",
           [](R& r) -> const void* { return r.decode().max_candidates = 65537, &r.decode(); }},
          {"iou_threshold",
           [](R& r) -> const void* { return r.decode().iou_threshold = kInfinity, &r.decode(); }},
          {"cell_offset",
           [](R& r) -> const void* { return r.decode().cell_offset = kInfinity, &r.decode(); }},
          {"unit_x",
           [](R& r) -> const void* { return r.decode().unit_x = kInfinity, &r.decode(); }},
          {"unit_y",
           [](R& r) -> const void* { return r.decode().unit_y = kInfinity, &r.decode(); }},
          {"centre_variance",
           [](R& r) -> const void* { return r.decode().centre_variance = kInfinity, &r.decode(); }},
          {"size_variance",
           [](R& r) -> const void* { return r.decode().size_variance = kInfinity, &r.decode(); }},
          {"levels not aligned",
           [](R& r) -> const void* { return r.decode().levels_offset += 2, &r.decode(); }},
          {"levels behind the end",
           [](R& r) -> const void* { return r.decode().levels_offset += 116, &r.decode(); }},
          {"anchors not aligned",
           [](R& r) -> const void* { return r.decode().anchors_offset += 2, &r.decode(); }},
          {"anchors behind the end",
           [](R& r) -> const void* { return r.decode().anchors_offset += 100, &r.decode(); }},
          {"extras not aligned",
           [](R& r) -> const void* { return r.decode().extras_offset -= 2, &r.decode(); }},
          {"extras behind the end by a byte",
           [](R& r) -> const void* {
             --r.header().file_bytes;
             return --r.section(kDecodeSection).bytes, &r.decode();
           }},
      });
}

TEST(Refusals, PointsAndMasks) {
  ExpectRefusals(
      Detector().Build(),
      {
          {"form of classes",
           [](R& r) -> const void* {
             return r.decode().class_form = static_cast<ClassForm>(3), &r.decode();
           }},
          {"class by its number",
           [](R& r) -> const void* { return r.decode().class_form = ClassForm::kIndex, nullptr; }},
          {"class by its number, with a background",
           [](R& r) -> const void* {
             r.decode().background = 0;
             return r.decode().class_form = ClassForm::kIndex, &r.decode();
           }},
          {"class by its number, with softmax",
           [](R& r) -> const void* {
             r.decode().class_activation = blob::Activation::kSoftmax;
             return r.decode().class_form = ClassForm::kIndex, &r.decode();
           }},
          {"class by a number alone, of a detector that says so",
           [](R& r) -> const void* {
             r.header().required_features |= blob::kFeatureClassNumbers;
             return r.decode().class_form = ClassForm::kNumber, nullptr;
           }},
          {"class by a number alone, of a detector that does not say so",
           [](R& r) -> const void* {
             return r.decode().class_form = ClassForm::kNumber, &r.decode();
           }},
          {"class by a number alone, without a score",
           [](R& r) -> const void* {
             r.header().required_features |= blob::kFeatureClassNumbers;
             r.decode().has_object = 0;
             return r.decode().class_form = ClassForm::kNumber, &r.decode();
           }},
          {"class by a number alone, with a background",
           [](R& r) -> const void* {
             r.header().required_features |= blob::kFeatureClassNumbers;
             r.decode().background = 0;
             return r.decode().class_form = ClassForm::kNumber, &r.decode();
           }},
          {"rule of scores",
           [](R& r) -> const void* {
             return r.decode().score_rule = static_cast<blob::ScoreRule>(2), &r.decode();
           }},
          {"last rule of scores",
           [](R& r) -> const void* {
             return r.decode().score_rule = blob::ScoreRule::kRootOfProduct, nullptr;
           }},
          {"too many points",
           [](R& r) -> const void* { return r.decode().point_count = 257, &r.decode(); }},
          {"most points, which are not there",
           [](R& r) -> const void* { return r.decode().point_count = 256, &r.level(); }},
          {"points of one number",
           [](R& r) -> const void* { return r.decode().point_numbers = 1, &r.decode(); }},
          {"points of three numbers",
           [](R& r) -> const void* { return r.decode().point_numbers = 3, nullptr; }},
          {"points of four numbers",
           [](R& r) -> const void* { return r.decode().point_numbers = 4, &r.decode(); }},
          {"numbers of no point",
           [](R& r) -> const void* { return r.decode().point_count = 0, &r.decode(); }},
          {"no point",
           [](R& r) -> const void* {
             r.extra().points.output = 9;  // not read
             return r.decode().point_count = r.decode().point_numbers = 0, nullptr;
           }},
          {"points by a rule that gives none",
           [](R& r) -> const void* { return r.decode().box_rule = BoxRule::kAnchor, &r.decode(); }},
          {"the same rule without points",
           [](R& r) -> const void* {
             r.decode().point_count = r.decode().point_numbers = 0;
             return r.decode().box_rule = BoxRule::kAnchor, nullptr;
           }},
          {"most coefficients, which are not there",
           [](R& r) -> const void* {
             r.decode().mask_count = 256, r.decode().prototype_columns = 257;
             return &r.level();
           }},
          {"too many coefficients",
           [](R& r) -> const void* {
             r.decode().mask_count = 257, r.decode().prototype_columns = 256;
             return &r.decode();
           }},
          {"no such prototypes",
           [](R& r) -> const void* { return r.decode().prototypes = 3, &r.decode(); }},
          {"prototypes without columns",
           [](R& r) -> const void* { return r.decode().prototype_columns = 0, &r.decode(); }},
          {"one row of prototypes",
           [](R& r) -> const void* {
             return r.decode().prototype_columns = kPrototypes / 2, nullptr;
           }},
          {"more columns than there are",
           [](R& r) -> const void* {
             return r.decode().prototype_columns = kPrototypes, &r.decode();
           }},
          {"rows that end too early",
           [](R& r) -> const void* { return r.decode().prototype_columns = 5, &r.decode(); }},
          {"no mask",
           [](R& r) -> const void* {
             r.decode().prototypes = 9;  // not read
             r.extra().mask.output = 9;
             return r.decode().mask_count = 0, nullptr;
           }},
          {"points and masks that are nowhere",
           [](R& r) -> const void* { return r.decode().extras_offset = 0, &r.decode(); }},
          {"extras of nothing",
           [](R& r) -> const void* {
             r.decode().point_count = r.decode().point_numbers = 0;
             return r.decode().mask_count = 0, &r.decode();
           }},
          {"nothing",
           [](R& r) -> const void* {
             r.decode().point_count = r.decode().point_numbers = 0;
             r.decode().extras_offset = 0;
             return r.decode().mask_count = 0, nullptr;
           }},
          {"points to the end",
           [](R& r) -> const void* { return r.extra(1).points.base = 44, nullptr; }},
          {"points behind the end",
           [](R& r) -> const void* { return r.extra(1).points.base = 45, &r.level(1); }},
          {"coefficients to the end",
           [](R& r) -> const void* { return r.extra(1).mask.base = 46, nullptr; }},
          {"coefficients behind the end",
           [](R& r) -> const void* { return r.extra(1).mask.base = 47, &r.level(1); }},
      });
}

TEST(Refusals, DecodeLevels) {
  ExpectRefusals(
      Detector().Build(),
      {
          {"no row", [](R& r) -> const void* { return r.level(1).grid_h = 0, &r.level(1); }},
          {"no column", [](R& r) -> const void* { return r.level(1).grid_w = 0, &r.level(1); }},
          {"no anchor",
           [](R& r) -> const void* { return r.level(1).anchor_count = 0, &r.level(1); }},
          {"stride_x",
           [](R& r) -> const void* { return r.level(1).stride_x = kInfinity, &r.level(1); }},
          {"stride_y",
           [](R& r) -> const void* { return r.level(1).stride_y = kInfinity, &r.level(1); }},
          {"last anchor", [](R& r) -> const void* { return r.level().first_anchor = 1, nullptr; }},
          {"anchors behind the end",
           [](R& r) -> const void* { return r.level(1).first_anchor = 1, &r.level(1); }},
          {"anchors that nobody reads",
           [](R& r) -> const void* {
             r.decode().box_rule = BoxRule::kOffset;
             return r.level(1).first_anchor = 1, nullptr;
           }},
          {"anchors of the other rule",
           [](R& r) -> const void* {
             r.decode().point_count = r.decode().point_numbers = 0;
             r.decode().box_rule = BoxRule::kAnchor;
             return r.level(1).first_anchor = 1, &r.level(1);
           }},
          {"no such output",
           [](R& r) -> const void* { return r.level().box.output = 3, &r.level(); }},
          {"box to the end", [](R& r) -> const void* { return r.level().box.base = 12, nullptr; }},
          {"box behind the end",
           [](R& r) -> const void* { return r.level().box.base = 13, &r.level(); }},
          {"rows to the end",
           [](R& r) -> const void* { return r.level().box.row_step = 44, nullptr; }},
          {"rows behind the end",
           [](R& r) -> const void* { return r.level().box.row_step = 45, &r.level(); }},
          {"columns to the end",
           [](R& r) -> const void* { return r.level().box.column_step = 28, nullptr; }},
          {"columns behind the end",
           [](R& r) -> const void* { return r.level().box.column_step = 29, &r.level(); }},
          {"channels to the end",
           [](R& r) -> const void* { return r.level().box.channel_step = 5, nullptr; }},
          {"channels behind the end",
           [](R& r) -> const void* { return r.level().box.channel_step = 6, &r.level(); }},
          {"anchors' numbers to the end",
           [](R& r) -> const void* { return r.level(1).box.anchor_step = 60, nullptr; }},
          {"anchors' numbers behind the end",
           [](R& r) -> const void* { return r.level(1).box.anchor_step = 61, &r.level(1); }},
          {"object to the end",
           [](R& r) -> const void* { return r.level().object.base = 15, nullptr; }},
          {"object behind the end",
           [](R& r) -> const void* { return r.level().object.base = 16, &r.level(); }},
          {"object that nobody reads",
           [](R& r) -> const void* {
             r.decode().has_object = 0;
             return r.level().object.base = 16, nullptr;
           }},
          {"scores to the end",
           [](R& r) -> const void* { return r.level().scores.base = 13, nullptr; }},
          {"scores behind the end",
           [](R& r) -> const void* { return r.level().scores.base = 14, &r.level(); }},
          {"score and class to the end",
           [](R& r) -> const void* {
             r.decode().class_form = ClassForm::kIndex;
             return r.level().scores.base = 14, nullptr;
           }},
          {"class to the end",
           [](R& r) -> const void* {
             r.header().required_features |= blob::kFeatureClassNumbers;
             r.decode().class_form = ClassForm::kNumber;
             return r.level().scores.base = 15, nullptr;
           }},
          {"class behind the end",
           [](R& r) -> const void* {
             r.header().required_features |= blob::kFeatureClassNumbers;
             r.decode().class_form = ClassForm::kNumber;
             return r.level().scores.base = 16, &r.level();
           }},
          {"score and class behind the end",
           [](R& r) -> const void* {
             r.decode().class_form = ClassForm::kIndex;
             return r.level().scores.base = 15, &r.level();
           }},
          {"distances to the end",
           [](R& r) -> const void* {
             r.decode().box_rule = BoxRule::kPlain, r.decode().box_form = BoxForm::kDistances;
             r.decode().bins = 2;
             return r.level().box.base = 8, nullptr;
           }},
          {"distances behind the end",
           [](R& r) -> const void* {
             r.decode().box_rule = BoxRule::kPlain, r.decode().box_form = BoxForm::kDistances;
             r.decode().bins = 2;
             return r.level().box.base = 9, &r.level();
           }},
          {"as many numbers as there are",
           [](R& r) -> const void* { return StandStill(r, 2, 8), nullptr; }},
          {"more numbers than there are, in rows",
           [](R& r) -> const void* { return StandStill(r, 17, 1), &r.level(); }},
          {"more numbers than there are, in columns",
           [](R& r) -> const void* { return StandStill(r, 1, 17), &r.level(); }},
          {"width of an anchor",
           [](R& r) -> const void* { return r.anchor(1).width = kInfinity, &r.anchor(0); }},
          {"height of an anchor",
           [](R& r) -> const void* { return r.anchor(1).height = kInfinity, &r.anchor(0); }},
      });
}

// What only boxes need is not looked at.
TEST(Refusals, DecodeOfOtherTasks) {
  for (const blob::Task task : {blob::Task::kClassify, blob::Task::kSegment}) {
    ExpectRefusals(
        Detector().Build(task),
        {
            {"nothing of boxes",
             [](R& r) -> const void* {
               r.decode().input = 9, r.decode().max_candidates = 0;
               r.decode().unit_x = r.level().stride_x = kInfinity;
               r.level().box.output = r.level().object.output = r.extra().points.output = 9;
               r.decode().extras_offset = 0xFFFFFFF0u;
               r.level(1).first_anchor = 9;
               return nullptr;
             }},
            {"scores behind the end",
             [](R& r) -> const void* { return r.level(1).scores.base = 46, &r.level(1); }},
        });
  }
  for (const blob::Task task : {blob::Task::kClassify, blob::Task::kSegment}) {
    Detector detector;
    for (blob::DecodeLevel& level : detector.levels) {
      level.scores.output = 1;
      level.scores.anchor_step = 0;
    }
    detector.record.class_count = 256;
    const Blob most = detector.Build(task);
    EXPECT_EQ(octet_validate(most.data(), most.size(), OCTET_VERIFY_NONE).code, OCTET_OK);
    detector.record.class_count = 257;  // a label map holds bytes
    const Blob more = detector.Build(task);
    EXPECT_EQ(octet_validate(more.data(), more.size(), OCTET_VERIFY_NONE).code,
              task == blob::Task::kSegment ? OCTET_MALFORMED : OCTET_OK);
  }
}

// A row of steps, and a class that is not a character.
TEST(Refusals, DecodeOfTexts) {
  Detector detector;
  detector.record.background = 0;
  for (blob::DecodeLevel& level : detector.levels) level.grid_h = level.anchor_count = 1;
  ExpectRefusals(
      detector.Build(blob::Task::kText),
      {
          {"a reader that knows no texts",
           [](R& r) -> const void* {
             r.header().required_features &= ~uint64_t{blob::kFeatureText};
             return &r.decode();
           }},
          {"no blank",
           [](R& r) -> const void* { return r.decode().background = blob::kNone, &r.decode(); }},
          {"a blank behind the classes",
           [](R& r) -> const void* { return r.decode().background = 3, &r.decode(); }},
          {"the last class as the blank",
           [](R& r) -> const void* { return r.decode().background = 2, nullptr; }},
          {"rows of steps", [](R& r) -> const void* { return r.level().grid_h = 2, &r.level(); }},
          {"steps of several anchors",
           [](R& r) -> const void* { return r.level().anchor_count = 2, &r.level(); }},
          {"a step behind the end",
           [](R& r) -> const void* { return r.level().scores.base = 46, &r.level(); }},
      });
}

TEST(Refusals, LevelsAndAnchorsAtTheirLimits) {
  const auto code = [](uint32_t levels, uint32_t anchors) {
    BlobBuilder b;
    const uint32_t picture = b.AddInput("picture", {1, 8, 8, 3});
    b.input(0).is_image = 1;
    b.AddOutput("numbers", b.AddInput("numbers", {1, 1, 1, 64}));
    b.AddOutput("picture", picture);
    Detector d;
    d.record.point_count = d.record.point_numbers = 0, d.record.mask_count = 0;
    b.SetDecode(blob::Task::kDetect, d.record, std::vector(levels, d.levels[0]),
                std::vector(anchors, blob::DecodeAnchor{1, 1}));
    const Blob blob = b.Build();
    return octet_validate(blob.data(), blob.size(), OCTET_VERIFY_NONE).code;
  };
  EXPECT_EQ(code(16, 1024), OCTET_OK);
  EXPECT_EQ(code(17, 1024), OCTET_MALFORMED);
  EXPECT_EQ(code(16, 1025), OCTET_MALFORMED);
}

}  // namespace
}  // namespace octet::test
