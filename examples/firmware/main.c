/* How firmware uses a model: the blob is linked into the image, the arena is one static array, and
 * nothing is allocated, opened or parsed. `octet embed model.octet -o model` writes model.S, which
 * has the blob, and model.h, which declares it and has the arena's size. Only Report() would
 * differ on a board. */
#include <octet/octet.h>
#include <stdio.h>

#include "model.h"

#define MOST_VALUES (1 << 16)

static _Alignas(64) unsigned char arena[MODEL_ARENA_BYTES_REFERENCE];
static float values[MOST_VALUES];

static int Report(const char* what, unsigned code, unsigned long number) {
  printf("%s %u %lu\n", what, code, number);
  return (int)code;
}

int main(void) {
  const octet_config config = {.size = sizeof(config),
                               .isa = OCTET_ISA_REFERENCE,
                               .verify_hashes = OCTET_VERIFY_PORTABLE,
                               .plan_mask = MODEL_PLAN_MASK};
  octet_session* session;
  const octet_status status =
      octet_bind(model_blob, MODEL_BLOB_BYTES, arena, sizeof(arena), &config, &session);
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
