#include "ports/linux/camera/program/draw.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "ports/linux/results/text.h"
#include "runtime/image/frame.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_easy_font.h>
#pragma GCC diagnostic pop

namespace octet::port {
namespace {

constexpr int kLineHeight = 12;     // of the font, in its own units
constexpr size_t kQuadBytes = 64;   // four corners of x, y, z and a colour, 4 bytes each
constexpr size_t kMostQuads = 512;  // of one text

}  // namespace

void Annotated::SetFrame(const FrameBuffer& frame) {
  width = frame.width;
  height = frame.height;
  rgb.resize(size_t{3} * width * height);
  const octet_frame view = frame.View();
  uint8_t* to = rgb.data();
  for (uint32_t y = 0; y < height; ++y) {
    const uint8_t* rows[3];
    for (int i = 0; i < 3; ++i) {
      const bool halved = i > 0;
      rows[i] = view.planes[i] == nullptr
                    ? nullptr
                    : view.planes[i] + size_t{halved ? y / 2 : y} * view.strides[i];
    }
    for (uint32_t x = 0; x < width; ++x, to += 3) {
      switch (frame.format) {
        case OCTET_PIXELS_RGB24:
          std::memcpy(to, rows[0] + size_t{3} * x, 3);
          break;
        case OCTET_PIXELS_GREY8:
          to[0] = to[1] = to[2] = rows[0][x];
          break;
        case OCTET_PIXELS_NV12:
          to[0] = rows[0][x], to[1] = rows[1][x / 2 * 2], to[2] = rows[1][x / 2 * 2 + 1];
          YuvToRgb(to);
          break;
        case OCTET_PIXELS_YUV420P:
          to[0] = rows[0][x], to[1] = rows[1][x / 2], to[2] = rows[2][x / 2];
          YuvToRgb(to);
          break;
        case OCTET_PIXELS_YUYV:
          to[0] = rows[0][size_t{2} * x];
          to[1] = rows[0][size_t{x} / 2 * 4 + 1], to[2] = rows[0][size_t{x} / 2 * 4 + 3];
          YuvToRgb(to);
          break;
      }
    }
  }
}

Annotated::Colour Annotated::ColourOf(uint32_t label) {
  static constexpr Colour kColours[] = {{255, 64, 64},  {64, 220, 64},  {80, 140, 255},
                                        {255, 200, 0},  {255, 80, 255}, {0, 220, 220},
                                        {255, 140, 40}, {170, 110, 255}};
  return kColours[label % std::size(kColours)];
}

void Annotated::Fill(int x0, int y0, int x1, int y1, Colour colour) {
  x0 = std::max(x0, 0), y0 = std::max(y0, 0);
  x1 = std::min(x1, static_cast<int>(width)), y1 = std::min(y1, static_cast<int>(height));
  for (int y = y0; y < y1; ++y) {
    uint8_t* to = rgb.data() + (static_cast<size_t>(y) * width + static_cast<size_t>(x0)) * 3;
    for (int x = x0; x < x1; ++x, to += 3) to[0] = colour.r, to[1] = colour.g, to[2] = colour.b;
  }
}

void Annotated::Frame(const octet_detection& box, int thickness, Colour colour) {
  const int x0 = static_cast<int>(box.x0), y0 = static_cast<int>(box.y0);
  const int x1 = static_cast<int>(std::ceil(box.x1)), y1 = static_cast<int>(std::ceil(box.y1));
  Fill(x0, y0, x1, y0 + thickness, colour);
  Fill(x0, y1 - thickness, x1, y1, colour);
  Fill(x0, y0, x0 + thickness, y1, colour);
  Fill(x1 - thickness, y0, x1, y1, colour);
}

// Half the colour over the object's pixels.
void Annotated::Tint(const Results& results, const ObjectMask& mask, Colour colour) {
  size_t at = 0;
  for (uint32_t i = 0; i < mask.run_count; ++i) {
    const size_t end = at + results.runs[mask.first_run + i];
    for (; i % 2 != 0 && at < end; ++at) {
      const size_t y = mask.top + at / mask.width, x = mask.left + at % mask.width;
      if (y >= height || x >= width) continue;
      uint8_t* to = rgb.data() + (y * width + x) * 3;
      to[0] = static_cast<uint8_t>((to[0] + colour.r) / 2);
      to[1] = static_cast<uint8_t>((to[1] + colour.g) / 2);
      to[2] = static_cast<uint8_t>((to[2] + colour.b) / 2);
    }
    at = end;
  }
}

void Annotated::Points(const Results& results, uint32_t box, int size, Colour colour) {
  for (uint32_t k = 0; k < results.point_count; ++k) {
    const octet_keypoint& point = results.points[size_t{box} * results.point_count + k];
    if (!(point.score >= kSeenPoint)) continue;
    const int x = static_cast<int>(point.x), y = static_cast<int>(point.y);
    Fill(x - size, y - size, x + size + 1, y + size + 1, colour);
  }
}

void Annotated::Way(const DrawnLine& line, int thickness) {
  const float dx = line.to.x - line.from.x, dy = line.to.y - line.from.y;
  const int steps = static_cast<int>(std::max(std::fabs(dx), std::fabs(dy))) + 1;
  for (int i = 0; i <= steps; ++i) {
    const float share = static_cast<float>(i) / static_cast<float>(steps);
    const int x = static_cast<int>(line.from.x + dx * share);
    const int y = static_cast<int>(line.from.y + dy * share);
    Fill(x, y, x + thickness, y + thickness, ColourOf(line.colour));
  }
}

// Text in black or white, with the larger contrast, on a plate of the colour.
void Annotated::Text(int x, int y, int scale, const char* text, Colour colour) {
  static_assert(kQuadBytes == 4 * (3 * sizeof(float) + 4), "vertices of stb_easy_font");
  char quads[kQuadBytes * kMostQuads];
  char copy[64];
  std::snprintf(copy, sizeof(copy), "%s", text);
  // The font has ASCII alone.
  for (char* c = copy; *c != 0; ++c) {
    if (*c < ' ' || *c > '~') *c = '?';
  }
  const int text_width = stb_easy_font_width(copy) * scale;
  Fill(x, y, x + text_width + 2 * scale, y + kLineHeight * scale, colour);
  const bool bright = 2 * colour.r + 5 * colour.g + colour.b > 8 * 128;
  const Colour ink = bright ? Colour{0, 0, 0} : Colour{255, 255, 255};
  const int count = stb_easy_font_print(0, 0, copy, nullptr, quads, sizeof(quads));
  for (int i = 0; i < count; ++i) {
    float first[2], third[2];
    std::memcpy(first, quads + static_cast<size_t>(i) * kQuadBytes, sizeof(first));
    std::memcpy(third, quads + static_cast<size_t>(i) * kQuadBytes + kQuadBytes / 2, sizeof(third));
    const int left = x + scale + static_cast<int>(first[0]) * scale;
    const int top = y + 2 * scale + static_cast<int>(first[1]) * scale;
    Fill(left, top, x + scale + static_cast<int>(third[0]) * scale,
         y + 2 * scale + static_cast<int>(third[1]) * scale, ink);
  }
}

void Annotated::Draw(const Results& results, const octet_session* session) {
  const int scale = std::max(1, static_cast<int>(height) / 360);
  const bool boxes = results.task == OCTET_TASK_DETECT;
  for (const DrawnLine& line : results.lines) Way(line, scale + 1);
  for (uint32_t i = results.count; i-- > 0;) {
    const uint32_t label = boxes ? results.boxes[i].label : results.classes[i].label;
    const float score = boxes ? results.boxes[i].score : results.classes[i].score;
    const Colour colour = ColourOf(label);
    char text[64];
    const char* name = LabelName(session, label);
    char id[24] = "";
    if (boxes && results.IdOf(i) != 0) {
      std::snprintf(id, sizeof(id), " #%llu", static_cast<unsigned long long>(results.IdOf(i)));
    }
    if (*name != 0) {
      std::snprintf(text, sizeof(text), "%.30s%s %.2f", name, id, static_cast<double>(score));
    } else {
      std::snprintf(text, sizeof(text), "%u%s %.2f", label, id, static_cast<double>(score));
    }
    if (!boxes) {
      Text(4, 4 + static_cast<int>(i) * kLineHeight * scale, scale, text, colour);
      continue;
    }
    const octet_detection& box = results.boxes[i];
    if (!results.masks.empty()) Tint(results, results.masks[i], colour);
    Frame(box, scale + 1, colour);
    Points(results, i, scale + 1, colour);
    const int above = static_cast<int>(box.y0) - kLineHeight * scale;
    Text(static_cast<int>(box.x0), std::max(above, 0), scale, text, colour);
  }
  for (const DrawnText& text : results.texts) {
    Text(static_cast<int>(text.at.x), static_cast<int>(text.at.y), scale, text.text,
         ColourOf(text.colour));
  }
}

}  // namespace octet::port
