// How a run of a video differs from the reference's, and from itself a frame before.
#ifndef OCTET_BENCH_TEMPORAL_FIGURES_H_
#define OCTET_BENCH_TEMPORAL_FIGURES_H_

#include <nlohmann/json.hpp>
#include <vector>

#include "bench/temporal/player.h"

namespace octet::bench {

class Figures {
 public:
  // first_of_clip: the frame before is of another scene and not compared with.
  void Add(const Player& player, const Player& reference, bool first_of_clip);
  nlohmann::json Json(const Player& player) const;

 private:
  // Energies of one piece of the outputs.
  struct Piece {
    double reference = 0, error = 0;
    double change = 0, reference_change = 0, error_change = 0;
  };
  std::vector<Piece> pieces_;
  std::vector<float> before_, reference_before_;
  port::Results results_before_;
  double agreement_ = 0, steadiness_ = 0;  // sums, of 1 each
  uint64_t frames_ = 0, pairs_ = 0;
  nlohmann::json answers_ = nlohmann::json::array();
};

}  // namespace octet::bench

#endif  // OCTET_BENCH_TEMPORAL_FIGURES_H_
