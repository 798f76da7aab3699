// Made films: still scenes are skipped, motions are not. The bars are those of the gate's purpose:
// 90 % of a still scene with noise, light and artefacts; 200 motions of an object of 0.5 % of the
// picture with a contrast of twice the noise within 300 ms, none missed.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "octet/motion.h"
#include "tests/runtime/motion/made_film.h"

namespace octet::film {
namespace {

class Gate {
 public:
  explicit Gate(const Made& made) : made_(made) {
    octet_motion_config config;
    octet_motion_defaults(&config);
    config.width = made.width;
    config.height = made.height;
    memory_.resize(octet_motion_bytes(&config) / 8);
    EXPECT_EQ(octet_motion_init(memory_.data(), memory_.size() * 8, &config, &motion_).code,
              OCTET_OK);
  }
  octet_motion_reason Ask(uint64_t time_us, const uint8_t* pixels) {
    octet_frame frame = {};
    frame.size = sizeof(frame);
    frame.format = OCTET_PIXELS_GREY8;
    frame.width = made_.width;
    frame.height = made_.height;
    frame.planes[0] = pixels;
    frame.strides[0] = made_.width;
    octet_motion_answer answer = {};
    answer.size = sizeof(answer);
    EXPECT_EQ(octet_motion_frame(motion_, time_us, &frame, &answer).code, OCTET_OK);
    return answer.reason;
  }

 private:
  const Made made_;
  std::vector<uint64_t> memory_;
  octet_motion* motion_ = nullptr;
};

double SkippedShare(const Made& made, double seconds) {
  Film film(made);
  Gate gate(made);
  const int frames = static_cast<int>(seconds * made.fps);
  int skipped = 0;
  for (int f = 0; f < frames; ++f) {
    const uint8_t* const pixels = film.Next();
    skipped += gate.Ask(film.time_us(), pixels) == OCTET_MOTION_STILL ? 1 : 0;
  }
  return static_cast<double>(skipped) / frames;
}

TEST(MotionFilms, StillScenesAreSkipped) {
  uint64_t seed = 560;
  for (const Light light :
       {Light::kSteady, Light::kGain, Light::kOffset, Light::kCloud, Light::kExposure}) {
    for (const int jpeg : {0, 80, 50}) {
      Made made;
      made.width = 320, made.height = 192;
      made.light = light;
      made.light_s = 8;
      made.jpeg = jpeg;
      made.seed = ++seed;
      made.noise = 1 + static_cast<double>(seed % 4);
      EXPECT_GE(SkippedShare(made, 10), 0.9) << "light " << static_cast<int>(light) << ", quality "
                                             << jpeg << ", noise " << made.noise;
    }
  }
}

// Of light that swings by 25 levels, which cuts dark walls to black.
Made SwingingLight(uint64_t seed) {
  Made made;
  made.width = 320, made.height = 192, made.fps = 10;
  made.light = Light::kOffset;
  made.depth = 0.4;
  made.light_s = 8;
  made.seed = seed;
  made.noise = 1 + static_cast<double>(seed % 3);
  return made;
}

TEST(MotionFilms, LightThatCutsDarkWallsIsSkipped) {
  for (uint64_t seed = 566; seed < 572; ++seed) {
    Made made = SwingingLight(seed);
    made.jpeg = seed % 2 == 0 ? 0 : 75;
    EXPECT_GE(SkippedShare(made, 20), 0.9) << seed;
  }
}

// Seconds from when it is due until a frame is to be inferred because of a change; 99: never.
double Latency(const Made& made, double due_s) {
  Film film(made);
  Gate gate(made);
  const int frames = static_cast<int>((due_s + 2) * made.fps);
  for (int f = 0; f < frames; ++f) {
    const uint8_t* const pixels = film.Next();
    const octet_motion_reason reason = gate.Ask(film.time_us(), pixels);
    const double time_s = f / made.fps;
    if (time_s >= made.begin_s && (reason == OCTET_MOTION_CHANGE || reason == OCTET_MOTION_ALL)) {
      return std::max(time_s - due_s, 0.0);
    }
  }
  return 99;
}

Made MotionOf(std::mt19937* random, bool is_there_before) {
  std::uniform_real_distribution<double> share(0, 1);
  Made made;
  made.width = 320, made.height = 192;
  made.seed = (*random)();
  made.noise = 1 + 4 * share(*random);
  made.area = 0.005;
  made.aspect = std::pow(2.0, 4 * share(*random) - 2);
  made.contrast = (share(*random) < 0.5 ? -2 : 2) * made.noise;
  made.speed = std::pow(60.0, share(*random));
  made.angle = 6.28318530717958648 * share(*random);
  made.begin_s = 2;
  made.is_there_before = is_there_before;
  // It starts in the middle half, so that it does not leave the picture.
  made.x = made.width * (0.25 + 0.4 * share(*random));
  made.y = made.height * (0.25 + 0.4 * share(*random));
  return made;
}

TEST(MotionFilms, AnObjectThatAppearsAndMovesIsInferred) {
  std::mt19937 random(561);
  for (int i = 0; i < 200; ++i) {
    const Made made = MotionOf(&random, false);
    EXPECT_LE(Latency(made, made.begin_s), 0.3)
        << i << ": speed " << made.speed << ", noise " << made.noise << ", aspect " << made.aspect;
  }
}

// What stood there is a part of the background. It cannot be seen before it has left its place: by
// two pixels here.
TEST(MotionFilms, AnObjectThatStoodAndMovesIsInferred) {
  std::mt19937 random(562);
  for (int i = 0; i < 40; ++i) {
    Made made = MotionOf(&random, true);
    made.begin_s = 4;
    EXPECT_LE(Latency(made, made.begin_s + 2 / made.speed), 0.3)
        << i << ": speed " << made.speed << ", noise " << made.noise << ", aspect " << made.aspect;
  }
}

// Darker than its wall by more than light swings.
TEST(MotionFilms, ADarkObjectInLightThatCutsIsInferred) {
  for (uint64_t seed = 566; seed < 576; ++seed) {
    Made made = SwingingLight(seed);
    made.area = 0.005;
    made.contrast = -60;
    made.speed = 10;
    made.begin_s = 6;
    made.x = 150, made.y = 90;
    EXPECT_LE(Latency(made, made.begin_s), 0.3) << seed;
  }
}

// A tenth of its contrast is not a motion that anybody could tell from noise.
TEST(MotionFilms, BelowTheNoiseNothingIsSeen) {
  std::mt19937 random(563);
  int seen = 0;
  for (int i = 0; i < 10; ++i) {
    Made made = MotionOf(&random, false);
    made.contrast /= 40;
    made.speed = 1;
    seen += Latency(made, made.begin_s) < 1 ? 1 : 0;
  }
  EXPECT_EQ(seen, 0);
}

}  // namespace
}  // namespace octet::film
