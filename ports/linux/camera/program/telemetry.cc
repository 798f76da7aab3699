#include "ports/linux/camera/program/telemetry.h"

#include <time.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>

namespace octet::port {
namespace {

double SecondsSince1970() {
  timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  return static_cast<double>(wall.tv_sec) + static_cast<double>(wall.tv_nsec) / 1e9;
}

BlobDescription Describe(const Model& model, const std::string& path) {
  const blob::Header& header = *model.blob().header;
  const auto* const board = reinterpret_cast<const char*>(header.board);
  BlobDescription blob;
  blob.SetDigest(header.sha256);
  // Of a store the file is called like its slot.
  const std::string name = StringAt(model.blob(), model.blob().model->name);
  blob.SetModel(name.empty() ? std::filesystem::path(path).stem().string() : name);
  blob.SetBoard({board, strnlen(board, sizeof(header.board))});
  blob.security_counter = header.security_counter;
  blob.latency_budget_s =
      static_cast<float>(octet_guard_latency_budget_us(model.blob().base, header.file_bytes)) /
      1e6f;
  for (uint32_t i = 0; i < octet_plan_count(model.session()); ++i) {
    blob.AddPlan(octet_plan_name(model.session(), i));
  }
  return blob;
}

// Those of the board that the blob was made for.
std::vector<std::string> ZonesOf(const Model& model) {
  std::vector<std::string> zones;
  size_t bytes = 0;
  const char* names = octet_guard_zones(model.blob().base, model.blob().header->file_bytes, &bytes);
  for (size_t at = 0; at < bytes; at += zones.back().size() + 1) zones.emplace_back(names + at);
  return zones;
}

// Readings come once a second; one that is older than a few has hung.
constexpr uint64_t kOldNs = 5 * ThermalMonitor::kPeriodNs;

}  // namespace

Telemetry::Telemetry(const CameraOptions& options)
    : options_(options), metrics_(SecondsSince1970()) {}

void Telemetry::SetModel(const Model& model, const std::string& path, const CameraGuard* guard) {
  BlobDescription blob = Describe(model, path);
  guard_metrics_.reset();
  if (guard != nullptr) {
    for (uint32_t i = 0; i < octet_probes_count(&guard->probes()); ++i) {
      octet_probe_info info;
      octet_probes_info(&guard->probes(), i, &info);
      blob.AddLayer(info.name);
    }
    guard_metrics_.emplace(&metrics_, guard->decision().plan);
  }
  metrics_.SetBlob(blob);
  metrics_.SetPlan(octet_plan(model.session()));
}

void Telemetry::Start(const Model& model, bool guarded, const StopRequest& stop,
                      const std::function<void()>& begin) {
  if (options_.metrics.empty() && !guarded) return;
  ThermalSensor sensor(options_.thermal_root, ZonesOf(model));
  if (guarded && sensor.type().empty()) {
    std::fprintf(stderr,
                 "octet-camera: no thermal zone of the board below %s, so heat changes nothing; "
                 "--thermal-root names another folder\n",
                 options_.thermal_root.c_str());
  }
  thermal_.emplace(std::move(sensor), begin, [this](const ThermalReading& reading) {
    metrics_.SetTemperature(reading.state == ThermalState::kOk
                                ? reading.celsius()
                                : std::numeric_limits<float>::quiet_NaN());
  });
  if (options_.metrics.empty()) return;
  server_.emplace(options_.metrics, &metrics_, stop, begin);
  std::fprintf(stderr, "octet-camera: http://%s/metrics\n", server_->address().Text().c_str());
}

void Telemetry::Add(const CameraGuard& guard) {
  if (!guard_metrics_) return;
  guard_metrics_->Add(guard.decision());
  for (uint32_t i = 0; i < octet_probes_count(&guard.probes()); ++i) {
    octet_probe_info info;
    octet_probes_info(&guard.probes(), i, &info);
    const float error = info.error < 0 ? std::numeric_limits<float>::quiet_NaN() : info.error;
    metrics_.SetLayer(i, error, info.saturation, info.range_share);
  }
}

// A refusal is a model that was not taken; a model that was taken and rolled back is none.
static std::optional<FlashRefusal> RefusalOf(octet_slots_code code) {
  switch (code) {
    case OCTET_SLOTS_STORAGE:
    case OCTET_SLOTS_READ_BACK:
    case OCTET_SLOTS_FULL:
      return FlashRefusal::kStorage;
    case OCTET_SLOTS_BLOB:
    case OCTET_SLOTS_CHANGED:
      return FlashRefusal::kDamaged;
    case OCTET_SLOTS_UNSIGNED:
    case OCTET_SLOTS_SIGNATURE:
      return FlashRefusal::kSignature;
    case OCTET_SLOTS_COUNTER:
      return FlashRefusal::kCounter;
    case OCTET_SLOTS_BOARD:
    case OCTET_SLOTS_WHITELIST:
      return FlashRefusal::kBoard;
    case OCTET_SLOTS_SELF_TEST:
      return FlashRefusal::kSelfTest;
    default:
      return std::nullopt;
  }
}

void Telemetry::Add(const octet_slots_info& store) {
  if (store_ && store.sequence != store_->sequence) {
    const auto refusal = RefusalOf(store.last_refusal);
    // Of several since the last look the reason of the last one.
    for (uint32_t i = store_->refusals; i != store.refusals; ++i) {
      if (refusal) {
        metrics_.CountFlashRefusal(*refusal);
      } else {
        metrics_.CountSlot(SlotEvent::kRollback);
      }
    }
    if (store.pending != OCTET_SLOT_NONE && store_->pending == OCTET_SLOT_NONE) {
      metrics_.CountSlot(SlotEvent::kActivate);
    } else if (store_->pending != OCTET_SLOT_NONE && store.active == store_->pending) {
      metrics_.CountSlot(SlotEvent::kConfirm);
    }
  }
  store_ = store;
}

float Telemetry::Celsius(uint64_t now_ns) const {
  if (!thermal_) return std::numeric_limits<float>::quiet_NaN();
  const ThermalMonitor::Latest latest = thermal_->At(now_ns);
  return latest.reading.state == ThermalState::kOk && latest.age_ns < kOldNs
             ? latest.reading.celsius()
             : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace octet::port
