/* One inference with the C API, as fast as possible on this machine: fastest MODEL.octet [THREADS].
 * Finds the best instruction set, starts threads, sizes the arena for both, binds, runs. Prints the
 * first output: the same numbers as at every other level and thread count. */
#include <octet/linux.h>
#include <stdio.h>
#include <stdlib.h>

/* octet.h requires 64-byte aligned memory. */
static void* Allocate(size_t bytes) {
  return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void* ReadFile(const char* path, size_t* bytes) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  const long length = ftell(file);
  rewind(file);
  void* data = length > 0 ? Allocate((size_t)length) : NULL;
  *bytes = data == NULL ? 0 : fread(data, 1, (size_t)length, file);
  fclose(file);
  return data;
}

static int Fail(const char* what, octet_status status) {
  fprintf(stderr, "%s: %s at byte %u\n", what, octet_code_name(status.code), status.offset);
  return 2;
}

int main(int argc, char** argv) {
  size_t blob_bytes = 0;
  if (argc < 2) return fprintf(stderr, "usage: fastest MODEL.octet [THREADS]\n"), 2;
  void* blob = ReadFile(argv[1], &blob_bytes);
  if (blob == NULL) return fprintf(stderr, "%s: cannot be read; check the path\n", argv[1]), 2;
  const uint32_t threads = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 2;

  const octet_isa isa = octet_linux_best_isa();
  octet_linux_pool* pool = octet_linux_pool_start(threads);
  if (pool == NULL) return fprintf(stderr, "cannot start %u threads; give 1 to 256\n", threads), 2;

  const uint32_t plan_mask = 1; /* plan 0, the blob's first */
  size_t arena_bytes = 0;
  octet_status status = octet_arena_bytes(blob, blob_bytes, isa, threads, plan_mask, &arena_bytes);
  if (status.code != OCTET_OK) return Fail(argv[1], status);
  void* arena = Allocate(arena_bytes);
  if (arena == NULL)
    return fprintf(stderr, "no memory for an arena of %zu bytes\n", arena_bytes), 2;

  const octet_config config = {.size = sizeof(config),
                               .isa = isa,
                               .pool = octet_linux_pool_get(pool),
                               .verify_hashes = octet_linux_verify_mode(),
                               .plan_mask = plan_mask,
                               .cpu_features = octet_linux_cpu_features()};
  octet_session* session;
  status = octet_bind(blob, blob_bytes, arena, arena_bytes, &config, &session);
  if (status.code != OCTET_OK) return Fail(argv[1], status);
  fprintf(stderr, "%s, %u threads, an arena of %zu bytes\n", octet_isa_name(isa), threads,
          arena_bytes);

  octet_tensor_info in = {.size = sizeof(in)}, out = {.size = sizeof(out)};
  octet_input_info(session, 0, &in);
  octet_output_info(session, 0, &out);
  float* input = calloc(in.element_count, sizeof(float)); /* all zeros */
  float* output = calloc(out.element_count, sizeof(float));
  if (input == NULL || output == NULL) return 2;
  octet_set_input_f32(session, 0, input, in.element_count);
  octet_run(session);
  octet_get_output(session, 0, output, out.element_count);
  for (size_t i = 0; i < out.element_count; ++i) printf("%g\n", output[i]);

  octet_linux_pool_stop(pool);
  free(output);
  free(input);
  free(arena);
  free(blob);
  return 0;
}
