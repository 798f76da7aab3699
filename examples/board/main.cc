// Classifies pictures that are part of the image, without an operating system. Prints the memory
// that the program needs. data.S links in the blob and the pictures (binary PGM or PPM, one after
// the other). Only ports/template/board.h differs from board to board.
#include "octet/octet.h"
#include "ports/template/board.h"

#ifndef OCTET_ARENA_BYTES
#define OCTET_ARENA_BYTES (160 * 1024)
#endif
#ifndef OCTET_DECODE_BYTES
#define OCTET_DECODE_BYTES 1024
#endif
#ifndef OCTET_BOARD_ISA
#define OCTET_BOARD_ISA OCTET_ISA_REFERENCE
#endif
#ifndef OCTET_PLAN_MASK
#define OCTET_PLAN_MASK 0  // all
#endif

extern "C" const unsigned char octet_model[], octet_model_end[], octet_picture[],
    octet_picture_end[];

namespace {

using octet::board::Write;

OCTET_BOARD_WORK unsigned char arena[OCTET_ARENA_BYTES];
OCTET_BOARD_WORK unsigned char decode_memory[OCTET_DECODE_BYTES];

void WriteNumber(uint32_t number) {
  char text[11] = {};
  char* at = text + sizeof(text) - 1;
  do {
    *--at = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  Write(at);
}

void WriteLine(const char* what, size_t number) {
  Write(what);
  Write(" ");
  WriteNumber(static_cast<uint32_t>(number));
  Write("\n");
}

int Refuse(const char* what, octet_status status) {
  Write(what);
  Write(": ");
  Write(octet_code_name(status.code));
  WriteLine(" at byte", status.offset);
  return 2;
}

// "P5" or "P6", width, height, 255, with one space or line end after each, then the pixels. Returns
// false for anything else.
struct Picture {
  uint32_t width, height, channels;
  const unsigned char* pixels;
};
bool ReadPicture(const unsigned char* at, const unsigned char* end, Picture* picture) {
  uint32_t numbers[3] = {};
  if (end - at < 3 || at[0] != 'P' || (at[1] != '5' && at[1] != '6')) return false;
  picture->channels = at[1] == '5' ? 1 : 3;
  at += 3;
  for (uint32_t& number : numbers) {
    while (at < end && *at >= '0' && *at <= '9' && number < 65536)
      number = number * 10 + *at++ - '0';
    if (at++ >= end) return false;
  }
  *picture = {numbers[0], numbers[1], picture->channels, at};
  return numbers[0] < 65536 && numbers[1] < 65536 && numbers[2] == 255 &&
         static_cast<uint64_t>(end - at) >=
             uint64_t{picture->channels} * picture->width * picture->height;
}

// As bytes, so that two machines can be compared to the last bit.
void WriteOutputs(const octet_session* session) {
  octet_tensor_info info;
  octet_output_info(session, 0, &info);
  if (info.element_count > sizeof(decode_memory) / sizeof(float)) return;
  octet_get_output(session, 0, reinterpret_cast<float*>(decode_memory), info.element_count);
  Write("outputs_");
  Write(octet_plan_name(session, octet_plan(session)));
  Write(" ");
  for (size_t i = 0; i < info.element_count * sizeof(float); ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    const char text[3] = {kDigits[decode_memory[i] >> 4], kDigits[decode_memory[i] & 15], 0};
    Write(text);
  }
  Write("\n");
}

void WriteBudget(const octet_session* session, size_t blob_bytes, size_t picture_bytes,
                 size_t arena_bytes, uint64_t ticks) {
  const octet::board::Memory memory = octet::board::MeasureMemory();
  const size_t data_bytes = blob_bytes + picture_bytes;
  WriteLine("flash_bytes", memory.flash_bytes < data_bytes ? 0 : memory.flash_bytes - data_bytes);
  WriteLine("blob_bytes", blob_bytes);
  WriteLine("data_bytes", memory.data_bytes);
  WriteLine("arena_bytes", arena_bytes);
  WriteLine("decode_bytes", octet_decode_bytes(session));
  WriteLine("stack_bytes", memory.stack_bytes);
  WriteLine("ticks", static_cast<size_t>(ticks));
}

// Prints the result of every bound plan for the picture, and the ticks of the first plan.
uint64_t Classify(octet_session* session, const Picture& picture, octet_status* status) {
  uint64_t ticks = 0;
  bool is_first = true;
  for (uint32_t plan = 0; plan < octet_plan_count(session); ++plan) {
    if (octet_set_plan(session, plan).code != OCTET_OK) continue;  // not bound
    const uint64_t begin = octet::board::Ticks();
    *status = octet_set_input_image(session, 0, picture.pixels, picture.height, picture.width,
                                    picture.channels, size_t{picture.width} * picture.channels);
    if (status->code != OCTET_OK) return 0;
    octet_run(session);
    octet_class_score best;
    uint32_t count = 0;
    *status = octet_classify(session, decode_memory, &best, 1, &count);
    if (status->code != OCTET_OK) return 0;
    if (is_first) {
      ticks = octet::board::Ticks() - begin;
      const char* label = count == 0 ? nullptr : octet_label(session, best.label);
      Write("label ");
      Write(label == nullptr ? "?" : label);
      WriteLine(" permille", count == 0 ? 0 : static_cast<size_t>(best.score * 1000));
    }
    is_first = false;
    WriteOutputs(session);
  }
  return ticks;
}

}  // namespace

int main() {
  octet::board::Start();
  const size_t blob_bytes = static_cast<size_t>(octet_model_end - octet_model);
  size_t arena_bytes = 0, first_plan_bytes = 0;
  octet_status status =
      octet_arena_bytes(octet_model, blob_bytes, OCTET_BOARD_ISA, 1, OCTET_PLAN_MASK, &arena_bytes);
  if (status.code != OCTET_OK) return Refuse("model", status);
  octet_arena_bytes(octet_model, blob_bytes, OCTET_BOARD_ISA, 1, 1, &first_plan_bytes);
  octet_config config = {};
  config.isa = OCTET_BOARD_ISA;
  config.verify_hashes = OCTET_VERIFY_PORTABLE;
  config.plan_mask = OCTET_PLAN_MASK;
  config.ticks = octet::board::Ticks;
  octet_session* session = nullptr;
  status = octet_bind(octet_model, blob_bytes, arena, sizeof(arena), &config, &session);
  if (status.code != OCTET_OK) return Refuse("bind", status);
  if (octet_decode_bytes(session) > sizeof(decode_memory)) {
    return Refuse("decode memory", {OCTET_ARENA_TOO_SMALL, 0});
  }

  uint64_t ticks = 0;
  Picture picture = {};
  for (const unsigned char* at = octet_picture; at < octet_picture_end;
       at = picture.pixels + size_t{picture.width} * picture.height * picture.channels) {
    if (!ReadPicture(at, octet_picture_end, &picture)) {
      return Refuse("picture", {OCTET_INVALID_ARGUMENT, 0});
    }
    const uint64_t needed = Classify(session, picture, &status);
    if (status.code != OCTET_OK) return Refuse("classify", status);
    if (at == octet_picture) ticks = needed;
  }
  WriteBudget(session, blob_bytes, static_cast<size_t>(octet_picture_end - octet_picture),
              arena_bytes, ticks);
  WriteLine("arena_first_plan_bytes", first_plan_bytes);
  return 0;
}
