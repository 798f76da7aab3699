// What is counted by kind: the words are values of labels, so that changing one changes dashboards
// and alerts (ports/linux/monitoring).
#ifndef OCTET_PORTS_LINUX_METRICS_EVENTS_H_
#define OCTET_PORTS_LINUX_METRICS_EVENTS_H_

#include <cstddef>
#include <cstdint>

namespace octet::port {

// octet_plan_switches_total{reason}: why the plan changed.
enum class SwitchReason : uint8_t {
  kAccuracy,   // scores fell, towards FP16
  kRecovered,  // and rose again, back
  kHeat,       // the board is hot
  kThrottle,   // so hot that accuracy yields
  kCool,       // and cool again
  kManual,     // somebody held it, or let it go
};
inline constexpr const char* kSwitchReasons[] = {"accuracy", "recovered", "heat",
                                                 "throttle", "cool",      "manual"};

// octet_breaker_events_total{event}.
enum class BreakerEvent : uint8_t {
  kTrip,    // one step up the ladder
  kReturn,  // one step back
  kFlap,    // tripped again soon after a return: the dwell grows
  kStuck,   // at the top of the ladder, and scores are still low
};
inline constexpr const char* kBreakerEvents[] = {"trip", "return", "flap", "stuck"};

// octet_thermal_events_total{event}.
enum class ThermalEvent : uint8_t {
  kHot,    // at the threshold
  kCool,   // below the other one
  kLost,   // the sensor gives nothing that can be
  kStuck,  // it gives the very same for too long
  kBack,   // it can be believed again
  kLeft,   // finer plans made it hotter, and none runs until it has cooled
};
inline constexpr const char* kThermalEvents[] = {"hot", "cool", "lost", "stuck", "back", "left"};

// octet_drift_events_total{event}.
enum class DriftEvent : uint8_t {
  kObserved,  // a frame updated the ranges
  kAccepted,  // new scales are in use
  kDropped,   // new scales agreed with FP16 less than the old ones
  kRestored,  // scales of the run before are in use again
  kRefused,   // a stored record was damaged or of another blob
};
inline constexpr const char* kDriftEvents[] = {"observed", "accepted", "dropped", "restored",
                                               "refused"};

// octet_flash_refusals_total{reason}: why a new blob was not taken.
enum class FlashRefusal : uint8_t {
  kDamaged,    // format or hash
  kSignature,  // missing, or of another key
  kCounter,    // older than the one that runs
  kBoard,      // made for another board, or not allowed on this one
  kSelfTest,   // its golden vectors give other bytes here
  kStorage,    // cannot be written or read back
  kKind,       // not the kind of model that runs
  kProduct,    // of another product, or of none
  kRandom,     // its ranges come from random data
};
inline constexpr const char* kFlashRefusals[] = {
    "damaged", "signature", "counter", "board", "selftest", "storage", "kind", "product", "random"};

// octet_slot_events_total{event}.
enum class SlotEvent : uint8_t { kActivate, kConfirm, kRollback };
inline constexpr const char* kSlotEvents[] = {"activate", "confirm", "rollback"};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_EVENTS_H_
