// Made films of a fixed camera: a scene with noise, light that changes, artefacts of JPEG, and an
// object that moves. The same seed gives the same film.
#ifndef OCTET_TESTS_RUNTIME_MOTION_MADE_FILM_H_
#define OCTET_TESTS_RUNTIME_MOTION_MADE_FILM_H_

#include <cstdint>
#include <vector>

namespace octet::film {

enum class Light { kSteady, kGain, kOffset, kCloud, kExposure };

struct Made {
  uint32_t width = 640, height = 360;
  double fps = 30;
  double noise = 2;  // standard deviation of a pixel, levels
  Light light = Light::kSteady;
  double depth = 0.2;   // of the light's change, a share
  double light_s = 20;  // its period
  int jpeg = 0;         // quality; 0: none
  uint64_t seed = 1;
  // The object: none without an area.
  double area = 0;               // share of the picture
  double aspect = 1;             // width / height
  double contrast = 0;           // levels, added
  double x = 0, y = 0;           // left and upper edge at `begin_s`, pixels
  double speed = 0, angle = 0;   // pixels a second, radians
  double begin_s = 0;            // it begins to move
  bool is_there_before = false;  // it stands before that; else it appears
};

class Film {
 public:
  explicit Film(const Made& made);
  // The next frame, GREY8. Valid until the next call.
  const uint8_t* Next();
  uint64_t time_us() const { return time_us_; }

 private:
  void Paint(double time_s);
  void AddObject(double time_s);
  void AddNoise();
  double GainAt(double time_s, double x, double y) const;
  uint32_t Random();

  const Made made_;
  uint64_t random_, time_us_ = 0, frame_ = 0;
  std::vector<float> scene_, painted_;
  std::vector<float> normal_;  // a table of the normal distribution
  std::vector<uint8_t> pixels_, packed_;
};

}  // namespace octet::film

#endif  // OCTET_TESTS_RUNTIME_MOTION_MADE_FILM_H_
