// A blob on standard input, one inference of zeros at the level compiled in, the first output's
// floats on standard output. Exit status: 0, or the octet_code of what went wrong.
#include "octet/octet.h"

extern "C" {
long ReadInput(void* data, size_t bytes);
long WriteOutput(const void* data, size_t bytes);
long FreestandingMain();
}

namespace {

constexpr size_t kBlobLimit = 1 << 22, kArenaLimit = 1 << 22, kValueLimit = 1 << 16;
alignas(64) unsigned char blob_memory[kBlobLimit];
alignas(64) unsigned char arena_memory[kArenaLimit];
float values[kValueLimit];

}  // namespace

long FreestandingMain() {
  size_t blob_bytes = 0;
  for (;;) {
    const long count = ReadInput(blob_memory + blob_bytes, kBlobLimit - blob_bytes);
    if (count <= 0) break;
    blob_bytes += static_cast<size_t>(count);
  }
  octet_config config = {};
  config.isa = OCTET_FREESTANDING_ISA;
  config.verify_hashes = OCTET_VERIFY_PORTABLE;
  config.plan_mask = OCTET_FREESTANDING_PLANS;
  octet_session* session = nullptr;
  octet_status status =
      octet_bind(blob_memory, blob_bytes, arena_memory, kArenaLimit, &config, &session);
  if (status.code != OCTET_OK) return status.code;
  for (uint32_t i = 0; i < octet_input_count(session); ++i) {
    octet_tensor_info info;
    octet_input_info(session, i, &info);
    if (info.element_count > kValueLimit) return OCTET_SHAPE_MISMATCH;
    octet_set_input_f32(session, i, values, info.element_count);
  }
  octet_run(session);
  octet_tensor_info info;
  octet_output_info(session, 0, &info);
  if (info.element_count > kValueLimit) return OCTET_SHAPE_MISMATCH;
  octet_get_output(session, 0, values, info.element_count);
  const size_t bytes = info.element_count * sizeof(float);
  return WriteOutput(values, bytes) == static_cast<long>(bytes) ? 0 : OCTET_INVALID_ARGUMENT;
}
