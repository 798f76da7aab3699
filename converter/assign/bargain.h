// What layers in FP16 gain, and what they have to (stretches.h).
#ifndef OCTET_CONVERTER_ASSIGN_BARGAIN_H_
#define OCTET_CONVERTER_ASSIGN_BARGAIN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace octet::assign {

inline constexpr double kDecibelsOfTime = 100;
inline constexpr double kDecibelsOfDoubling = 6.0206;  // 20 log10 2
inline constexpr double kDecibelsOfAnswers = 400;

// What a set of nodes in FP16 gains and costs beside the int8 plan without it.
struct Bargain {
  std::vector<std::string> nodes;  // in the order of execution
  double gain_db = 0;
  std::optional<double> gain_agreement;  // of 1, where boxes were counted
  double time_share = 0;                 // of the int8 plan's time that they add
  int64_t arena_before_bytes = 0, arena_after_bytes = 0;
};
// What the arena's growth has to gain, in dB; 0 where it does not grow.
double ArenaPriceDb(const Bargain& bargain);

// In dB; what a set gains, and what its time and its arena have to.
struct Worth {
  double gain_db = 0, answers_db = 0, time_db = 0, arena_db = 0;
  double agreement = 1;                                               // of its boxes (boxes.h)
  double Unpriced() const { return gain_db + answers_db - time_db; }  // if the arena cost nothing
  double Db() const { return Unpriced() - arena_db; }
};

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_BARGAIN_H_
