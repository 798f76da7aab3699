/* One inference with the C API: minimal MODEL.octet. Prints the first output. */
#include <octet/octet.h>
#include <stdio.h>
#include <stdlib.h>

static _Alignas(64) unsigned char blob[1 << 24], arena[1 << 24];
static float input[1 << 21], output[1 << 20];

int main(int argc, char** argv) {
  if (argc != 2) return fprintf(stderr, "usage: minimal MODEL.octet\n"), 2;
  FILE* file = fopen(argv[1], "rb");
  if (file == NULL) return fprintf(stderr, "%s: cannot be opened; check the path\n", argv[1]), 2;
  size_t blob_bytes = fread(blob, 1, sizeof(blob), file);
  int is_whole = fgetc(file) == EOF;
  fclose(file);
  if (!is_whole)
    return fprintf(stderr, "%s: more than %zu bytes; enlarge blob[]\n", argv[1], sizeof(blob)), 2;

  octet_config config = {
      .size = sizeof(config), .isa = OCTET_ISA_REFERENCE, .verify_hashes = OCTET_VERIFY_PORTABLE};
  octet_session* session;
  octet_status status = octet_bind(blob, blob_bytes, arena, sizeof(arena), &config, &session);
  if (status.code == OCTET_ARENA_TOO_SMALL) fprintf(stderr, "enlarge arena[]: ");
  if (status.code != OCTET_OK) {
    fprintf(stderr, "%s: %s at byte %u\n", argv[1], octet_code_name(status.code), status.offset);
    return 2;
  }
  octet_tensor_info in = {.size = sizeof(in)}, out = {.size = sizeof(out)};
  octet_input_info(session, 0, &in);
  octet_output_info(session, 0, &out);
  if (in.element_count > 1 << 21 || out.element_count > 1 << 20) {
    fprintf(stderr, "%u numbers in, %u out; enlarge input[] or output[]\n",
            (unsigned)in.element_count, (unsigned)out.element_count);
    return 2;
  }

  octet_set_input_f32(session, 0, input, in.element_count); /* all zeros */
  octet_run(session);
  octet_get_output(session, 0, output, out.element_count);
  for (size_t i = 0; i < out.element_count; ++i) printf("%g\n", output[i]);
  return 0;
}
