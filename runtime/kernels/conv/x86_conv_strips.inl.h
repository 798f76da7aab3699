// First layers (1 to 3 channels) and other windows over few channels: a row of the window is one
// run of kernel_w x in_c bytes, so that it can be one tap of the GEMM. Under a strip of an output
// row, the kernel_h image rows are copied side by side with their padding, after which every window
// lies inside: one pointer for each row of the window, in place of one for each tap, and no
// packing. Runs that are no multiple of 4 bytes read into the next pixel, where they meet zero
// weights: their weights are laid out anew, in scratch, once for a few blocks of outputs.
//
// Part of conv/x86_conv_s8_driver.inl.h.
namespace octet {
namespace {

constexpr uint32_t kStripBytes = 16384;  // of image rows: they stay in the level 1 cache
// Wider runs gain nothing: their pointers and loops cost little beside the products.
constexpr uint32_t kMaxStripChannels = 64;

struct StripPlan {
  uint32_t run_bytes;   // kernel_w * in_c
  uint32_t run_groups;  // of 4 bytes
  size_t pitch;         // from one copied row to the next
  uint32_t columns;     // most output pixels of a strip
  uint32_t blocks;      // most blocks whose weights fit scratch; 0: weights are used in place
};

static StripPlan PlanStrips(const ConvPlan& plan) {
  const ConvGeometry& g = plan.g;
  StripPlan s = {};
  const uint64_t run_bytes = (uint64_t)g.kernel_w * g.in_c;
  if (g.groups != 1 || g.dilation_w != 1 || plan.taps == 1 || g.in_c > kMaxStripChannels ||
      (g.in_c % 4 != 0 && g.in_c > 4) || g.kernel_h > 16 || run_bytes > 256) {
    return s;
  }
  s.run_bytes = (uint32_t)run_bytes;
  s.run_groups = (s.run_bytes + 3) / 4;
  s.pitch = kStripBytes / g.kernel_h & ~(size_t)63;
  // A strip of n columns reads (n - 1) * stride_w * in_c + run_bytes bytes of a row, rounded up.
  const uint64_t step = (uint64_t)g.stride_w * g.in_c;
  if (s.pitch < run_bytes + 4) return s;
  const uint64_t columns = (s.pitch - 4 - run_bytes) / step + 1;
  const uint64_t blocks =
      (ScratchConv(plan.taps, g.in_c, plan.depth, false) - (uint64_t)g.kernel_h * kTileRows * 8) /
      ((uint64_t)g.kernel_h * s.run_groups * 4 * kBlock);
  if (s.run_bytes % 4 != 0) {
    if (blocks < kMaxPanelBlocks && blocks < plan.blocks) return s;
    s.blocks = blocks < kPreparedBlocks ? (uint32_t)blocks : kPreparedBlocks;
  }
  s.columns = columns < g.out_w ? (uint32_t)columns : g.out_w;
  return s;
}

static bool UseStrips(const ConvPlan& plan) {
  return PlanStrips(plan).columns != 0;
}

// [kernel_h * kernel_w * in_c / 4][16][4] -> [kernel_h][run_groups][16][4].
static void SpreadWeights(const ConvPlan& plan, const StripPlan& s, const int8_t* from,
                          uint32_t blocks, int8_t* to) {
  const size_t from_bytes = plan.k_groups * 4 * kBlock;
  const size_t to_bytes = (size_t)plan.g.kernel_h * s.run_groups * 4 * kBlock;
  memset(to, 0, blocks * to_bytes);
  for (uint32_t b = 0; b < blocks; ++b, from += from_bytes, to += to_bytes) {
    for (uint32_t ky = 0; ky < plan.g.kernel_h; ++ky) {
      for (uint32_t i = 0; i < s.run_bytes; ++i) {
        const size_t k = (size_t)ky * s.run_bytes + i;
        const size_t t = (size_t)ky * s.run_groups * 4 + i;
        const int8_t* source = from + k / 4 * 4 * kBlock + k % 4;
        int8_t* target = to + t / 4 * 4 * kBlock + t % 4;
        for (uint32_t o = 0; o < kBlock; ++o) target[4 * o] = source[4 * o];
      }
    }
  }
}

// The image rows under `columns` output pixels of row y from column x on.
static void CopyStrip(const ConvS8Args& args, const StripPlan& s, uint64_t y, uint32_t x,
                      uint32_t columns, uint8_t* to) {
  const ConvGeometry& g = args.g;
  const uint8_t padding = (uint8_t)args.in_zero_point ^ kSign;
  const int64_t first = (int64_t)x * g.stride_w - g.pad_left;
  const int64_t end = first + (int64_t)(columns - 1) * g.stride_w + g.kernel_w;
  const int64_t inside_first = first < 0 ? 0 : first;
  const int64_t inside_end = end < g.in_w ? end : g.in_w;
  const size_t bytes = (size_t)(end - first) * g.in_c;
  const size_t before = (size_t)((inside_first < end ? inside_first : end) - first) * g.in_c;
  const size_t inside =
      inside_first < inside_end ? (size_t)(inside_end - inside_first) * g.in_c : 0;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, to += s.pitch) {
    const int64_t row = (int64_t)(y * g.stride_h) - g.pad_top + (int64_t)ky * g.dilation_h;
    if (row < 0 || row >= g.in_h || inside == 0) {
      memset(to, padding, bytes + 4);
      continue;
    }
    memset(to, padding, before);
    memcpy(to + before, args.input + ((size_t)row * g.in_w + (size_t)inside_first) * g.in_c,
           inside);
    memset(to + before + inside, padding, bytes - before - inside + 4);
  }
}

static void RunStrips(const ConvS8Args& args, const ConvPlan& plan, Range rows) {
  if (rows.begin == rows.end) return;
  const ConvGeometry& g = plan.g;
  const StripPlan s = PlanStrips(plan);
  alignas(64) uint8_t strip[kStripBytes];
  int8_t* spread = reinterpret_cast<int8_t*>(args.scratch + (size_t)g.kernel_h * kTileRows * 8);
  const uint32_t most = (s.blocks != 0 ? s.blocks : kPreparedBlocks) / kMaxPanelBlocks;
  for (uint32_t first = 0; first < plan.chunks; first += most == 0 ? 1 : most) {
    Part part;
    PreparedBlock constants[kPreparedBlocks == 0 ? 1 : kPreparedBlocks];
    const uint32_t last = first + most < plan.chunks && most != 0 ? first + most : plan.chunks;
    BeginPart(args, plan, 0, first, last, constants, &part);
    PanelS8 panel = {};
    panel.plan = &plan;
    panel.pointers = plan.pointers;
    panel.taps = g.kernel_h;
    panel.k_groups = s.run_groups;
    const uint32_t block = FirstBlock(plan, first);
    const int8_t* weights = args.weights + block * plan.k_groups * 4 * kBlock;
    panel.block_bytes = (size_t)g.kernel_h * s.run_groups * 4 * kBlock;
    if (s.blocks != 0) {
      SpreadWeights(plan, s, weights, FirstBlock(plan, last) - block, spread);
      weights = spread;
    }
    const size_t step = (size_t)g.stride_w * g.in_c;
    for (uint64_t y = rows.begin; y < rows.end; ++y) {
      for (uint32_t x = 0; x < g.out_w; x += s.columns) {
        const uint32_t columns = g.out_w - x < s.columns ? g.out_w - x : s.columns;
        CopyStrip(args, s, y, x, columns, strip);
        for (uint32_t c = 0; c < columns; c += kMaxTileRows) {
          const uint32_t tile = columns - c < kMaxTileRows ? columns - c : kMaxTileRows;
          for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
            const uint8_t* from = strip + ky * s.pitch + c * step;
            const uint8_t** to = plan.pointers + (size_t)ky * kMaxTileRows;
            for (uint32_t r = 0; r < tile; ++r, from += step) to[r] = from;
          }
          RunTile(args, plan, part, weights, y * g.out_w + x + c, tile, panel);
        }
      }
    }
  }
}

}  // namespace
}  // namespace octet
