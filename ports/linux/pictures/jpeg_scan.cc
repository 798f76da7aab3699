#include "ports/linux/pictures/jpeg_scan.h"

#include <algorithm>
#include <cstring>

namespace octet::pictures {
namespace {

constexpr uint8_t kMarker = 0xFF, kRestart = 0xD0, kLastRestart = 0xD7,
                  kLeastMarker = 0xC0;  // what is less was never one

constexpr const char* kCutOff = "is truncated: its coded data end before its last pixel";
constexpr const char* kWrongCode = "is damaged: its coded data contain an invalid code";
constexpr const char* kLostRestart = "is damaged: a part between two restart markers is missing";

// Bits up to the next marker; behind it zeros, which are counted.
class Bits {
 public:
  Bits(const uint8_t* data, size_t bytes) : at_(data), end_(data + bytes) {}

  int32_t Decode(const HuffmanTable& table) {
    Fill();
    const uint16_t quick = table.fast[buffer_ >> (64 - HuffmanTable::kFastBits)];
    if (quick != 0) {
      Drop(quick & 15);
      return quick >> 4;
    }
    for (int length = HuffmanTable::kFastBits + 1; length <= 16; ++length) {
      const auto code = static_cast<int32_t>(buffer_ >> (64 - length));
      if (code > table.most[length]) continue;
      Drop(length);
      return table.symbols[(code + table.first[length]) & 255];
    }
    wrong_ = true;
    return 0;
  }
  uint32_t Take(int count) {
    if (count == 0) return 0;
    Fill();
    const auto value = static_cast<uint32_t>(buffer_ >> (64 - count));
    Drop(count);
    return value;
  }
  // A number of `count` bits, 0 to 16, whose first says its sign.
  int32_t Signed(int count) {
    if (count == 0) return 0;
    const auto value = static_cast<int32_t>(Take(count));
    return value >= 1 << (count - 1) ? value : value - (1 << count) + 1;
  }
  bool wrong() const { return wrong_; }
  bool overrun() const { return bits_ < filled_; }
  const uint8_t* at() const { return at_; }

  // Moves behind the next marker if it is `restart`. Skips all before it.
  bool Restart(uint8_t restart) {
    buffer_ = 0;
    bits_ = filled_ = 0;
    while (end_ - at_ >= 2 && !(at_[0] == kMarker && at_[1] >= kLeastMarker && at_[1] != kMarker))
      ++at_;
    if (end_ - at_ < 2 || at_[1] != restart) return false;
    at_ += 2;
    return true;
  }

 private:
  void Drop(int count) {
    buffer_ <<= count;
    bits_ -= count;
  }
  void Fill() {
    if (bits_ > 16) return;  // the longest code, or number
    while (bits_ <= 48) {
      uint64_t byte = 0;
      if (at_ < end_ && *at_ != kMarker) {
        byte = *at_++;
      } else if (!TakeMarked(&byte)) {
        filled_ += 8;
      }
      buffer_ |= byte << (56 - bits_);
      bits_ += 8;
    }
  }
  // 0xFF, where a zero stands behind it. False: a marker, or the end.
  bool TakeMarked(uint64_t* byte) {
    const uint8_t* next = at_;
    while (next < end_ && *next == kMarker) ++next;
    if (next >= end_ || next == at_ || *next != 0) return false;
    *byte = kMarker;
    at_ = next + 1;
    return true;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  uint64_t buffer_ = 0;  // the next bits stand at the top
  int bits_ = 0, filled_ = 0;
  bool wrong_ = false;
};

// Walks a scan's blocks and its restart intervals.
class Decoder {
 public:
  Decoder(const JpegScan& scan, const JpegTables& tables, const uint8_t* data, size_t bytes,
          JpegFrame* frame)
      : scan_(scan), tables_(tables), frame_(frame), bits_(data, bytes), data_(data) {}

  const char* Run(size_t* used) {
    const bool alone = scan_.count == 1;
    JpegComponent& only = Component(0);
    const uint32_t across = alone ? only.blocks_x : frame_->mcus_x;
    const uint32_t down = alone ? only.blocks_y : frame_->mcus_y;
    uint32_t left = tables_.restart_interval;
    uint8_t restart = kRestart;
    for (uint32_t y = 0; y < down; ++y) {
      for (uint32_t x = 0; x < across; ++x) {
        if (tables_.restart_interval != 0 && left-- == 0) {
          if (bits_.overrun()) return kCutOff;
          if (!bits_.Restart(restart)) return kLostRestart;
          restart = restart == kLastRestart ? kRestart : static_cast<uint8_t>(restart + 1);
          left = tables_.restart_interval - 1;
          std::fill(std::begin(before_), std::end(before_), 0);
          end_of_band_run_ = 0;
        }
        if (alone) {
          Block(0, &only, x, y);
        } else {
          Mcu(x, y);
        }
      }
      if (bits_.wrong()) return kWrongCode;
      if (bits_.overrun()) return kCutOff;
    }
    *used = static_cast<size_t>(bits_.at() - data_);
    return nullptr;
  }

 private:
  JpegComponent& Component(uint32_t i) { return frame_->components[scan_.component[i]]; }

  void Mcu(uint32_t x, uint32_t y) {
    for (uint32_t i = 0; i < scan_.count; ++i) {
      JpegComponent& component = Component(i);
      for (uint32_t v = 0; v < component.v; ++v) {
        for (uint32_t h = 0; h < component.h; ++h) {
          Block(i, &component, x * component.h + h, y * component.v + v);
        }
      }
    }
  }

  void Block(uint32_t i, JpegComponent* component, uint32_t x, uint32_t y) {
    const size_t place = size_t{y} * component->wide + x;
    if (!frame_->progressive) {
      int16_t values[kBlockValues] = {};
      Sequential(i, values);
      const size_t stride = size_t{component->wide} * kBlock;
      InverseTransform(values, component->quantization,
                       component->samples.data() + y * kBlock * stride + size_t{x} * kBlock,
                       stride);
      return;
    }
    int16_t* values = component->values.data() + place * kBlockValues;
    if (scan_.first == 0) {
      if (scan_.high == 0) {
        values[0] = static_cast<int16_t>(NextDc(i) * (1 << scan_.low));
      } else if (bits_.Take(1) != 0) {
        values[0] = static_cast<int16_t>(values[0] | 1 << scan_.low);
      }
    } else if (scan_.high == 0) {
      FirstAc(values);
    } else {
      RefineAc(values);
    }
  }

  int32_t NextDc(uint32_t i) {
    const int32_t size = bits_.Decode(tables_.dc[scan_.dc[i]]);  // 15 at most
    // May wrap in damaged files.
    before_[i] = static_cast<int16_t>(before_[i] + bits_.Signed(size));
    return before_[i];
  }

  void Sequential(uint32_t i, int16_t* values) {
    values[0] = static_cast<int16_t>(NextDc(i));
    const HuffmanTable& table = tables_.ac[scan_.ac[i]];
    for (uint32_t k = 1; k < kBlockValues; ++k) {
      const int32_t code = bits_.Decode(table), size = code & 15;
      k += static_cast<uint32_t>(code >> 4);
      if (size != 0) {
        values[kNaturalOrder[k]] = static_cast<int16_t>(bits_.Signed(size));
      } else if (code >> 4 != 15) {
        break;
      }
    }
  }

  void FirstAc(int16_t* values) {
    if (end_of_band_run_ > 0) {
      --end_of_band_run_;
      return;
    }
    const HuffmanTable& table = tables_.ac[scan_.ac[0]];
    for (uint32_t k = scan_.first; k <= scan_.last; ++k) {
      const int32_t code = bits_.Decode(table), run = code >> 4, size = code & 15;
      if (size != 0) {
        k += static_cast<uint32_t>(run);
        values[kNaturalOrder[k]] = static_cast<int16_t>(bits_.Signed(size) * (1 << scan_.low));
      } else if (run == 15) {
        k += 15;
      } else {
        end_of_band_run_ = (1u << run) + bits_.Take(run) - 1;
        break;
      }
    }
  }

  // One more bit of what is there already.
  void Refine(int16_t* value) {
    const int32_t bit = 1 << scan_.low;
    if (bits_.Take(1) == 0 || (*value & bit) != 0) return;
    *value = static_cast<int16_t>(*value >= 0 ? *value + bit : *value - bit);
  }

  void RefineAc(int16_t* values) {
    const HuffmanTable& table = tables_.ac[scan_.ac[0]];
    uint32_t k = scan_.first;
    if (end_of_band_run_ == 0) {
      for (; k <= scan_.last; ++k) {
        const int32_t code = bits_.Decode(table);
        int32_t run = code >> 4, fresh = 0;
        if ((code & 15) != 0) {
          fresh = bits_.Take(1) != 0 ? 1 << scan_.low : -(1 << scan_.low);
        } else if (run != 15) {
          end_of_band_run_ = (1u << run) + bits_.Take(run);
          break;
        }
        // The run counts only zeros. Values between them are refined.
        for (; k <= scan_.last; ++k) {
          int16_t* value = values + kNaturalOrder[k];
          if (*value != 0) {
            Refine(value);
          } else if (run-- == 0) {
            break;
          }
        }
        if (fresh != 0) values[kNaturalOrder[k]] = static_cast<int16_t>(fresh);
      }
    }
    if (end_of_band_run_ == 0) return;
    for (; k <= scan_.last; ++k) {
      int16_t* value = values + kNaturalOrder[k];
      if (*value != 0) Refine(value);
    }
    --end_of_band_run_;
  }

  const JpegScan& scan_;
  const JpegTables& tables_;
  JpegFrame* frame_;
  Bits bits_;
  const uint8_t* data_;
  int16_t before_[kMostComponents] = {};
  uint32_t end_of_band_run_ = 0;  // blocks of the band that hold nothing new
};

}  // namespace

const uint8_t kNaturalOrder[kBlockValues + 16] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33,
    40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36,
    29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63};

bool HuffmanTable::Set(const uint8_t counts[16], const uint8_t* values) {
  std::memset(fast, 0, sizeof(fast));
  std::memset(symbols, 0, sizeof(symbols));
  int32_t code = 0, index = 0;
  for (int length = 1; length <= 16; ++length, code <<= 1) {
    const int32_t of_length = counts[length - 1];
    if (code + of_length > 1 << length || index + of_length > 256) return false;
    first[length] = index - code;
    most[length] = of_length == 0 ? -1 : code + of_length - 1;
    for (int32_t i = 0; i < of_length; ++i, ++code, ++index) {
      symbols[index] = values[index];
      if (length > kFastBits) continue;
      const int spread = kFastBits - length;
      const auto entry = static_cast<uint16_t>(values[index] << 4 | length);
      std::fill_n(fast + (code << spread), 1 << spread, entry);
    }
  }
  return true;
}

const char* DecodeScan(const JpegScan& scan, const JpegTables& tables, const uint8_t* data,
                       size_t bytes, JpegFrame* frame, size_t* used) {
  return Decoder(scan, tables, data, bytes, frame).Run(used);
}

}  // namespace octet::pictures
