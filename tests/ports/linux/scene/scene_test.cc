// The built-in scene: pinned bytes on every machine, frames independent of each other, boxes that
// agree with the pixels, and garments that are refused with a reason.
#include "ports/linux/scene/scene.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ports/linux/scene/garments.h"

namespace octet::port {
namespace {

constexpr uint32_t kSide = Garments::kSide;

uint64_t Fnv1a(const std::vector<uint8_t>& bytes) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3u;
  return hash;
}

class SceneTest : public testing::Test {
 protected:
  SceneTest() {
    folder_ =
        std::filesystem::temp_directory_path() / ("octet-scene-test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~SceneTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const char* name, const std::vector<uint64_t>& shape,
                    const std::vector<uint8_t>& data, const char* type = "|u1") const {
    const std::string path = folder_ / name;
    const std::string header = NpyHeader(shape, type);
    std::ofstream file(path, std::ios::binary);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    file.write(reinterpret_cast<const char*>(data.data()),
               static_cast<std::streamsize>(data.size()));
    return path;
  }

  // Twenty garments that stand in for the data set: a rectangle whose size, hue and holes depend on
  // its number, with a gradient inside, on background 0 with faint noise.
  Garments Synthetic() const {
    std::vector<uint8_t> pictures, labels;
    for (uint32_t n = 0; n < 20; ++n) {
      labels.push_back(static_cast<uint8_t>(n % 10));
      for (uint32_t y = 0; y < kSide; ++y) {
        for (uint32_t x = 0; x < kSide; ++x) {
          const bool inside = x >= n % 7 && x + n % 5 < kSide && y >= n % 6 && y + n % 3 < kSide;
          const bool hole = (x / 4 + y / 4) % 5 == n % 5;
          pictures.push_back(
              static_cast<uint8_t>(inside && !hole ? 40 + (x * 7 + y * n) % 200 : (x * y + n) % 4));
        }
      }
    }
    const std::string pictures_path = Write("pictures.npy", {20, kSide, kSide, 1}, pictures);
    return Garments(pictures_path, Write("labels.npy", {20}, labels));
  }

  static std::vector<uint8_t> Frame(Scene& scene, uint64_t index,
                                    std::vector<SceneBox>* boxes = nullptr) {
    std::vector<uint8_t> rgb(size_t{scene.config().width} * scene.config().height * 3, 0xA5);
    const auto found = scene.Render(index, rgb.data());
    if (boxes != nullptr) boxes->assign(found.begin(), found.end());
    return rgb;
  }

  std::filesystem::path folder_;
};

bool SameBoxes(const std::vector<SceneBox>& a, const std::vector<SceneBox>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(SceneBox)) == 0);
}

// The same numbers on every architecture: these run natively and under emulation.
TEST_F(SceneTest, BytesArePinned) {
  const Garments garments = Synthetic();
  struct Case {
    uint32_t width, height;
    uint64_t seed, index, hash;
    size_t boxes;
  };
  const Case cases[] = {
      {320, 320, 0, 0, 0x1C5CEC8AFF7992F2u, 4},
      {320, 320, 0, 1000, 0xC5A9AAAB653B6326u, 3},
      {320, 320, 7, 1000000007, 0x302DA60EA0553783u, 4},
      {640, 480, 1, 12345, 0x7D3B8D8129C4029Cu, 3},
      {65, 127, 3, 500, 0x7C1FE0FD93B7B649u, 2},
      {1280, 720, UINT64_MAX, UINT64_C(1) << 40, 0xAFE9E6BFEF2D79B7u, 3},
  };
  for (const Case& c : cases) {
    SceneConfig config;
    config.width = c.width, config.height = c.height, config.seed = c.seed;
    Scene scene(config, garments);
    std::vector<SceneBox> boxes;
    const uint64_t hash = Fnv1a(Frame(scene, c.index, &boxes));
    EXPECT_EQ(hash, c.hash) << c.width << "x" << c.height << " seed " << c.seed << " frame "
                            << c.index << std::hex << ": 0x" << hash;
    EXPECT_EQ(boxes.size(), c.boxes);
  }
}

TEST_F(SceneTest, FramesDependOnNoFrameBefore) {
  const Garments garments = Synthetic();
  SceneConfig config;
  config.seed = 11;
  Scene forward(config, garments);
  std::vector<std::vector<uint8_t>> frames;
  std::vector<std::vector<SceneBox>> boxes(20);
  for (uint64_t i = 0; i < 20; ++i) frames.push_back(Frame(forward, i * 37, &boxes[i]));
  config.seed = 99;
  Scene backward(config, garments);
  Frame(backward, 5);
  backward.Reset(11);
  for (uint64_t i = 20; i-- > 0;) {
    std::vector<SceneBox> again;
    EXPECT_EQ(Frame(backward, i * 37, &again), frames[i]) << "frame " << i * 37;
    EXPECT_TRUE(SameBoxes(again, boxes[i])) << "frame " << i * 37;
  }
  EXPECT_NE(frames[0], frames[1]);
  backward.Reset(12);
  EXPECT_NE(Frame(backward, 0), frames[0]);
}

// Without noise every pixel outside all boxes is background or the fringe (alpha < 1/2) of a
// garment, or a garment too hidden for a box; and every side of a box touches a pixel that differs.
TEST_F(SceneTest, BoxesHoldWhatDiffersFromTheBackground) {
  const Garments garments = Synthetic();
  SceneConfig config;
  config.noise = 0;
  config.objects = 1;  // nothing hidden: the box is all there is
  uint32_t seen = 0, cut = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    config.seed = seed;
    Scene scene(config, garments);
    SceneConfig empty = config;
    empty.objects = 0;
    Scene backdrop(empty, garments);
    const std::vector<uint8_t> background = Frame(backdrop, 0);
    for (const uint64_t index : {0u, 100u, 163u, 229u}) {
      std::vector<SceneBox> boxes;
      const std::vector<uint8_t> rgb = Frame(scene, index, &boxes);
      if (boxes.empty()) continue;
      const SceneBox box = boxes[0];
      ASSERT_TRUE(0 <= box.x0 && box.x0 < box.x1 && box.x1 <= 320);
      ASSERT_TRUE(0 <= box.y0 && box.y0 < box.y1 && box.y1 <= 320);
      ASSERT_LT(box.label, Garments::kClassCount);
      ++seen;
      if (box.x0 == 0 || box.y0 == 0 || box.x1 == 320 || box.y1 == 320) ++cut;
      // The smallest box around all pixels that differ: a fringe of less than one texel wider.
      int32_t x0 = 320, y0 = 320, x1 = 0, y1 = 0;
      for (int32_t y = 0; y < 320; ++y) {
        for (int32_t x = 0; x < 320; ++x) {
          const size_t at = (static_cast<size_t>(y) * 320 + static_cast<size_t>(x)) * 3;
          if (std::memcmp(&rgb[at], &background[at], 3) == 0) continue;
          x0 = std::min(x0, x), x1 = std::max(x1, x + 1);
          y0 = std::min(y0, y), y1 = std::max(y1, y + 1);
        }
      }
      constexpr int32_t kTexel = 144 * 308 / 256 / 28 + 1;  // of the widest garment, in pixels
      EXPECT_TRUE(x0 <= box.x0 && box.x0 - x0 <= kTexel) << "seed " << seed << " frame " << index;
      EXPECT_TRUE(y0 <= box.y0 && box.y0 - y0 <= kTexel) << "seed " << seed << " frame " << index;
      EXPECT_TRUE(x1 >= box.x1 && x1 - box.x1 <= kTexel) << "seed " << seed << " frame " << index;
      EXPECT_TRUE(y1 >= box.y1 && y1 - box.y1 <= kTexel) << "seed " << seed << " frame " << index;
    }
  }
  EXPECT_GT(seen, 40u);
  EXPECT_GT(cut, 0u);
}

// A lane holds the same garment with or without later lanes, so one scene of n objects can be
// compared with those of 1 to n - 1: a box may only shrink or vanish as others come on top.
TEST_F(SceneTest, LaterGarmentsHideEarlierOnes) {
  const Garments garments = Synthetic();
  SceneConfig config;
  uint32_t shrunk = 0, vanished = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    config.seed = seed;
    config.objects = 2;
    Scene two(config, garments);
    config.objects = 8;
    Scene eight(config, garments);
    std::vector<SceneBox> few, many;
    Frame(two, 300, &few);
    Frame(eight, 300, &many);
    EXPECT_LE(many.size(), 8u);
    size_t next = 0;
    for (const SceneBox& box : few) {
      const auto inside = [&](const SceneBox& other) {
        return other.label == box.label && other.x0 >= box.x0 && other.x1 <= box.x1 &&
               other.y0 >= box.y0 && other.y1 <= box.y1;
      };
      if (next < many.size() && inside(many[next])) {
        if (!SameBoxes({box}, {many[next]})) ++shrunk;
        ++next;
      } else {
        ++vanished;
      }
    }
  }
  EXPECT_GT(shrunk, 0u);
  EXPECT_GT(vanished, 0u);
}

// From one frame to the next everything moves by a few pixels at most.
TEST_F(SceneTest, GarmentsDrift) {
  const Garments garments = Synthetic();
  SceneConfig config;
  config.objects = 1;
  uint32_t moved = 0, steps = 0;
  for (uint64_t seed = 0; seed < 2; ++seed) {
    config.seed = seed;
    Scene scene(config, garments);
    std::vector<SceneBox> before, now;
    Frame(scene, 0, &before);
    for (uint64_t index = 1; index < 300; ++index, before = now) {
      Frame(scene, index, &now);
      if (before.empty() || now.empty() || before[0].label != now[0].label) continue;
      const int32_t dx =
          std::max(std::abs(now[0].x0 - before[0].x0), std::abs(now[0].x1 - before[0].x1));
      const int32_t dy =
          std::max(std::abs(now[0].y0 - before[0].y0), std::abs(now[0].y1 - before[0].y1));
      EXPECT_LE(std::max(dx, dy), 40) << "seed " << seed << " frame " << index;
      ++steps;
      if (dx + dy > 0) ++moved;
    }
  }
  EXPECT_GT(steps, 400u);
  EXPECT_GT(moved, steps / 2);
}

TEST_F(SceneTest, RefusesConfigurations) {
  const Garments garments = Synthetic();
  const auto refused = [&](uint32_t width, uint32_t height, uint32_t objects, uint32_t noise) {
    SceneConfig config;
    config.width = width, config.height = height, config.objects = objects, config.noise = noise;
    EXPECT_THROW(Scene(config, garments), InputError);
  };
  refused(63, 320, 4, 6);
  refused(320, 4097, 4, 6);
  refused(320, 320, 33, 6);
  refused(320, 320, 4, 65);
}

void ExpectRefusal(const std::string& pictures, const std::string& labels, const char* says) {
  try {
    const Garments garments(pictures, labels);
    ADD_FAILURE() << "accepted " << pictures << " with " << labels;
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(says), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST_F(SceneTest, RefusesGarmentsThatAreNone) {
  const std::string good = Write("good.npy", {2, 28, 28}, std::vector<uint8_t>(2 * 784, 50));
  const std::string labels = Write("good_labels.npy", {2}, {0, 9});
  EXPECT_EQ(Garments(good, labels).count(), 2u);
  ExpectRefusal(folder_ / "absent.npy", labels, "no garments at");
  ExpectRefusal(good, folder_ / "absent.npy", "demo/pictures.py");
  ExpectRefusal(Write("small.npy", {2, 14, 14}, std::vector<uint8_t>(392)), labels, "[N,28,28]");
  ExpectRefusal(Write("colour.npy", {1, 28, 28, 3}, std::vector<uint8_t>(784 * 3)), labels,
                "[N,28,28]");
  ExpectRefusal(Write("float.npy", {1, 28, 28}, std::vector<uint8_t>(784 * 4), "<f4"), labels,
                "[N,28,28]");
  ExpectRefusal(good, Write("few.npy", {1}, {0}), "one label per picture");
  ExpectRefusal(good, Write("high.npy", {2}, {0, 10}), "not below 10");
}

}  // namespace
}  // namespace octet::port
