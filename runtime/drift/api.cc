// Drift recalibration over a session: octet/drift.h.
#include "octet/drift.h"

#include <string.h>

#include "runtime/core/bytes.h"
#include "runtime/core/sized.h"
#include "runtime/drift/feature.h"
#include "runtime/drift/log2.h"
#include "runtime/drift/record.h"
#include "runtime/engine/c_api.h"

using octet::Code;
using octet::Session;
using octet::SessionOf;
using octet::ToC;
using octet::drift::Bank;
using octet::drift::BankOf;
using octet::drift::FillAsWanted;
using octet::drift::Record;
using octet::drift::Rounds;
using octet::drift::RoundsOf;

namespace {

octet_drift_info InfoOf(const octet::drift::Section& section) {
  octet_drift_info info = {};
  info.group_count = section.record->group_count;
  info.layer_count = section.record->layer_count;
  info.plan = section.record->plan;
  info.observe_plan = section.record->observe_plan;
  return info;
}

// What a caller does between two frames: a frame that is not over ends.
Session* BetweenFrames(octet_session* session) {
  octet::CancelFrame(SessionOf(session));
  return SessionOf(session);
}

// The plan with these scales; false: it cannot run so, and the blob's own scales run instead.
bool Use(Session* session, octet_drift_scales scales) {
  Rounds* rounds = RoundsOf(*session);
  rounds->scales = scales;
  const bool runs = FillAsWanted(session->blob, *rounds, BankOf(*session));
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
  if (octet::IsOk(status)) {
    status = octet::drift::ViewSection(view, &section);
    if (octet::IsOk(status)) own = InfoOf(section);
    if (status.code == Code::kInvalidArgument) status = octet::Ok();  // it has none
  }
  if (octet::IsOk(status)) octet::WriteSized(own, info);
  return ToC(status);
}

octet_status octet_drift_bound(const octet_session* session, octet_drift_info* info) {
  const Bank* bank = BankOf(*SessionOf(session));
  if (bank == nullptr || !octet::IsSized(info)) return ToC(Code::kInvalidArgument);
  octet::WriteSized(InfoOf(bank->section), info);
  return ToC(Code::kOk);
}

octet_status octet_drift_configure(octet_session* session, const octet_drift_config* config) {
  octet_drift_config own = {};
  if (BankOf(*SessionOf(session)) == nullptr || !octet::ReadSized(config, &own) ||
      !octet::drift::IsConfig(own)) {
    return ToC(Code::kInvalidArgument);
  }
  octet::drift::Configure(own, RoundsOf(*BetweenFrames(session)));
  return ToC(Code::kOk);
}

octet_drift_role octet_drift_role_now(const octet_session* session) {
  const Session& s = *SessionOf(session);
  const octet_drift_role none = OCTET_DRIFT_FIT;
  return BankOf(s) == nullptr ? none : RoundsOf(s)->role;
}

void octet_drift_observe(octet_session* session, uint32_t layer) {
  Session* s = SessionOf(session);
  Bank* bank = BankOf(*s);
  if (bank == nullptr || s->plan != bank->section.record->observe_plan) return;
  const octet::PlanView& plan = bank->section.observe;
  const auto look = [s, bank, &plan](uint32_t tensor) {
    const octet::blob::TensorRecord& seen = plan.tensors[tensor];
    if (seen.type != octet::blob::ElementType::kFp16) return;
    octet::drift::Observe(bank->section, tensor,
                          reinterpret_cast<const uint16_t*>(s->tensors + seen.arena_offset),
                          seen.bytes / sizeof(uint16_t), &bank->peaks);
  };
  if (layer != 0) {
    if (layer <= plan.header->layer_count) look(plan.layers[layer - 1].output);
    return;
  }
  memset(&bank->peaks, 0, sizeof(bank->peaks));  // those of a run that was cancelled, too
  for (uint32_t i = 0; i < s->blob.model->input_count; ++i) {
    look(octet::PlanInputTensor(s->blob, *plan.record, i));
  }
}

octet_drift_event octet_drift_fitted(octet_session* session) {
  Session* s = BetweenFrames(session);
  Bank* bank = BankOf(*s);
  if (bank == nullptr || RoundsOf(*s)->role != OCTET_DRIFT_FIT) return OCTET_DRIFT_NOTHING;
  Rounds& rounds = *RoundsOf(*s);
  bool over = false;
  const bool differs = octet::drift::EndFit(bank->section, bank->peaks, &rounds, &over);
  memset(&bank->peaks, 0, sizeof(bank->peaks));
  if (!differs) return over ? OCTET_DRIFT_STEADY : OCTET_DRIFT_NOTHING;
  // Can it run at all? Better known before frames are spent on it.
  const bool runs = Use(s, OCTET_DRIFT_CANDIDATE);
  Use(s, OCTET_DRIFT_CURRENT);
  if (!runs) return OCTET_DRIFT_UNFIT;
  rounds.role = OCTET_DRIFT_JUDGE;
  return OCTET_DRIFT_PROPOSED;
}

octet_status octet_drift_use(octet_session* session, octet_drift_scales scales) {
  Session* s = BetweenFrames(session);
  if (BankOf(*s) == nullptr || scales > OCTET_DRIFT_CANDIDATE ||
      (scales == OCTET_DRIFT_CANDIDATE && RoundsOf(*s)->role != OCTET_DRIFT_JUDGE)) {
    return ToC(Code::kInvalidArgument);
  }
  return ToC(Use(s, scales) ? Code::kOk : Code::kMalformed);
}

octet_drift_event octet_drift_judged(octet_session* session, const octet_drift_answer* current,
                                     const octet_drift_answer* candidate) {
  Session* s = BetweenFrames(session);
  if (BankOf(*s) == nullptr || RoundsOf(*s)->role != OCTET_DRIFT_JUDGE) {
    return OCTET_DRIFT_NOTHING;
  }
  Rounds& rounds = *RoundsOf(*s);
  bool over = false;
  const bool better = octet::drift::EndJudge(*current, *candidate, &rounds, &over);
  if (better) memcpy(rounds.current, rounds.candidate, sizeof(rounds.current));
  Use(s, OCTET_DRIFT_CURRENT);
  return better ? OCTET_DRIFT_KEPT : over ? OCTET_DRIFT_DROPPED : OCTET_DRIFT_NOTHING;
}

uint32_t octet_drift_moved(const octet_session* session, int32_t* largest) {
  const Rounds* rounds = RoundsOf(*SessionOf(session));
  uint32_t moved = 0;
  int32_t most = 0;
  for (uint32_t g = 0; rounds != nullptr && g < rounds->group_count; ++g) {
    const auto steps = int32_t{rounds->current[g]};
    moved += steps != 0 ? 1 : 0;
    if ((steps < 0 ? -steps : steps) > (most < 0 ? -most : most)) most = steps;
  }
  if (largest != nullptr) *largest = most;
  return moved;
}

octet_status octet_drift_save(octet_session* session, octet_drift_record* out) {
  Session* s = SessionOf(session);
  if (BankOf(*s) == nullptr || out == nullptr) return ToC(Code::kInvalidArgument);
  Rounds& rounds = *RoundsOf(*s);
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
  Session* s = BetweenFrames(session);
  if (BankOf(*s) == nullptr || in == nullptr) return ToC(Code::kInvalidArgument);
  Rounds& rounds = *RoundsOf(*s);
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
  int8_t before[octet::blob::kMostDriftGroups];
  memcpy(before, rounds.current, sizeof(before));
  if (sound) memcpy(rounds.current, record.steps, sizeof(rounds.current));
  if (!sound || !Use(s, OCTET_DRIFT_CURRENT)) {
    memcpy(rounds.current, before, sizeof(before));
    Use(s, OCTET_DRIFT_CURRENT);
    return ToC(Code::kMalformed);
  }
  rounds.sequence = record.sequence;
  octet::drift::BeginRound(&rounds);
  return ToC(Code::kOk);
}
