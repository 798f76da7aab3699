// What the protocols share.
#ifndef OCTET_PORTS_LINUX_SERVE_ENGINE_CONTEXT_H_
#define OCTET_PORTS_LINUX_SERVE_ENGINE_CONTEXT_H_

#include "ports/linux/serve/engine/fair_queue.h"
#include "ports/linux/serve/engine/numbers.h"
#include "ports/linux/serve/engine/workers.h"

namespace octet::port::serve {

// Rows of Frigate's answer. Its DeepStack client writes a 21st prediction beyond its array.
constexpr size_t kMostAnswers = 20;
// Pixels of a picture: 7680 x 4320 and a little.
constexpr uint64_t kMostPixels = 34'000'000;

struct Context {
  FairQueue* queue;
  Workers* workers;
  Numbers* numbers;
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ENGINE_CONTEXT_H_
