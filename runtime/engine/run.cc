#include "runtime/engine/kept.h"

namespace octet {
namespace {

struct LayerTask {
  const Session* session;
  const BoundLayer* layer;
};

// One thread's share of one layer. The layer is over when all shares are: the pool's return is the
// barrier.
void RunShare(void* argument, uint32_t index) {
  const LayerTask& task = *static_cast<const LayerTask*>(argument);
  const Session& session = *task.session;
  const RunContext context = {session.blob.layouts.data,
                              session.tensors,
                              session.scratch + index * session.scratch_bytes,
                              KeptOf(session, *task.layer),
                              &session.kernels,
                              Share{index, session.thread_count},
                              session.sign,
                              session.half_sums};
  task.layer->run(task.layer->view, context);
}

}  // namespace

void RunLayer(Session* session, uint32_t layer) {
  BeforeLayer(session, layer);
  LayerTask task = {session, &session->layers[layer]};
  if (session->pool.run != nullptr) {
    session->pool.run(session->pool.context, RunShare, &task);
  } else {
    RunShare(&task, 0);
  }
  AfterLayer(session, layer);
}

Code Run(Session* session) {
  const uint32_t layer_count = CurrentPlan(*session).layer_count;
  uint64_t before = session->ticks != nullptr ? session->ticks() : 0;
  for (uint32_t k = 0; k < layer_count; ++k) {
    const uint32_t together = RunTogether(session, k);
    if (together != 0) {
      k += together - 1;
      continue;
    }
    if (session->before_layer != nullptr &&
        session->before_layer(session->before_layer_context, k) != 0) {
      CancelFrame(session);
      return Code::kCancelled;
    }
    RunLayer(session, k);
    if (session->ticks != nullptr) {
      const uint64_t now = session->ticks();
      session->layers[k].ticks = now - before;
      before = now;
    }
  }
  return Code::kOk;
}

}  // namespace octet
