// Instructions of one inference without an operating system, by layer. For an emulator whose clock
// is the number of instructions executed (QEMU's -icount): a loop of known length says how many of
// them a tick is. The input is a fixed pattern of bytes, written to the input tensor itself: what
// quantizes a picture is not part of it, nor is what reads the outputs.
#include "octet/octet.h"
#include "ports/template/board.h"

extern "C" const unsigned char octet_model[], octet_model_end[];

namespace {

using octet::board::Write;

constexpr size_t kArenaBytes = 128 * 1024;
OCTET_BOARD_WORK unsigned char arena[kArenaBytes];

void WriteNumber(uint64_t number) {
  char text[21] = {};
  char* at = text + sizeof(text) - 1;
  do {
    *--at = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  Write(at);
}

void WriteLine(const char* what, uint64_t number) {
  Write(what);
  Write(" ");
  WriteNumber(number);
  Write("\n");
}

int Refuse(const char* what, octet_status status) {
  Write(what);
  Write(": ");
  Write(octet_code_name(status.code));
  WriteLine(" at byte", status.offset);
  return 2;
}

// Ticks of 2^24 instructions: two a round.
constexpr uint32_t kRounds = 1u << 23;
uint64_t TicksOfRounds() {
  const uint64_t begin = octet::board::Ticks();
  uint32_t rounds = kRounds;
  __asm__ volatile("1:\n\tsubs %0, %0, #1\n\tbne 1b" : "+r"(rounds)::"cc");
  return octet::board::Ticks() - begin;
}

// Of the bytes of all output tensors (FNV-1a), to compare levels.
uint32_t HashOutputs(octet_session* session) {
  uint32_t hash = 2166136261u;
  for (uint32_t output = 0; output < octet_output_count(session); ++output) {
    for (uint32_t part = 0; part < octet_output_part_count(session, output); ++part) {
      octet_tensor_view view;
      octet_output_view(session, output, part, &view);
      const auto* bytes = static_cast<const unsigned char*>(view.data);
      for (size_t i = 0; i < view.bytes; ++i) hash = (hash ^ bytes[i] ^ view.sign) * 16777619u;
    }
  }
  return hash;
}

}  // namespace

int main() {
  octet::board::Start();
  const auto blob_bytes = static_cast<size_t>(octet_model_end - octet_model);
  size_t arena_bytes = 0;
  octet_status status =
      octet_arena_bytes(octet_model, blob_bytes, OCTET_BENCH_ISA, 1, 1, &arena_bytes);
  if (status.code != OCTET_OK) return Refuse("model", status);
  octet_config config = {};
  config.isa = OCTET_BENCH_ISA;
  config.plan_mask = 1;
  config.ticks = octet::board::Ticks;
  octet_session* session = nullptr;
  status = octet_bind(octet_model, blob_bytes, arena, sizeof(arena), &config, &session);
  if (status.code != OCTET_OK) return Refuse("bind", status);

  octet_tensor_view input;
  octet_input_view(session, 0, &input);
  auto* bytes = static_cast<unsigned char*>(input.data);
  uint32_t state = 1;  // a linear congruential generator, high byte
  for (size_t i = 0; i < input.bytes; ++i) {
    state = state * 1664525u + 1013904223u;
    bytes[i] = static_cast<unsigned char>(state >> 24);
  }
  const uint64_t round_ticks = TicksOfRounds();
  const uint64_t begin = octet::board::Ticks();
  octet_run(session);
  const uint64_t ticks = octet::board::Ticks() - begin;

  for (uint32_t i = 0; i < octet_layer_count(session); ++i) {
    octet_layer_info layer;
    octet_layer(session, i, &layer);
    Write("layer ");
    Write(layer.op);
    Write(" ");
    Write(layer.kernel);
    Write(" ");
    WriteNumber(layer.macs);
    WriteLine("", layer.ticks);
  }
  const octet::board::Memory memory = octet::board::MeasureMemory();
  WriteLine("round_ticks", round_ticks);
  WriteLine("ticks", ticks);
  WriteLine("macs", octet_macs(session));
  const bool in_flash = memory.flash_bytes > blob_bytes;
  WriteLine("flash_bytes", memory.flash_bytes - (in_flash ? blob_bytes : 0));
  WriteLine("blob_bytes", blob_bytes);
  WriteLine("arena_bytes", arena_bytes);
  WriteLine("stack_bytes", memory.stack_bytes);
  WriteLine("hash", HashOutputs(session));
  return 0;
}
