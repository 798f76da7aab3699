// Runs of bytes at even distances, such as the channels of pixels: what Concat and Slice come down
// to. Input and output do not overlap, nor do the runs of the output. Nothing outside of the runs
// is read or written.
#ifndef OCTET_KERNELS_MOVE_COPY_RUNS_H_
#define OCTET_KERNELS_MOVE_COPY_RUNS_H_

#include <stddef.h>

#include "runtime/kernels/share.h"

namespace octet {

struct CopyRunsArgs {
  uint8_t* to;
  const uint8_t* from;
  uint64_t to_step, from_step;  // bytes from run to run
  uint64_t count;               // of runs
  size_t bytes;                 // of a run, at least 1
};
// The runs are part of one thread's share already: kernels take them whole, whatever `share` says.
typedef void (*CopyRunsFn)(const CopyRunsArgs& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_MOVE_COPY_RUNS_H_
