// What octet-run says about a run, for people and as JSON.
#ifndef OCTET_PORTS_LINUX_RUN_REPORT_H_
#define OCTET_PORTS_LINUX_RUN_REPORT_H_

#include <cstdint>
#include <vector>

#include "ports/linux/model.h"
#include "ports/linux/run/profile.h"

namespace octet::port {

struct Measurement {
  uint64_t samples = 0;
  uint64_t load_ns = 0;          // map, validate, hash, bind
  uint64_t first_ns = 0;         // of the very first inference
  std::vector<uint64_t> run_ns;  // one entry a timed inference, without reading in and out
  LayerClock layers;
  std::vector<nlohmann::ordered_json> results;  // of every picture, for --json
};

// Of at least one time. Milliseconds.
double MedianMs(std::vector<uint64_t> ns);

// profile: null where none is wanted.
void PrintText(const Model& model, const Measurement& measurement, const Profile* profile);
void PrintJson(const Model& model, const Measurement& measurement, const Profile* profile);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_REPORT_H_
