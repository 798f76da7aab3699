// What a run tells about every layer: its time (median over the runs kept), work, traffic, and how
// near to the core's peak it came. `octet-run --json --profile` prints it under `layers` for
// programs, among them the converter that chooses precisions.
#ifndef OCTET_PORTS_LINUX_RUN_PROFILE_H_
#define OCTET_PORTS_LINUX_RUN_PROFILE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "ports/linux/model.h"

namespace octet::port {

// The clock of every layer, for at most kMaxRunsKept of the runs, evenly spaced. Allocates in its
// constructor only.
class LayerClock {
 public:
  static constexpr uint64_t kMaxRunsKept = 256;

  LayerClock() = default;
  LayerClock(uint32_t layer_count, uint64_t run_count);
  // Takes the ticks of the session's last run.
  void Add(const octet_session* session);
  bool IsOn() const { return layer_count_ != 0; }
  uint32_t layer_count() const { return layer_count_; }
  uint64_t MedianNs(uint32_t layer) const;
  uint64_t LeastNs(uint32_t layer) const;

 private:
  std::vector<uint64_t> OfLayer(uint32_t layer) const;

  uint32_t layer_count_ = 0;
  uint64_t stride_ = 1, runs_ = 0;
  std::vector<uint64_t> ns_;  // [kept run][layer]
};

// Measures the peaks; a few milliseconds.
struct Profile {
  struct Layer {
    octet_layer_info info;
    uint64_t ns, least_ns;
    uint64_t input_bytes, output_bytes;  // arena tensors read and written
    double gmacs_per_s;
    double share_of_peak;  // of all threads' cores, at the layer's precision; 0 where unknown
  };
  std::vector<Layer> layers;
  uint64_t total_ns = 0;
  double peak_s8 = 0, peak_f16 = 0;  // GMAC/s of one core at the run's level
};
Profile MakeProfile(const Model& model, const LayerClock& clock);

void PrintProfile(const Profile& profile, const Model& model);
nlohmann::ordered_json ProfileJson(const Profile& profile, const Model& model);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_PROFILE_H_
