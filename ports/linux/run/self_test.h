// octet-run --self-test: one blob on all levels of this core, in every plan, with one and with all
// threads.
#ifndef OCTET_PORTS_LINUX_RUN_SELF_TEST_H_
#define OCTET_PORTS_LINUX_RUN_SELF_TEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "octet/octet.h"
#include "ports/linux/half_sums.h"
#include "ports/linux/run/self_test_vectors.h"
#include "ports/linux/thermal/sensor.h"

namespace octet::port {

struct SelfTestRow {
  octet_isa isa;
  std::string plan;
  uint32_t threads;
  bool hash_ok;      // of every output of every frame
  Digest found;      // of the first output that differs; else of the first one
  uint32_t frames;   // all were compared
  double median_ms;  // without the first frame, where there are others
  double first_ms;   // the first frame of the session
  // Largest distance of what runs from float sums (half_sums.h); none: the plan adds in float
  // alone.
  std::optional<double> half_sums;
  double share_of_peak;  // of the cores' multiply-accumulates, by the median; 0 where unknown
  std::optional<float> before_c, after_c;  // of the sensor; none where it tells nothing
  bool ok() const { return hash_ok && half_sums.value_or(0) <= kHalfSumsShare; }
};

struct SelfTest {
  std::string model;
  Digest blob_digest;  // octet_blob_info.digest
  std::string sensor;  // its type; empty: there is none
  std::vector<SelfTestRow> rows;
  bool ok() const;
};

// Of what there is, the runs wanted; unset: all.
struct SelfTestChoice {
  std::optional<octet_isa> isa;
  std::string plan;
  std::optional<uint32_t> threads;  // instead of one and all
};

// Threads that this process may use at once: cores, at most 256.
uint32_t AllThreads();
// A row takes a frame a vector, then more until half a second or 100 frames. Throws InputError,
// also where no run is left.
SelfTest RunSelfTest(SelfTestVectors& vectors, const ThermalSensor& sensor,
                     const SelfTestChoice& choice);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_SELF_TEST_H_
