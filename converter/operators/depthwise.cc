#include "converter/operators/depthwise.h"

#include <algorithm>

namespace octet::operators {
namespace {

// The padded plane is split into stride.y x stride.x phases: phase (py, px) holds the pixels (sy *
// i + py, sx * j + px). Each tap then reads one phase contiguously for all outputs at once, with
// rows of the phase's width, whatever the stride and however narrow the image.
struct Phases {
  int64_t height;  // of one phase
  int64_t width;
  int64_t span;  // outputs computed per tap: the last row needs no tail

  explicit Phases(const Window& window)
      : height(Length(window.y)),
        width(Length(window.x)),
        span((window.y.out - 1) * width + window.x.out) {}

  // Pixels of one phase that some window reads.
  static int64_t Length(const WindowAxis& axis) {
    return axis.out + (axis.Extent() - 1) / axis.stride;
  }
  int64_t Floats() const { return height * width; }
};

void FillPhases(const Window& window, const Phases& phases, const float* plane, float* buffer) {
  const WindowAxis& y = window.y;
  const WindowAxis& x = window.x;
  for (int64_t py = 0; py < y.stride; ++py) {
    for (int64_t px = 0; px < x.stride; ++px) {
      for (int64_t i = 0; i < phases.height; ++i, buffer += phases.width) {
        const int64_t iy = i * y.stride + py - y.pad_begin;
        if (iy < 0 || iy >= y.in) {
          std::fill(buffer, buffer + phases.width, 0.0f);
          continue;
        }
        const float* row = plane + iy * x.in;
        for (int64_t j = 0; j < phases.width; ++j) {
          const int64_t ix = j * x.stride + px - x.pad_begin;
          buffer[j] = ix < 0 || ix >= x.in ? 0.0f : row[ix];
        }
      }
    }
  }
}

OCTET_VECTOR_CLONES void AddScaled(const float* in, float weight, int64_t count, float* sum) {
  for (int64_t i = 0; i < count; ++i) sum[i] += weight * in[i];
}

}  // namespace

void AddDepthwise(const Window& window, int64_t groups, int64_t multiplier, const float* in,
                  const float* weights, float* out, Workspace& workspace) {
  const WindowAxis& y = window.y;
  const WindowAxis& x = window.x;
  const Phases phases(window);
  const int64_t phase_floats = y.stride * x.stride * phases.Floats();
  const auto needed = static_cast<size_t>(phase_floats + phases.span);
  if (workspace.buffer.size() < needed) workspace.buffer.resize(needed);
  float* planes = workspace.buffer.data();
  float* sums = planes + phase_floats;
  for (int64_t g = 0; g < groups; ++g) {
    FillPhases(window, phases, in + g * window.InputPixels(), planes);
    for (int64_t m = 0; m < multiplier; ++m) {
      const int64_t channel = g * multiplier + m;
      const float* taps = weights + channel * window.Taps();
      float* result = out + channel * window.OutputPixels();
      std::fill(sums, sums + phases.span, result[0]);  // the bias: the same for every pixel
      for (int64_t ky = 0; ky < y.kernel; ++ky) {
        for (int64_t kx = 0; kx < x.kernel; ++kx) {
          const int64_t dy = ky * y.dilation;
          const int64_t dx = kx * x.dilation;
          const float* phase =
              planes + ((dy % y.stride) * x.stride + dx % x.stride) * phases.Floats();
          AddScaled(phase + dy / y.stride * phases.width + dx / x.stride, *taps++, phases.span,
                    sums);
        }
      }
      for (int64_t oy = 0; oy < y.out; ++oy) {
        std::copy_n(sums + oy * phases.width, x.out, result + oy * x.out);
      }
    }
  }
}

}  // namespace octet::operators
