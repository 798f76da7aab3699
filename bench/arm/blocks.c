/* QEMU plugin (API version 1, QEMU 7.2 and later): which blocks of code a program ran and how
 * often, and how many cache lines its loads and stores fetched into a first and a second level of
 * cache. Written at exit into the file of `out=`:
 *
 *   lines L1 MISSES L2 MISSES       lines fetched into each level
 *   ADDRESS COUNT HEX               a block: where it begins, how often it ran, its bytes
 *
 * Caches are set-associative with the least recently used line replaced, and loads and stores alike
 * take a line: l1=BYTES:WAYS and l2=BYTES:WAYS, lines of 64 bytes; without l1= nothing is
 * simulated. One thread of the guest. The declarations are those of QEMU's documentation of its
 * plugin interface. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { kInlineAdd = 0, kNoRegisters = 0, kReadsAndWrites = 3 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
                                           void (*)(qemu_plugin_id_t, struct qemu_plugin_tb*));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void*), void*);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb*, int, void*, uint64_t);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn*,
                                      void (*)(unsigned, qemu_plugin_meminfo_t, uint64_t, void*),
                                      int, int, void*);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb*);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb*, size_t);
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn*);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn*);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;

enum { kLineBits = 6 };

typedef struct Block {
  struct Block* next;
  uint64_t address, count;
  size_t bytes;
  uint8_t code[];
} Block;

typedef struct Cache {
  uint64_t sets, ways, misses;
  uint64_t* lines; /* [sets][ways], the most recently used first; 0: empty */
} Cache;

static Block* blocks;
static Cache caches[2];
static char out[4096];

/* Whether the line was there; it is the most recent one from now on. */
static bool Touch(Cache* cache, uint64_t line) {
  uint64_t* set = cache->lines + line % cache->sets * cache->ways;
  uint64_t at = 0;
  while (at < cache->ways - 1 && set[at] != line) ++at;
  const bool found = set[at] == line;
  memmove(set + 1, set, at * sizeof(*set));
  set[0] = line;
  cache->misses += !found;
  return found;
}

static void Access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void* data) {
  (void)cpu, (void)data;
  const uint64_t last = (address + (1u << qemu_plugin_mem_size_shift(info)) - 1) >> kLineBits;
  for (uint64_t line = address >> kLineBits; line <= last; ++line) {
    if (!Touch(&caches[0], line) && caches[1].sets != 0) Touch(&caches[1], line);
  }
}

static void Translate(qemu_plugin_id_t id, struct qemu_plugin_tb* tb) {
  (void)id;
  const size_t count = qemu_plugin_tb_n_insns(tb);
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) bytes += qemu_plugin_insn_size(qemu_plugin_tb_get_insn(tb, i));
  Block* block = calloc(1, sizeof(Block) + bytes);
  block->address = qemu_plugin_tb_vaddr(tb);
  for (size_t i = 0; i < count; ++i) {
    struct qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(tb, i);
    const size_t size = qemu_plugin_insn_size(instruction);
    memcpy(block->code + block->bytes, qemu_plugin_insn_data(instruction), size);
    block->bytes += size;
    if (caches[0].sets != 0) {
      qemu_plugin_register_vcpu_mem_cb(instruction, Access, kNoRegisters, kReadsAndWrites, NULL);
    }
  }
  block->next = blocks;
  blocks = block;
  qemu_plugin_register_vcpu_tb_exec_inline(tb, kInlineAdd, &block->count, 1);
}

static void Write(qemu_plugin_id_t id, void* data) {
  (void)id, (void)data;
  FILE* file = fopen(out, "w");
  if (file == NULL) return;
  fprintf(file, "lines L1 %llu L2 %llu\n", (unsigned long long)caches[0].misses,
          (unsigned long long)caches[1].misses);
  for (const Block* block = blocks; block != NULL; block = block->next) {
    if (block->count == 0) continue;
    fprintf(file, "%llx %llu ", (unsigned long long)block->address,
            (unsigned long long)block->count);
    for (size_t i = 0; i < block->bytes; ++i) fprintf(file, "%02x", block->code[i]);
    fputc('\n', file);
  }
  fclose(file);
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc,
                                 char** argv) {
  (void)info;
  for (int i = 0; i < argc; ++i) {
    unsigned long long bytes, ways;
    int level;
    if (strncmp(argv[i], "out=", 4) == 0) {
      snprintf(out, sizeof(out), "%s", argv[i] + 4);
    } else if (sscanf(argv[i], "l%d=%llu:%llu", &level, &bytes, &ways) == 3 &&
               (level == 1 || level == 2)) {
      Cache* cache = &caches[level - 1];
      cache->ways = ways;
      cache->sets = bytes / ways >> kLineBits;
      cache->lines = calloc(cache->sets * ways, sizeof(uint64_t));
    } else {
      fprintf(stderr, "blocks: %s: not out=FILE, l1=BYTES:WAYS or l2=BYTES:WAYS\n", argv[i]);
      return 1;
    }
  }
  if (out[0] == '\0') return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, Translate);
  qemu_plugin_register_atexit_cb(id, Write, NULL);
  return 0;
}
