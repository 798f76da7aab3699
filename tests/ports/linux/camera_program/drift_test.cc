// octet-camera --drift on a blob whose input was calibrated in half of the light.
#include <chrono>
#include <thread>

#include "octet/drift.h"
#include "runtime/core/half.h"
#include "runtime/format/drift_record.h"
#include "tests/ports/linux/camera_program/camera_fixture.h"
#include "tests/ports/linux/camera_program/hang_runs.h"

namespace octet::test {
namespace {

using namespace blob;

ConvParams Pointwise() {
  ConvParams p{};
  p.kernel_h = p.kernel_w = p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.groups = 1;
  p.clamp_lo = -128, p.clamp_hi = 127;
  return p;
}

// x -> mid -> y, each the one before; int8 scales of x and mid end at 0.5, y's at 1.
Blob MakeDimBlob(const char* name) {
  constexpr float kDim = 0.5f / 255, kFull = 1.0f / 255;
  const BlobBuilder::Dims dims = {1, 4, 4, 3};
  BlobBuilder b;
  const uint32_t x = b.AddInput("image", dims, ElementType::kInt8, kDim, -128);
  InputRecord& input = b.input(0);
  input.is_image = 1;
  input.scale = 1.0f / 255;
  std::fill(std::begin(input.std_dev), std::end(input.std_dev), 1.0f);
  input.dims[1] = 3, input.dims[2] = 4, input.dims[3] = 4;
  input.strides[0] = 48, input.strides[1] = 4, input.strides[2] = 1, input.strides[3] = 16;
  const uint32_t mid = b.AddTensor(dims, ElementType::kInt8, kDim, -128, "mid");
  const uint32_t y = b.AddTensor(dims, ElementType::kInt8, kFull, -128, name);
  std::vector<int8_t> weights(64, 0);
  for (size_t c = 0; c < 3; ++c) weights[c * 4 + c] = 64;  // of 1 / 64
  for (const auto& [from, to, shift] : {std::tuple{x, mid, 6}, std::tuple{mid, y, 7}}) {
    std::vector<ChannelBlockS8> blocks(1);
    for (size_t o = 0; o < 16; ++o) {
      const bool used = o < 3;
      blocks[0].weight_sum[o] = used ? 64 : 0;
      blocks[0].bias[o] = used ? 128 * 64 : 0;
      blocks[0].multiplier[o] = used ? 1 << 30 : 0;
      blocks[0].shift[o] = used ? shift - 1 : 1;
    }
    LayerRecord& conv = b.AddLayer(Op::kConv, {from}, to);
    conv.weights = b.AddWeights(weights);
    conv.channels = b.AddWeights(blocks);
    BlobBuilder::Params<ConvParams>(conv) = Pointwise();
  }
  b.AddOutput("y", y);
  b.AddPlan("fp16", Precision::kFp16);
  uint32_t tensor = b.AddInput("image", dims, ElementType::kFp16);
  const uint32_t x16 = tensor;
  uint32_t mid16 = 0;
  std::vector<uint16_t> halves(3 * 16, 0);
  for (size_t c = 0; c < 3; ++c) halves[c * 16 + c] = FloatToHalf(1);
  for (int i = 0; i < 2; ++i) {
    const uint32_t to = b.AddTensor(dims, ElementType::kFp16);
    LayerRecord& conv = b.AddLayer(Op::kConv, {tensor}, to);
    conv.weights = b.AddWeightsF16(halves);
    conv.channels = b.AddWeightsF16(std::vector<float>(16, 0.0f));
    BlobBuilder::Params<ConvParams>(conv) = Pointwise();
    if (i == 0) mid16 = to;
    tensor = to;
  }
  b.AddOutput("y", tensor);
  const DriftGroup groups[2] = {{x16, -256, 20, 0}, {mid16, -256, 20, 0}};  // log2 of 0.5
  DriftLayer layers[2] = {};
  layers[1].layer = 1;
  for (DriftLayer& layer : layers) layer.first_channel = kNone;
  const uint16_t group_of[3] = {0, 1, kNoDriftGroup};
  DriftRecord record{};
  record.record_bytes = sizeof(record);
  record.observe_plan = 1;
  record.group_count = 2, record.groups_offset = sizeof(record);
  record.layer_count = 2, record.layers_offset = record.groups_offset + sizeof(groups);
  record.tensor_count = 3, record.tensors_offset = record.layers_offset + sizeof(layers);
  record.channels_offset = record.groups_offset;
  std::vector<uint8_t> section;
  const auto append = [&section](const void* data, size_t bytes) {
    const auto* begin = static_cast<const uint8_t*>(data);
    section.insert(section.end(), begin, begin + bytes);
  };
  append(&record, sizeof(record));
  append(groups, sizeof(groups));
  append(layers, sizeof(layers));
  append(group_of, sizeof(group_of));
  b.AddSection(SectionKind::kDrift, section);
  return b.Build();
}

class DriftingCamera : public Camera {
 protected:
  void SetUp() override {
    Camera::SetUp();
    names_model_ = false;
    for (const char* name : {"dim", "other"}) {
      const Blob blob = MakeDimBlob(name);
      std::ofstream(Path(std::string(name) + ".octet"), std::ios::binary)
          .write(reinterpret_cast<const char*>(blob.data()),
                 static_cast<std::streamsize>(blob.size()));
    }
  }
  std::vector<std::string> Arguments(const std::string& model, const std::string& settings) const {
    return {Path(model),     "--source", "-",       "--format",     "rgb24",       "--size", "4x4",
            "--every-frame", "--json",   "--drift", Path("record"), "--drift-set", settings};
  }
  static std::string Frame(int number, int brightest) {
    std::string pixels(48, 0);
    for (size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = static_cast<char>((static_cast<size_t>(number) * 11 + i * 37) %
                                    (static_cast<size_t>(brightest) + 1));
    }
    pixels[0] = static_cast<char>(brightest);
    return pixels;
  }
  int Run(const std::string& model, int brightest, int frames,
          const std::string& settings = "every_s=0,fit_frames=2,judge_frames=2") {
    Start(Arguments(model, settings));
    for (int i = 0; i < frames; ++i) Send(Frame(i, brightest));
    return Finish();
  }
  // The numbers of a verdict, means of its frames: shares of agreement, and decibels.
  void ExpectVerdict() const {
    const std::string errors = Read("err"), words = "agreement with fp16 ";
    const size_t at = errors.find(words);
    ASSERT_NE(at, std::string::npos) << errors;
    double before = -1, now = -1, db_before = -1, db_now = -1;
    ASSERT_EQ(std::sscanf(errors.c_str() + at + words.size(), "%lf -> %lf, %lf -> %lf dB", &before,
                          &now, &db_before, &db_now),
              4)
        << errors;
    for (const double share : {before, now}) {
      EXPECT_GT(share, 0.1) << errors;
      EXPECT_LE(share, 1) << errors;
    }
    // Light that is twice as strong is cut at the old scales, and all but the same at the new ones.
    EXPECT_GT(db_before, 3) << errors;
    EXPECT_LT(db_before, 30) << errors;
    EXPECT_GT(db_now, 30) << errors;
    EXPECT_LT(db_now, 100) << errors;
  }
};

TEST_F(DriftingCamera, ScalesFollowTheLightAndOutliveTheProgram) {
  ASSERT_EQ(Run("dim.octet", 255, 12), 0) << Read("err");
  EXPECT_NE(Read("err").find("frame 3: drift: new scales, 2 of 2 groups moved, at most by 2.00; "
                             "agreement with fp16"),
            std::string::npos)
      << Read("err");
  ExpectVerdict();
  auto summary = Lines().back()["summary"];
  EXPECT_EQ(summary["drift_frames"], 12);
  EXPECT_EQ(summary["drift_kept"], 1);
  EXPECT_EQ(summary["drift_moved"], 2);
  EXPECT_EQ(fs::file_size(Path("record")), OCTET_DRIFT_RECORD_BYTES);

  ASSERT_EQ(Run("dim.octet", 255, 8), 0);
  EXPECT_NE(Read("err").find("drift: 2 of 2 groups use the scales of " + Path("record")),
            std::string::npos)
      << Read("err");
  summary = Lines().back()["summary"];
  EXPECT_EQ(summary["drift_kept"], 0) << "they fit";
  EXPECT_EQ(summary["drift_moved"], 2);
}

TEST_F(DriftingCamera, LightLikeCalibrationsMovesNothing) {
  ASSERT_EQ(Run("dim.octet", 127, 12), 0);
  const auto summary = Lines().back()["summary"];
  EXPECT_EQ(summary["drift_kept"], 0);
  EXPECT_EQ(summary["drift_dropped"], 0) << "nothing is even proposed";
  EXPECT_FALSE(fs::exists(Path("record")));
}

TEST_F(DriftingCamera, WhatDoesNotGainIsDropped) {
  ASSERT_EQ(Run("dim.octet", 255, 4, "every_s=0,fit_frames=2,judge_frames=2,gain=1,gain_db=300"),
            0);
  const std::string err = Read("err"), said = "drift: new scales not used, agreement with fp16";
  EXPECT_NE(err.find(said), std::string::npos) << err;
  EXPECT_EQ(err.find(said), err.rfind(said)) << "also of the last frame it is said once\n" << err;
  ExpectVerdict();
  EXPECT_EQ(Lines().back()["summary"]["drift_dropped"], 1);
  EXPECT_FALSE(fs::exists(Path("record")));
}

TEST_F(DriftingCamera, FramesAreTakenAtTheirPace) {
  ASSERT_EQ(Run("dim.octet", 255, 20, "every_s=1000"), 0);
  EXPECT_EQ(Lines().back()["summary"]["drift_frames"], 1);
}

TEST_F(DriftingCamera, RecordsOfOthersAndDamagedOnesAreToldAndReplaced) {
  ASSERT_EQ(Run("dim.octet", 255, 4), 0);
  ASSERT_EQ(Run("other.octet", 255, 4), 0);
  EXPECT_NE(Read("err").find("drift: " + Path("record") +
                             " is from another blob; the blob's own scales are used, and the file "
                             "is replaced when new scales are found"),
            std::string::npos)
      << Read("err");
  EXPECT_EQ(Lines().back()["summary"]["drift_kept"], 1);
  fs::resize_file(Path("record"), 351);
  ASSERT_EQ(Run("other.octet", 127, 4), 0);
  EXPECT_NE(Read("err").find("record is not a record, or damaged; the blob's own scales are used"),
            std::string::npos)
      << Read("err");
}

// Whenever the program ends, what was stored last is whole.
TEST_F(DriftingCamera, AKillLosesNothing) {
  ASSERT_EQ(Run("dim.octet", 255, 4), 0);
  for (int round = 0; round < 20; ++round) {
    Start(Arguments("dim.octet", "every_s=0,fit_frames=1,judge_frames=1"));
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20 + 7 * round);
    // Light that changes all the time: a record is written every other frame.
    for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
      Send(Frame(i, i / 2 % 2 == 0 ? 255 : 127));
    }
    kill(child_, SIGKILL);
    close(input_);
    waitpid(child_, nullptr, 0);
    child_ = 0;
    EXPECT_EQ(Read("err").find("damaged"), std::string::npos) << round << Read("err");
    EXPECT_EQ(fs::file_size(Path("record")), OCTET_DRIFT_RECORD_BYTES);
  }
  ASSERT_EQ(Run("dim.octet", 255, 1), 0);
  EXPECT_EQ(Read("err").find("damaged"), std::string::npos) << Read("err");
}

// A record that cannot be written is tried again until it is.
TEST_F(DriftingCamera, ARecordThatIsNotWrittenIsTriedAgain) {
  fs::create_directory(folder_ / "card");
  auto arguments = Arguments("dim.octet", "every_s=0,fit_frames=2,judge_frames=2");
  *std::find(arguments.begin(), arguments.end(), Path("record")) = Path("card/record");
  Start(arguments);
  Send(Frame(0, 255));
  AwaitLines(1);
  fs::rename(folder_ / "card", folder_ / "away");
  size_t sent = 1;
  const auto until = [&](const std::string& text) {
    for (int i = 0; i < 500 && Read("err").find(text) == std::string::npos; ++i, usleep(20000)) {
      Send(Frame(static_cast<int>(sent), 255));
      AwaitLines(++sent);
    }
    EXPECT_NE(Read("err").find(text), std::string::npos) << Read("err");
  };
  until("drift: not stored: cannot write " + Path("card/record"));
  EXPECT_FALSE(fs::exists(folder_ / "card"));
  fs::rename(folder_ / "away", folder_ / "card");
  until("drift: " + Path("card/record") + " is written");
  EXPECT_EQ(fs::file_size(Path("card/record")), OCTET_DRIFT_RECORD_BYTES);
  EXPECT_EQ(Finish(), 0);
}

#if defined(OCTET_HANG_LIBRARY)
// Each call that reaches storage hangs for a second, while records are written all the time.
TEST_F(DriftingCamera, ACallThatHangsStopsNoFrame) {
  ASSERT_EQ(Run("dim.octet", 255, 4), 0);
  HangRuns(OCTET_HANG_LIBRARY,
           {folder_.string(),
            [&](const std::string& run) {
              fs::copy(Path("record"), run + "/record");
              auto arguments = Arguments("dim.octet", "every_s=0,fit_frames=1,judge_frames=1");
              std::replace(arguments.begin(), arguments.end(), Path("record"), run + "/record");
              std::erase(arguments, "--every-frame");
              return arguments;
            },
            [](int number) { return Frame(number, number / 2 % 2 == 0 ? 255 : 127); },
            [](const std::string& run) {
              EXPECT_EQ(fs::file_size(run + "/record"), OCTET_DRIFT_RECORD_BYTES);
            }})
      .RunAll(30);
}
#endif

// Ranges are seen in the finer plan, whichever runs.
TEST_F(DriftingCamera, AnyPlanMayRun) {
  Start([this] {
    auto arguments = Arguments("dim.octet", "every_s=0,fit_frames=2,judge_frames=2");
    arguments.insert(arguments.end(), {"--plan", "fp16"});
    return arguments;
  }());
  for (int i = 0; i < 4; ++i) Send(Frame(i, 255));
  ASSERT_EQ(Finish(), 0) << Read("err");
  EXPECT_EQ(Lines().back()["summary"]["drift_kept"], 1) << Read("err");
  EXPECT_EQ(Lines().front()["plan"], "fp16");
}

TEST_F(DriftingCamera, WhatIsNoRecordIsNotReplaced) {
  const auto size = fs::file_size(Path("dim.octet"));
  auto arguments = Arguments("dim.octet", "every_s=0");
  const auto with = [&](const std::string& record) {
    arguments[10] = record;
    Start(arguments);
    EXPECT_EQ(Finish(), 2);
    return Read("err");
  };
  const auto refusal = [](const std::string& record) {
    return "octet-camera: --drift " + record + ": not a drift record; name another file\n";
  };
  EXPECT_EQ(with(Path("dim.octet")), refusal(Path("dim.octet")));
  EXPECT_EQ(fs::file_size(Path("dim.octet")), size);
  EXPECT_EQ(with(folder_.string()), refusal(folder_.string()));
  EXPECT_EQ(
      with(Path("none/record")),
      "octet-camera: --drift " + Path("none/record") +
          ": cannot be written: No such file or directory; name a file in an existing folder\n");
  EXPECT_NE(with("").find("--drift"), std::string::npos);
  EXPECT_NE(Read("err").find("is empty; give a value, or remove the option"), std::string::npos)
      << Read("err");
  std::ofstream(Path("empty")).close();  // as mktemp makes them
  arguments[10] = Path("empty");
  Start(arguments);
  EXPECT_EQ(Finish(), 2);
  EXPECT_NE(Read("err").find("first frame"), std::string::npos) << Read("err");
}

TEST_F(DriftingCamera, Refusals) {
  const auto refused = [this](std::vector<std::string> arguments) {
    Start(std::move(arguments));
    EXPECT_EQ(Finish(), 2);
    return Read("err");
  };
  EXPECT_EQ(refused(Arguments("m.octet", "every_s=0")),
            "octet-camera: " + Path("m.octet") +
                ": has no drift section; convert the model with --drift\n");
  for (const char* bad : {"pace=1", "every_s", "every_s=x", "every_s=-1", "fit_frames=0",
                          "judge_frames=1001", "gain=2", "gain_db=301"}) {
    EXPECT_EQ(refused(Arguments("dim.octet", bad)),
              std::string("octet-camera: --drift-set ") + bad +
                  ": expected every_s (0 to 1000000), fit_frames and judge_frames (1 to 1000), "
                  "gain (0 to 1), gain_db (0 to 300)\n");
  }
  EXPECT_EQ(refused({Path("dim.octet"), "--source", "-", "--drift-set", "gain=1"}),
            "octet-camera: --drift-set: needs --drift FILE\n");
}

TEST_F(DriftingCamera, SettingsHaveLimits) {
  const struct {
    const char* setting;
    bool good;
  } cases[] = {{"every_s=0", true},        {"every_s=1e6", true},        {"every_s=-0.001", false},
               {"every_s=1000001", false}, {"fit_frames=1", true},       {"fit_frames=1000", true},
               {"fit_frames=0", false},    {"fit_frames=1001", false},   {"judge_frames=1", true},
               {"judge_frames=0", false},  {"judge_frames=1001", false}, {"gain=0", true},
               {"gain=1", true},           {"gain=-0.001", false},       {"gain=1.001", false},
               {"gain_db=300", true},      {"gain_db=301", false},       {"gain_db=-1", false},
               {"fit_frames=1x", false},   {"fit_frames=", false},       {"fit_frames", false},
               {"frames=1", false},        {"gain=nan", false}};
  for (const auto& c : cases) {
    EXPECT_EQ(Run("dim.octet", 127, 0, c.setting), 2);
    EXPECT_EQ(Read("err").find("--drift-set " + std::string(c.setting)) == std::string::npos,
              c.good)
        << Read("err");
  }
}

}  // namespace
}  // namespace octet::test
