#include "runtime/decode/text.h"

namespace octet {

uint32_t ReadText(const DecodeInput& in, ClassScore* characters, uint32_t capacity) {
  const blob::DecodeRecord& record = *in.record;
  const blob::DecodeLevel& level = in.levels[0];
  uint32_t count = 0;
  uint32_t last = record.background;
  for (uint32_t step = 0; step < level.grid_w && count < capacity; ++step) {
    const Strided values = {FieldAt(level.scores, in.outputs, 0, 0, step),
                            level.scores.channel_step};
    uint32_t best = BestChannel(record, values);
    if (best == blob::kNone) best = record.background;
    if (best != record.background && best != last) {
      characters[count++] = ScoreOfChannel(record, values, best);
    }
    last = best;
  }
  return count;
}

}  // namespace octet
