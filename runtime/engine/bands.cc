#include "runtime/engine/bands.h"

#include <string.h>

#include "runtime/kernels/check.h"

namespace octet {
namespace {

constexpr uint32_t kMostLayers = 32;  // of a group
constexpr uint32_t kMostInputs = 4;   // of a layer
constexpr uint32_t kLeastLines = 2;   // of a band of the last layer

// Line y of a layer reads `count` lines of its inputs, from y * stride - pad on.
struct Reach {
  uint32_t stride, count, pad;
};

template <typename Params>
Reach ReachOfWindow(const LayerView& view) {
  const Params& p = ParamsOf<Params>(view);
  return Reach{p.stride_h, (p.kernel_h - 1u) * p.dilation_h + 1, p.pad_top};
}

bool KeepsLines(const LayerView& view) {
  const blob::SliceParams& p = ParamsOf<blob::SliceParams>(view);
  return p.begin[1] == 0 && p.step[1] == 1 && InputOf(view, 0).dims[1] == OutputOf(view).dims[1];
}

// stride 0: the layer does not run in bands.
Reach ReachOf(const LayerView& view) {
  const blob::LayerRecord& layer = *view.layer;
  constexpr Reach kNot = {0, 0, 0}, kSame = {1, 1, 0};
  switch (layer.op) {
    case blob::Op::kConv:
      // Winograd's method has tiles of several lines.
      if (WinogradOf(layer) != 0 || IsWinogradF16(layer)) return kNot;
      return ReachOfWindow<blob::ConvParams>(view);
    case blob::Op::kDepthwiseConv:
      return ReachOfWindow<blob::ConvParams>(view);
    case blob::Op::kMaxPool:
      return ReachOfWindow<blob::PoolParams>(view);
    case blob::Op::kUnary:
    case blob::Op::kConvert:
      return kSame;
    case blob::Op::kAdd:
    case blob::Op::kMul:
      return SameShape(InputOf(view, 0), InputOf(view, 1)) ? kSame : kNot;
    case blob::Op::kConcat:
      return ParamsOf<blob::ConcatParams>(view).axis == 3 ? kSame : kNot;
    case blob::Op::kSlice:
      return KeepsLines(view) ? kSame : kNot;
    default:
      return kNot;
  }
}

bool HasLines(const LayerView& view, uint32_t width) {
  if (view.layer->input_count > kMostInputs || ReachOf(view).stride == 0) return false;
  for (uint32_t i = 0; i < view.layer->input_count; ++i) {
    if (InputOf(view, i).dims[0] != 1) return false;
  }
  return OutputOf(view).dims[0] == 1 && OutputOf(view).dims[2] >= width;
}

uint32_t LineBytes(const blob::TensorRecord& t) {
  return t.bytes / t.dims[1];
}

uint32_t Smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

struct Member {
  const LayerView* view;
  Reach reach;
  uint32_t height, line_bytes;  // of what it writes
  uint32_t done;                // of them
  uint32_t next;                // when this step is over
  uint32_t kept;  // the first that is still read; of a root: of all that lie in its memory
  uint32_t root;  // the layer whose memory it writes: itself, or that of what it replaces
  bool whole;     // of a root: all its lines have places, as the blob says
  bool is_read;   // by another of the group
  uint8_t writers[kMostInputs];  // of the inputs; kMostLayers: from outside
};

// Layers [first, first + count), and how far they are.
struct Group {
  BoundLayer* layers;  // the first
  uint32_t first, count, steps;
  Member members[kMostLayers];

  const blob::TensorRecord& Out(uint32_t l) const { return OutputOf(layers[l].view); }
  // count or more: it is from outside.
  uint32_t Writer(const blob::TensorRecord& t) const {
    return t.first_layer == blob::kNone ? kMostLayers : t.first_layer - first;
  }
  const Member& Root(uint32_t l) const { return members[members[l].root]; }
};

// The first line of an input that lines from y on read, and the end of those that lines below y do.
uint32_t FirstRead(const Member& m, uint32_t in_height, uint32_t y) {
  if (y == m.height) return in_height;
  const uint32_t at = y * m.reach.stride;
  return at > m.reach.pad ? Smaller(at - m.reach.pad, in_height) : 0;
}
uint32_t EndRead(const Member& m, uint32_t in_height, uint32_t y) {
  if (y == 0) return 0;
  const uint32_t end = (y - 1) * m.reach.stride + m.reach.count;
  return end > m.reach.pad ? Smaller(end - m.reach.pad, in_height) : 0;
}

// act(reader, writer): all pairs of the group, readers from the last on.
template <typename Act>
void EachPair(Group* g, Act act) {
  for (uint32_t l = g->count; l-- != 0;) {
    Member& reader = g->members[l];
    for (uint32_t i = 0; i < reader.view->layer->input_count; ++i) {
      const uint32_t writer = reader.writers[i];
      if (writer < kMostLayers) act(reader, g->members[writer]);
    }
  }
}

void MakeMembers(Group* g) {
  for (uint32_t l = 0; l < g->count; ++l) {
    const LayerView& view = g->layers[l].view;
    const blob::TensorRecord& out = OutputOf(view);
    Member& m = g->members[l];
    m = Member{};
    m.view = &view;
    m.reach = ReachOf(view);
    m.height = out.dims[1];
    m.line_bytes = LineBytes(out);
    for (uint32_t i = 0; i < view.layer->input_count; ++i) {
      const uint32_t writer = g->Writer(InputOf(view, i));
      m.writers[i] = (uint8_t)(writer < g->count ? writer : kMostLayers);
      if (writer < g->count) g->members[writer].is_read = true;
    }
    const blob::TensorRecord& in = InputOf(view, 0);
    const bool replaces = m.writers[0] < kMostLayers && blob::WorksInPlace(view.layer->op) &&
                          in.arena_offset == out.arena_offset && in.last_layer == g->first + l;
    m.root = replaces ? g->members[m.writers[0]].root : l;
    if (out.last_layer >= g->first + g->count) g->members[m.root].whole = true;
  }
}

// How far each layer is behind a step: where those that read it are, and, if none does, its share.
void Aim(Group* g, uint32_t step) {
  const bool last = step + 1 == g->steps;
  for (uint32_t l = 0; l < g->count; ++l) {
    Member& m = g->members[l];
    const uint32_t share = (uint32_t)CeilDiv(m.height, g->steps) * (step + 1);
    m.next = last ? m.height : m.is_read ? m.done : Smaller(share, m.height);
    m.kept = m.done;
  }
  EachPair(g, [g](const Member& reader, Member& writer) {
    const uint32_t end = EndRead(reader, writer.height, reader.next);
    if (end > writer.next) writer.next = end;
    const uint32_t first = FirstRead(reader, writer.height, reader.done);
    if (first < writer.kept) writer.kept = first;
    Member& root = g->members[writer.root];
    if (writer.kept < root.kept) root.kept = writer.kept;
  });
}

// Whether layer l's next lines overwrite what is still read: of a tensor of the group that it
// replaces, or of one from outside where the blob puts its own.
bool Overwrites(const Group& g, uint32_t l) {
  const Member& writer = g.members[l];
  const bool whole = g.Root(l).whole;
  if (!whole && writer.root == l) return false;
  const blob::TensorRecord& out = g.Out(l);
  for (uint32_t c = 0; c < g.count; ++c) {
    const Member& reader = g.members[c];
    const uint32_t done = c < l ? reader.next : reader.done;
    for (uint32_t i = 0; i < reader.view->layer->input_count; ++i) {
      const uint32_t of = reader.writers[i];
      if (of < kMostLayers) {
        const bool replaced = of < l && c != l && g.members[of].root == writer.root;
        if (replaced && FirstRead(reader, g.members[of].height, done) < writer.next) return true;
        continue;
      }
      const blob::TensorRecord& in = InputOf(*reader.view, i);
      const bool in_place = c == l && in.arena_offset == out.arena_offset;
      // The blob keeps what is read behind the group apart from what is written in it.
      if (!whole || in_place || in.last_layer >= g.first + g.count) continue;
      const uint32_t from = FirstRead(reader, in.dims[1], done);
      const uint64_t left = in.arena_offset + (uint64_t)from * LineBytes(in);
      const uint64_t end = out.arena_offset + (uint64_t)writer.next * writer.line_bytes;
      if (from < in.dims[1] && left < end &&
          out.arena_offset < in.arena_offset + (uint64_t)in.bytes) {
        return true;
      }
    }
  }
  return false;
}

// Room for the lines of each root. Returns how many layers can run together: all, or those before
// the first that overwrites something.
uint32_t Measure(Group* g, uint64_t* room) {
  memset(room, 0, kMostLayers * sizeof(*room));
  for (uint32_t step = 0; step < g->steps; ++step) {
    Aim(g, step);
    for (uint32_t l = 0; l < g->count; ++l) {
      if (Overwrites(*g, l)) return l;
      const uint32_t root = g->members[l].root;
      const uint64_t lines = g->members[l].next - g->members[root].kept;
      const uint64_t bytes = lines * g->members[l].line_bytes;
      if (bytes > room[root]) room[root] = bytes;
    }
    for (uint32_t l = 0; l < g->count; ++l) g->members[l].done = g->members[l].next;
  }
  return g->count;
}

// Whether the tensor lies at its place of the blob while the group runs.
bool IsThere(const Group& g, const blob::TensorRecord& t) {
  const uint32_t writer = g.Writer(t);
  if (writer < g.count) return g.Root(writer).whole;
  return (t.first_layer == blob::kNone || t.first_layer < g.first) && t.last_layer >= g.first;
}

// Places for bands that nothing else has meanwhile. False: there are none.
bool Place(const Session& session, const Group& g, const uint64_t* room) {
  const blob::PlanRecord& plan = CurrentPlan(session);
  for (uint32_t l = 0; l < g.count; ++l) {
    if (g.members[l].root != l) continue;
    uint64_t place = g.members[l].whole ? g.Out(l).arena_offset : 0;
    bool moved = !g.members[l].whole;
    const auto avoid = [&](uint64_t at, uint64_t bytes) {
      if (at >= place + room[l] || place >= at + bytes) return;
      place = RoundUp64(at + bytes);
      moved = true;
    };
    while (moved) {
      moved = false;
      if (place + room[l] > plan.arena_bytes) return false;
      for (uint32_t t = 0; t < plan.tensor_count; ++t) {
        const blob::TensorRecord& tensor = session.records[t];
        if (IsThere(g, tensor)) avoid(tensor.arena_offset, tensor.bytes);
      }
      for (uint32_t o = 0; o < l; ++o) {
        const bool is_band = g.members[o].root == o && !g.members[o].whole;
        if (is_band) avoid(g.layers[o].band.place, room[o]);
      }
    }
    g.layers[l].band.place = (uint32_t)place;
  }
  return true;
}

// How many layers from this one on have lines and few weights together; 0: their tensors would stay
// in the second cache anyway.
uint32_t LayersWorthBands(const BoundLayer* layers, uint32_t most, const BandLimits& limits) {
  uint64_t bytes = 0, weights = 0;
  uint32_t count = 0;
  for (; count < most && HasLines(layers[count].view, limits.width); ++count) {
    weights += layers[count].view.layer->weights.bytes;
    if (weights > limits.weight_bytes) break;
    bytes += OutputOf(layers[count].view).bytes;
  }
  return bytes > limits.resident_bytes ? count : 0;
}

// The layers of the longest group from this one on; 0: there is none.
uint32_t MakeGroup(Session* session, uint32_t first, uint32_t most, const BandLimits& limits) {
  Group g;
  g.layers = session->layers + first;
  g.first = first;
  g.count = LayersWorthBands(g.layers, most, limits);
  for (uint32_t together; g.count > 1; g.count = together) {
    together = g.count - 1;
    MakeMembers(&g);
    uint64_t bytes = 0;
    for (uint32_t l = 0; l < g.count; ++l) bytes += g.members[l].root == l ? g.Out(l).bytes : 0;
    if (bytes <= limits.resident_bytes) return 0;
    const uint64_t height = g.members[together].height;
    const uint64_t lines = height * limits.band_bytes / bytes;
    if (lines < kLeastLines) continue;
    g.steps = (uint32_t)CeilDiv(height, lines);
    uint64_t room[kMostLayers], bands = 0;
    const uint32_t measured = Measure(&g, room);
    for (uint32_t l = 0; l < g.count; ++l) bands += g.members[l].whole ? 0 : room[l];
    if (measured < g.count) {
      together = measured;
    } else if (bands <= limits.band_bytes * 3 / 2 && Place(*session, g, room)) {
      g.layers[0].band.layers = (uint16_t)g.count;
      g.layers[0].band.steps = (uint16_t)g.steps;
      return g.count;
    }
  }
  return 0;
}

// Lines [begin, end) of a tensor that a layer of the group wrote, or one from outside.
blob::TensorRecord LinesOf(const Group& g, const blob::TensorRecord& t, uint32_t writer,
                           uint32_t begin, uint32_t end) {
  blob::TensorRecord lines = t;
  uint32_t first = 0;
  if (writer < kMostLayers) {
    lines.arena_offset = g.layers[g.members[writer].root].band.place;
    if (!g.Root(writer).whole) first = g.Root(writer).kept;
  }
  lines.arena_offset += (begin - first) * LineBytes(t);
  lines.dims[1] = end - begin;
  lines.bytes = lines.dims[1] * LineBytes(t);
  return lines;
}

// Padding above the line that is the first now.
template <typename Params>
void MovePad(blob::LayerRecord* layer, uint32_t y) {
  Params& p = *reinterpret_cast<Params*>(layer->params.bytes);
  const uint32_t above = y * p.stride_h;
  p.pad_top = (uint16_t)(p.pad_top > above ? p.pad_top - above : 0);
}

// The layer's lines of this step, as a layer of its own.
void RunLines(const Group& g, uint32_t l, const RunContext& context) {
  const Member& m = g.members[l];
  blob::LayerRecord layer = *m.view->layer;
  if (layer.op == blob::Op::kMaxPool) {
    MovePad<blob::PoolParams>(&layer, m.done);
  } else if (layer.op == blob::Op::kConv || layer.op == blob::Op::kDepthwiseConv) {
    MovePad<blob::ConvParams>(&layer, m.done);
  }
  blob::TensorRecord tensors[kMostInputs + 1];
  uint32_t inputs[kMostInputs];
  for (uint32_t i = 0; i < layer.input_count; ++i) {
    const blob::TensorRecord& in = InputOf(*m.view, i);
    tensors[i] = LinesOf(g, in, m.writers[i], FirstRead(m, in.dims[1], m.done),
                         EndRead(m, in.dims[1], m.next));
    inputs[i] = i;
  }
  layer.output = layer.input_count;
  tensors[layer.output] = LinesOf(g, g.Out(l), l, m.done, m.next);
  LayerView view = *m.view;
  view.layer = &layer;
  view.tensors = tensors;
  view.inputs = inputs;
  g.layers[l].run(view, context);
}

// Lines that are still read go to the beginning of their bands. kept: by root, of the step before.
void MoveLines(const Group& g, uint8_t* tensors, uint32_t* kept) {
  for (uint32_t l = 0; l < g.count; ++l) {
    const Member& m = g.members[l];
    if (m.root != l || m.whole || m.kept == kept[l]) continue;
    const size_t line = m.line_bytes;
    uint8_t* band = tensors + g.layers[l].band.place;
    memmove(band, band + (m.kept - kept[l]) * line, (m.done - m.kept) * line);
    kept[l] = m.kept;
  }
}

}  // namespace

void MakeBands(Session* session, const BandLimits& limits) {
  const uint32_t count = CurrentPlan(*session).layer_count;
  for (uint32_t k = 0; k < count; ++k) session->layers[k].band = {};
  for (uint32_t k = 0; k < count;) {
    const uint32_t left = count - k;
    const uint32_t group = MakeGroup(session, k, left < kMostLayers ? left : kMostLayers, limits);
    k += group == 0 ? 1 : group;
  }
}

uint32_t RunBands(Session* session, uint32_t layer) {
  if (session->layers[layer].band.layers == 0) return 0;
  Group g;
  g.layers = session->layers + layer;
  g.first = layer;
  g.count = g.layers[0].band.layers;
  g.steps = g.layers[0].band.steps;
  MakeMembers(&g);
  uint32_t kept[kMostLayers] = {};
  const RunContext context = {
      session->blob.layouts.data, session->tensors, session->scratch, nullptr,
      &session->kernels,          Share{0, 1},      session->sign,    session->half_sums};
  for (uint32_t step = 0; step < g.steps; ++step) {
    Aim(&g, step);
    MoveLines(g, session->tensors, kept);
    for (uint32_t l = 0; l < g.count; ++l) {
      if (g.members[l].next != g.members[l].done) RunLines(g, l, context);
    }
    for (uint32_t l = 0; l < g.count; ++l) g.members[l].done = g.members[l].next;
  }
  return g.count;
}

}  // namespace octet
