#include <string.h>

#include "octet/guard.h"
#include "runtime/core/checked.h"
#include "runtime/core/sized.h"
#include "runtime/engine/c_api.h"
#include "runtime/format/guard_record.h"
#include "runtime/format/view.h"
#include "runtime/guard/from_blob.h"

using octet::blob::GuardRecord;

namespace octet {
namespace guard {

octet_status FindRecord(const void* file, size_t blob_bytes, const uint8_t** bytes,
                        uint32_t* byte_count) {
  *bytes = nullptr;
  *byte_count = 0;
  octet::BlobView view;
  const octet::Status status = octet::ViewSections(file, blob_bytes, &view);
  if (!octet::IsOk(status)) return ToC(status);
  Bytes section;
  const Status found = FindSection(view, blob::SectionKind::kGuard, &section);
  if (!IsOk(found)) return ToC(found);
  if (section.data == nullptr) return {OCTET_OK, 0};
  *bytes = section.data;
  *byte_count = section.bytes;
  GuardRecord record = {};
  if (section.bytes >= sizeof(record)) memcpy(&record, *bytes, sizeof(record));
  if (record.record_bytes < sizeof(record) || record.zones_bytes > section.bytes - sizeof(record) ||
      (record.zones_bytes != 0 && (*bytes)[sizeof(record) + record.zones_bytes - 1] != 0) ||
      record.probe_count > blob::kMostProbes || record.probes_offset % 4 != 0 ||
      !InRange(record.probes_offset, record.probe_count, sizeof(blob::ProbeRecord),
               section.bytes)) {
    return {OCTET_MALFORMED, section.offset};
  }
  return {OCTET_OK, 0};
}

}  // namespace guard
}  // namespace octet

octet_status octet_guard_from_blob(const void* blob, size_t blob_bytes,
                                   octet_guard_config* config) {
  octet_blob_info info;
  octet_status status = octet_blob_describe(blob, blob_bytes, &info);
  if (status.code != OCTET_OK) return status;
  const uint8_t* bytes;
  uint32_t byte_count;
  status = octet::guard::FindRecord(blob, blob_bytes, &bytes, &byte_count);
  if (status.code != OCTET_OK) return status;
  if (!octet::IsSized(config)) return {OCTET_INVALID_ARGUMENT, 0};
  octet_guard_config own;
  octet_guard_defaults(&own, info.plan_count);
  if (bytes != nullptr) {
    GuardRecord r;
    memcpy(&r, bytes, sizeof(r));
    own.home_plan = r.home_plan;
    own.trip_score = r.trip_score;
    own.trip_frames = r.trip_frames;
    own.return_score = r.return_score;
    own.return_frames = r.return_frames;
    own.dwell_ms = r.dwell_ms;
    own.dwell_max_ms = r.dwell_max_ms;
    for (uint32_t i = 0; i < OCTET_GUARD_SIGNALS; ++i) own.weights[i] = r.weights[i];
    own.reference_score = r.reference_score;
    own.shadow_every = r.shadow_every;
    own.policy = r.policy;
    own.enter_mc = r.enter_mc;
    own.leave_mc = r.leave_mc;
    own.throttle_mc = r.throttle_mc;
    own.heat_dwell_ms = r.heat_dwell_ms;
    own.sensor_lost_ms = r.sensor_lost_ms;
    own.sensor_stuck_ms = r.sensor_stuck_ms;
    octet_guard guard;
    if (octet_guard_init(&guard, &own, 0).code != OCTET_OK) {
      const auto offset = static_cast<size_t>(bytes - static_cast<const uint8_t*>(blob));
      return {OCTET_MALFORMED, static_cast<uint32_t>(offset)};
    }
  }
  octet::WriteSized(own, config);
  return {OCTET_OK, 0};
}

const char* octet_guard_zones(const void* blob, size_t blob_bytes, size_t* zones_bytes) {
  const uint8_t* bytes;
  uint32_t byte_count;
  *zones_bytes = 0;
  if (octet::guard::FindRecord(blob, blob_bytes, &bytes, &byte_count).code != OCTET_OK ||
      bytes == nullptr) {
    return "";
  }
  GuardRecord record;
  memcpy(&record, bytes, sizeof(record));
  *zones_bytes = record.zones_bytes;
  return reinterpret_cast<const char*>(bytes) + sizeof(record);
}

uint32_t octet_guard_latency_budget_us(const void* blob, size_t blob_bytes) {
  const uint8_t* bytes;
  uint32_t byte_count;
  if (octet::guard::FindRecord(blob, blob_bytes, &bytes, &byte_count).code != OCTET_OK ||
      bytes == nullptr) {
    return 0;
  }
  GuardRecord record;
  memcpy(&record, bytes, sizeof(record));
  return record.latency_budget_us;
}
