// The Kalman filter of a track: centre x and y, aspect (width / height) and height, each with a
// constant velocity, as in DeepSORT. Noise of position is h/20, of velocity h/160 a step of 1/30 s;
// of the aspect 1e-2 and 1e-5, and 1e-1 in a measurement.
//
// Noise of each coordinate is independent of the others, so the 8 x 8 covariance is four blocks of
// 2 x 2. Those of x, y and h are always equal. A block [pp pv; pv vv] is kept in a unit u^2 that
// follows the height, so that few bits hold boxes of 1 and of 100000 pixels:
//
//   x, y, h: u = the power of two with u <= h < 2 u
//   aspect:  u = 1/64
//
// n steps of prediction, with n = time * 30 s^-1 (exact for whole n, and the same polynomial
// between):
//
//   vv += n qv
//   pv += n vv + qv n (n - 1) / 2
//   pp += 2 n pv + n^2 vv + n qp + qv n (n - 1) (2 n - 1) / 6
//
// A measurement with noise r, S = pp + r, K = pp / S, L = pv / S:
//
//   x += K d, v += L d, pp = r K, pv = r L, vv -= L pv          (d = measured - x)
//
// Formats. Each result is clamped to its bound, so no product below can overflow 63 bits:
//
//   value          bits after the point   bound of the magnitude
//   x, y, h        12                     2^29  (131072 pixels)
//   aspect         20                     2^29  (512)
//   velocity       4 more than the value  2^29
//   n              16                     2^26  (1024 steps, 34 s)
//   pp             28                     2^43
//   pv             28                     2^35
//   vv             28                     2^26
//   r, qp          28                     2^34
//   qv             28                     2^16
//   K              28                     2^28  (1)
//   L              24                     2^26  (4)
#ifndef OCTET_TRACK_FILTER_H_
#define OCTET_TRACK_FILTER_H_

#include <stdint.h>

namespace octet {
namespace track {

constexpr int64_t kMostValue = int64_t{1} << 29;
constexpr int64_t kMostSteps = int64_t{1} << 26;

struct Covariance {
  int64_t pp, pv, vv;
};

struct Motion {
  int32_t value[4];     // x, y, aspect, height
  int32_t velocity[4];  // of each, a step
  int32_t unit_log2;    // of `place`: u = 2^unit_log2 / 4096 pixels
  uint32_t zero;        // so that no byte of a snapshot is undefined
  Covariance place;     // of x, y and h
  Covariance aspect;
};

// Corners, 256 a pixel, within +-kMostCorner.
constexpr int32_t kMostCorner = 1 << 24;
struct Corners {
  int32_t x0, y0, x1, y1;
};

// n of a time, which is at most 34 s.
int64_t StepsOf(uint64_t time_us);

// box: x0 < x1, y0 < y1.
void Begin(const Corners& box, Motion* motion);
// steps: 0 to kMostSteps. lost: the height stays the same.
void Predict(int64_t steps, bool lost, Motion* motion);
void Measure(const Corners& box, Motion* motion);
// x0 < x1, y0 < y1.
Corners BoxOf(const Motion& motion);

// Whether every number is within its bound.
bool IsSound(const Motion& motion);

}  // namespace track
}  // namespace octet

#endif  // OCTET_TRACK_FILTER_H_
