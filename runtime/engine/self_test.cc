// Golden vectors on a bound session.
#include "octet/self_test.h"

#include <string.h>

#include "octet/octet.hpp"
#include "octet/state.h"
#include "runtime/core/bytes.h"
#include "runtime/core/sized.h"
#include "runtime/engine/c_api.h"
#include "runtime/engine/transfer.h"
#include "runtime/format/golden.h"

using octet::Code;
using octet::GoldenView;
using octet::Session;
using octet::SessionOf;
using octet::Status;
using octet::ToC;

namespace {

octet_status SetInput(octet_session* session, uint32_t index, const octet::blob::GoldenInput& input,
                      const GoldenView& golden, float* memory) {
  const uint8_t* bytes = golden.section.data + input.offset;
  const size_t elements = octet::InputElements(SessionOf(session)->blob.inputs[index]);
  if (input.kind == octet::blob::GoldenKind::kPicture) {
    return octet_set_input_image(session, index, bytes, input.height, input.width, input.channels,
                                 (size_t)input.width * input.channels);
  }
  if (input.kind == octet::blob::GoldenKind::kValues) {
    return octet_set_input_f32(session, index, reinterpret_cast<const float*>(bytes), elements);
  }
  if (memory == nullptr) return ToC(Status{Code::kInvalidArgument, 0});
  octet::GoldenGenerator generator = {input.seed, input.low, input.high};
  for (size_t i = 0; i < elements; ++i) memory[i] = generator.Next();
  return octet_set_input_f32(session, index, memory, elements);
}

// While an object of this class exists, layers add in float.
class FloatSums {
 public:
  explicit FloatSums(octet_session* session)
      : session_(SessionOf(session)), before_(session_->half_sums) {
    session_->half_sums = false;
  }
  ~FloatSums() { session_->half_sums = before_; }

 private:
  Session* session_;
  bool before_;
};

}  // namespace

uint32_t octet_golden_count(const octet_session* session) {
  GoldenView golden;
  if (!IsOk(ViewGolden(SessionOf(session)->blob, &golden))) return 1;
  return golden.record == nullptr ? 0 : golden.record->vector_count;
}

size_t octet_golden_bytes(const octet_session* session) {
  const Session& s = *SessionOf(session);
  GoldenView golden;
  if (!IsOk(ViewGolden(s.blob, &golden)) || golden.record == nullptr) return 0;
  size_t most = 0;
  for (uint32_t v = 0; v < golden.record->vector_count; ++v) {
    for (uint32_t i = 0; i < golden.record->input_count; ++i) {
      if (GoldenInputOf(golden, v, i).kind != octet::blob::GoldenKind::kGenerated) continue;
      const size_t bytes = octet::InputElements(s.blob.inputs[i]) * sizeof(float);
      if (bytes > most) most = bytes;
    }
  }
  return most;
}

octet_status octet_golden_set(octet_session* session, uint32_t vector, void* memory) {
  GoldenView golden;
  const Status status = ViewGolden(SessionOf(session)->blob, &golden);
  if (!IsOk(status)) return ToC(status);
  if (golden.record == nullptr || vector >= golden.record->vector_count) {
    return ToC(Status{Code::kInvalidArgument, 0});
  }
  for (uint32_t i = 0; i < golden.record->input_count; ++i) {
    const octet_status set =
        SetInput(session, i, GoldenInputOf(golden, vector, i), golden, static_cast<float*>(memory));
    if (set.code != OCTET_OK) return set;
  }
  return ToC(octet::Ok());
}

octet_status octet_output_digest(const octet_session* session, uint32_t output,
                                 uint8_t digest[32]) {
  if (output >= octet_output_count(session) || digest == nullptr) {
    return ToC(Status{Code::kInvalidArgument, 0});
  }
  octet::Sha256 hash;
  octet::Sha256Start(&hash, octet::Sha256BlocksPortable);
  const Session& own = *SessionOf(session);
  const octet::PartRange range = PlanOutputParts(own.blob, CurrentPlan(own), output);
  for (uint32_t part = 0; part < range.count; ++part) {
    const octet::blob::TensorRecord& tensor =
        octet::TensorOf(own, own.blob.parts[range.first + part].tensor);
    const uint8_t* bytes = own.tensors + tensor.arena_offset;
    const uint8_t sign = tensor.type == octet::blob::ElementType::kInt8 ? own.sign : uint8_t{0};
    uint8_t plain[octet::kSha256BlockBytes];
    for (size_t at = 0; at < tensor.bytes; at += sizeof(plain)) {
      const size_t count = tensor.bytes - at < sizeof(plain) ? tensor.bytes - at : sizeof(plain);
      for (size_t i = 0; i < count; ++i) plain[i] = (uint8_t)(bytes[at + i] ^ sign);
      octet::Sha256Update(&hash, plain, count);
    }
  }
  octet::Sha256Finish(&hash, digest);
  return ToC(octet::Ok());
}

octet_status octet_self_test(octet_session* session, void* memory, octet_self_test_result* result) {
  if (!octet::IsSized(result)) return ToC(Status{Code::kInvalidArgument, 0});
  const FloatSums as_everywhere(session);
  const octet::RunAside aside(session);
  octet_reset(session);  // the vectors are one sequence
  octet_self_test_result own = {};
  octet::WriteSized(own, result);
  GoldenView golden;
  const Status status = ViewGolden(SessionOf(session)->blob, &golden);
  if (!IsOk(status) || golden.record == nullptr) return ToC(status);
  for (uint32_t v = 0; v < golden.record->vector_count; ++v) {
    octet_status step = octet_golden_set(session, v, memory);
    if (step.code == OCTET_OK) step = octet_run(session);
    if (step.code != OCTET_OK) return step;
    own.vectors = v + 1;
    for (uint32_t o = 0; o < golden.record->output_count; ++o) {
      own.vector = v;
      own.output = o;
      octet_output_digest(session, o, own.found);
      memcpy(own.expected, GoldenDigestOf(golden, octet_plan(session), v, o), sizeof(own.expected));
      if (octet::SameBytes(own.found, own.expected, sizeof(own.found))) continue;
      octet::WriteSized(own, result);
      return ToC(Status{Code::kCorrupt, 0});
    }
  }
  octet_self_test_result passed = {};
  passed.vectors = own.vectors;
  octet::WriteSized(passed, result);
  return ToC(octet::Ok());
}
