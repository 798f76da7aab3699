// Drift recalibration over a session: octet/drift.h.
#include "octet/drift.h"

#include <string.h>

#include "runtime/core/bytes.h"
#include "runtime/core/sized.h"
#include "runtime/drift/log2.h"
#include "runtime/drift/record.h"
#include "runtime/engine/c_api.h"

using octet::Code;
using octet::Session;
using octet::SessionOf;
using octet::ToC;
using octet::drift::Bank;
using octet::drift::Record;
using octet::drift::Rounds;

namespace {

octet_drift_info InfoOf(const octet::drift::Section& section) {
  octet_drift_info info = {};
  info.group_count = section.record->group_count;
  info.layer_count = section.record->layer_count;
  info.plan = section.record->plan;
  info.observe_plan = section.record->observe_plan;
  return info;
}

bool IsAnyMoved(const Bank& bank, const int8_t* steps) {
  for (uint32_t g = 0; g < bank.rounds.group_count; ++g) {
    if (steps[g] != 0) return true;
  }
  return false;
}

// The plan with these steps; false: it cannot run so, and the blob's own scales run instead.
bool Use(Session* session, const int8_t* steps) {
  Bank* bank = session->drift;
  const bool moves = IsAnyMoved(*bank, steps);
  const bool runs = !moves || octet::drift::Fill(session->blob, steps, octet::MakeLayerView,
                                                 octet::LayerViewCheck, bank);
  bank->moved = moves && runs;
  octet::SelectPlan(session, session->plan);
  return runs;
}

void Checksum(const Record& record, uint8_t digest[octet::kSha256Bytes]) {
  octet::Sha256Of(reinterpret_cast<const uint8_t*>(&record), offsetof(Record, sha256),
                  octet::Sha256BlocksPortable, digest);
}

}  // namespace

octet_status octet_drift_describe(const void* blob, size_t blob_bytes, octet_drift_info* info) {
  if (!octet::IsSized(info)) return ToC(Code::kInvalidArgument);
  octet::BlobView view;
  octet::Status status =
      octet::ValidateBlob(blob, blob_bytes, nullptr, 0, octet::OperatorRules(), &view);
  octet_drift_info own = {};
  octet::drift::Section section;
  if (octet::IsOk(status) && view.drift.data != nullptr) {
    status = octet::drift::ViewSection(view, &section);
    if (octet::IsOk(status)) own = InfoOf(section);
  }
  if (octet::IsOk(status)) octet::WriteSized(own, info);
  return octet_status{static_cast<octet_code>(status.code), status.offset};
}

octet_status octet_drift_bound(const octet_session* session, octet_drift_info* info) {
  if (SessionOf(session)->drift == nullptr || !octet::IsSized(info))
    return ToC(Code::kInvalidArgument);
  octet::WriteSized(InfoOf(SessionOf(session)->drift->section), info);
  return ToC(Code::kOk);
}

octet_status octet_drift_configure(octet_session* session, const octet_drift_config* config) {
  octet_drift_config own = {};
  if (SessionOf(session)->drift == nullptr || !octet::ReadSized(config, &own)) {
    return ToC(Code::kInvalidArgument);
  }
  // Sums of logarithms and of agreements stay far within 32 bits.
  constexpr uint32_t kMostFrames = 1000;
  if (own.fit_frames == 0 || own.fit_frames > kMostFrames || own.judge_frames == 0 ||
      own.judge_frames > kMostFrames || own.gain > 1000 ||
      own.fidelity_gain > 100 * static_cast<uint32_t>(octet::drift::kLogUnit)) {
    return ToC(Code::kInvalidArgument);
  }
  octet::drift::Configure(own, &SessionOf(session)->drift->rounds);
  return ToC(Code::kOk);
}

octet_drift_role octet_drift_role_now(const octet_session* session) {
  const Bank* bank = SessionOf(session)->drift;
  const octet_drift_role none = OCTET_DRIFT_FIT;
  return bank == nullptr ? none : bank->rounds.role;
}

void octet_drift_observe(octet_session* session, uint32_t layer) {
  Session* s = SessionOf(session);
  if (s->drift == nullptr || s->plan != s->drift->section.record->observe_plan) return;
  const octet::PlanView& plan = s->drift->section.observe;
  const auto look = [s, &plan](uint32_t tensor) {
    const octet::blob::TensorRecord& seen = plan.tensors[tensor];
    if (seen.type != octet::blob::ElementType::kFp16) return;
    octet::drift::Observe(s->drift->section, tensor,
                          reinterpret_cast<const uint16_t*>(s->tensors + seen.arena_offset),
                          seen.bytes / sizeof(uint16_t), &s->drift->rounds);
  };
  if (layer != 0) {
    if (layer <= plan.header->layer_count) look(plan.layers[layer - 1].output);
    return;
  }
  for (uint32_t i = 0; i < s->blob.model->input_count; ++i) {
    look(octet::PlanInputTensor(s->blob, *plan.record, i));
  }
}

octet_drift_event octet_drift_fitted(octet_session* session) {
  Session* s = SessionOf(session);
  if (s->drift == nullptr || s->drift->rounds.role != OCTET_DRIFT_FIT) return OCTET_DRIFT_NOTHING;
  Rounds& rounds = s->drift->rounds;
  bool over = false;
  if (!octet::drift::EndFit(s->drift->section, &rounds, &over)) {
    return over ? OCTET_DRIFT_STEADY : OCTET_DRIFT_NOTHING;
  }
  // Can it run at all? Better known before frames are spent on it.
  const bool runs = Use(s, rounds.candidate);
  Use(s, rounds.current);
  if (!runs) return OCTET_DRIFT_UNFIT;
  rounds.role = OCTET_DRIFT_JUDGE;
  return OCTET_DRIFT_PROPOSED;
}

octet_status octet_drift_use(octet_session* session, octet_drift_scales scales) {
  Session* s = SessionOf(session);
  if (s->drift == nullptr || scales > OCTET_DRIFT_CANDIDATE ||
      (scales == OCTET_DRIFT_CANDIDATE && s->drift->rounds.role != OCTET_DRIFT_JUDGE)) {
    return ToC(Code::kInvalidArgument);
  }
  const Rounds& rounds = s->drift->rounds;
  return ToC(Use(s, scales == OCTET_DRIFT_CURRENT ? rounds.current : rounds.candidate)
                 ? Code::kOk
                 : Code::kMalformed);
}

octet_drift_event octet_drift_judged(octet_session* session, const octet_drift_answer* current,
                                     const octet_drift_answer* candidate) {
  Session* s = SessionOf(session);
  if (s->drift == nullptr || s->drift->rounds.role != OCTET_DRIFT_JUDGE) {
    return OCTET_DRIFT_NOTHING;
  }
  Rounds& rounds = s->drift->rounds;
  bool over = false;
  const bool better = octet::drift::EndJudge(*current, *candidate, &rounds, &over);
  if (better) memcpy(rounds.current, rounds.candidate, sizeof(rounds.current));
  Use(s, rounds.current);
  return better ? OCTET_DRIFT_KEPT : over ? OCTET_DRIFT_DROPPED : OCTET_DRIFT_NOTHING;
}

uint32_t octet_drift_moved(const octet_session* session, int32_t* largest) {
  const Bank* bank = SessionOf(session)->drift;
  uint32_t moved = 0;
  int32_t most = 0;
  for (uint32_t g = 0; bank != nullptr && g < bank->rounds.group_count; ++g) {
    const auto steps = int32_t{bank->rounds.current[g]};
    moved += steps != 0 ? 1 : 0;
    if ((steps < 0 ? -steps : steps) > (most < 0 ? -most : most)) most = steps;
  }
  if (largest != nullptr) *largest = most;
  return moved;
}

octet_status octet_drift_save(octet_session* session, octet_drift_record* out) {
  Session* s = SessionOf(session);
  if (s->drift == nullptr || out == nullptr) return ToC(Code::kInvalidArgument);
  Rounds& rounds = s->drift->rounds;
  Record record = {};
  memcpy(record.magic, octet::drift::kRecordMagic, sizeof(record.magic));
  record.version = octet::drift::kRecordVersion;
  record.group_count = static_cast<uint16_t>(rounds.group_count);
  record.sequence = ++rounds.sequence;
  memcpy(record.digest, s->blob.header->sha256, sizeof(record.digest));
  memcpy(record.steps, rounds.current, sizeof(record.steps));
  Checksum(record, record.sha256);
  memcpy(out->bytes, &record, sizeof(record));
  return ToC(Code::kOk);
}

octet_status octet_drift_load(octet_session* session, const octet_drift_record* in) {
  Session* s = SessionOf(session);
  if (s->drift == nullptr || in == nullptr) return ToC(Code::kInvalidArgument);
  Rounds& rounds = s->drift->rounds;
  Record record;
  memcpy(&record, in->bytes, sizeof(record));
  uint8_t digest[octet::kSha256Bytes];
  Checksum(record, digest);
  if (!octet::SameBytes(record.magic, octet::drift::kRecordMagic, sizeof(record.magic)) ||
      !octet::SameBytes(record.sha256, digest, sizeof(digest)) ||
      record.version != octet::drift::kRecordVersion) {
    return ToC(Code::kCorrupt);
  }
  if (!octet::SameBytes(record.digest, s->blob.header->sha256, sizeof(record.digest))) {
    return ToC(Code::kInvalidArgument);
  }
  // A checksum is no signature: whoever can write the storage can make one.
  bool sound = record.group_count == rounds.group_count;
  for (uint32_t g = 0; g < octet::blob::kMostDriftGroups; ++g) {
    const int32_t most = g < rounds.group_count ? octet::drift::kMostSteps : 0;
    sound = sound && record.steps[g] >= -most && record.steps[g] <= most;
  }
  if (!sound || !Use(s, record.steps)) {
    Use(s, rounds.current);
    return ToC(Code::kMalformed);
  }
  memcpy(rounds.current, record.steps, sizeof(rounds.current));
  rounds.sequence = record.sequence;
  octet::drift::BeginRound(&rounds);
  return ToC(Code::kOk);
}
