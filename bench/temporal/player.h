// A plan of a blob on the frames of a video, with or without its temporal filters.
#ifndef OCTET_BENCH_TEMPORAL_PLAYER_H_
#define OCTET_BENCH_TEMPORAL_PLAYER_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "octet/agreement.h"
#include "octet/temporal.h"
#include "ports/linux/results/results.h"

namespace octet::bench {

class Player {
 public:
  Player(const std::string& path, const std::string& plan, bool filtered);
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  void Play(const octet_frame& frame);

  // Of the last frame.
  const std::vector<float>& values() const { return values_; }  // all outputs
  const port::Results& results() const { return *results_; }
  // By value: the piece of the outputs that it belongs to (boxes and scores are different ones).
  const std::vector<uint32_t>& pieces() const { return pieces_; }
  uint32_t piece_count() const { return piece_count_; }

  // Of all frames so far.
  double changed_share() const;  // of the bytes filtered
  // Medians of a frame: without the filters, and what those take.
  double run_ms() const { return MedianMs(run_ns_); }
  double filter_ms() const { return MedianMs(filter_ns_); }
  uint32_t filters() const { return temporal_ == nullptr ? 0 : octet_temporal_count(temporal_); }
  uint64_t cuts() const;
  size_t memory_bytes() const { return memory_bytes_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  static int BeforeLayer(void* context, uint32_t layer);
  static port::ModelOptions Options(const std::string& plan, Player* player);
  void Filter(uint32_t layer);
  void FindPieces();
  static double MedianMs(std::vector<uint64_t> ns);

  port::Model model_;
  std::unique_ptr<port::ResultReader> reader_;
  const port::Results* results_ = nullptr;
  std::unique_ptr<void, Free> memory_;
  size_t memory_bytes_ = 0;
  octet_temporal* temporal_ = nullptr;
  std::vector<bool> filtered_;   // by layer
  std::vector<uint8_t> before_;  // of the tensor at hand
  std::vector<float> values_;
  std::vector<uint32_t> pieces_;
  uint32_t piece_count_ = 0;
  uint64_t bytes_ = 0, changed_ = 0;
  uint64_t own_ns_ = 0;  // of this frame: filters, and what is counted about them
  std::vector<uint64_t> run_ns_, filter_ns_;  // by frame
};

}  // namespace octet::bench

#endif  // OCTET_BENCH_TEMPORAL_PLAYER_H_
