/* How firmware uses a model: the blob is linked into the image (model.S), the arena is one static
 * array, and nothing is allocated, opened or parsed. `octet-run --json` and `octet inspect` print
 * the arena's exact size; make ARENA_BYTES that. Only Report() would differ on a board. */
#include <octet/octet.h>
#include <stdio.h>

#ifndef ARENA_BYTES
#define ARENA_BYTES (1 << 20)
#endif
#define MOST_VALUES (1 << 16)

extern const unsigned char octet_model[], octet_model_end[];

static _Alignas(64) unsigned char arena[ARENA_BYTES];
static float values[MOST_VALUES];

static int Report(const char* what, unsigned code, unsigned long number) {
  printf("%s %u %lu\n", what, code, number);
  return (int)code;
}

int main(void) {
  const size_t blob_bytes = (size_t)(octet_model_end - octet_model);
  const octet_config config = {
      .size = sizeof(config), .isa = OCTET_ISA_REFERENCE, .verify_hashes = OCTET_VERIFY_PORTABLE};
  octet_session* session;
  const octet_status status =
      octet_bind(octet_model, blob_bytes, arena, sizeof(arena), &config, &session);
  if (status.code != OCTET_OK) return Report("bind", status.code, status.offset);

  octet_tensor_info in = {.size = sizeof(in)}, out = {.size = sizeof(out)};
  octet_input_info(session, 0, &in);
  octet_output_info(session, 0, &out);
  if (in.element_count > MOST_VALUES || out.element_count > MOST_VALUES) {
    return Report("values", OCTET_SHAPE_MISMATCH, MOST_VALUES);
  }
  octet_set_input_f32(session, 0, values, in.element_count); /* a sensor would fill it */
  octet_run(session);
  octet_get_output(session, 0, values, out.element_count);
  unsigned long best = 0;
  for (size_t i = 1; i < out.element_count; ++i) {
    if (values[i] > values[best]) best = i;
  }
  return Report("largest output", OCTET_OK, best);
}
