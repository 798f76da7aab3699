// Functions of one variable: a 256-entry table for int8, float arithmetic for FP16. In place
// allowed.
#ifndef OCTET_KERNELS_UNARY_UNARY_H_
#define OCTET_KERNELS_UNARY_UNARY_H_

#include "runtime/format/blob.h"
#include "runtime/kernels/share.h"

namespace octet {

struct TableS8Args {
  const uint8_t* input;
  uint8_t* output;
  uint32_t count;
  const int8_t* table;  // indexed by q + 128
  uint8_t sign;
};
typedef void (*TableS8Fn)(const TableS8Args& args, Share share);

// A table a channel: q_out[p][c] = tables[index[c]][q[p][c] + 128].
struct ChannelTableS8Args {
  const uint8_t* input;
  uint8_t* output;
  uint32_t pixels, channels;
  const int8_t* tables;  // of 256 entries each
  const uint8_t* index;  // by channel
  uint8_t sign;
};
typedef void (*ChannelTableS8Fn)(const ChannelTableS8Args& args, Share share);

struct UnaryF16Args {
  const uint16_t* input;
  uint16_t* output;
  uint32_t count;
  blob::Function function;
  float alpha, beta;
};
typedef void (*UnaryF16Fn)(const UnaryF16Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_UNARY_UNARY_H_
