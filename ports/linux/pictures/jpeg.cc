#include "ports/linux/pictures/jpeg.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "ports/linux/pictures/orientation.h"

namespace octet::pictures {
namespace {

constexpr uint8_t kPrefix = 0xFF, kQuantization = 0xDB, kHuffman = 0xC4, kArithmetic = 0xCC,
                  kStart = 0xD8, kEnd = 0xD9, kScan = 0xDA, kInterval = 0xDD, kApp0 = 0xE0,
                  kApp1 = 0xE1, kApp14 = 0xEE;
// More than writers use. Each scan may need work on the whole picture.
constexpr uint32_t kMostScans = 500;

// Of annex K.3: how many codes have which length, and what they say.
struct Standard {
  uint8_t counts[16];
  const char* values;
};
constexpr Standard kStandardDc[2] = {
    {{0, 1, 5, 1, 1, 1, 1, 1, 1}, "\0\1\2\3\4\5\6\7\x8\x9\xa\xb"},
    {{0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "\0\1\2\3\4\5\6\7\x8\x9\xa\xb"}};
constexpr Standard kStandardAc[2] = {
    {{0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125},
     "\x01\x02\x03\x00\x04\x11\x05\x12\x21\x31\x41\x06\x13\x51\x61\x07\x22\x71\x14\x32\x81\x91\xa1"
     "\x08\x23\x42\xb1\xc1\x15\x52\xd1\xf0\x24\x33\x62\x72\x82\x09\x0a\x16\x17\x18\x19\x1a\x25\x26"
     "\x27\x28\x29\x2a\x34\x35\x36\x37\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55\x56"
     "\x57\x58\x59\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a\x83\x84\x85"
     "\x86\x87\x88\x89\x8a\x92\x93\x94\x95\x96\x97\x98\x99\x9a\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa"
     "\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4\xd5\xd6"
     "\xd7\xd8\xd9\xda\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9"
     "\xfa"},
    {{0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119},
     "\x00\x01\x02\x03\x11\x04\x05\x21\x31\x06\x12\x41\x51\x07\x61\x71\x13\x22\x32\x81\x08\x14\x42"
     "\x91\xa1\xb1\xc1\x09\x23\x33\x52\xf0\x15\x62\x72\xd1\x0a\x16\x24\x34\xe1\x25\xf1\x17\x18\x19"
     "\x1a\x26\x27\x28\x29\x2a\x35\x36\x37\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55"
     "\x56\x57\x58\x59\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a\x82\x83"
     "\x84\x85\x86\x87\x88\x89\x8a\x92\x93\x94\x95\x96\x97\x98\x99\x9a\xa2\xa3\xa4\xa5\xa6\xa7\xa8"
     "\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4"
     "\xd5\xd6\xd7\xd8\xd9\xda\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9"
     "\xfa"}};

uint32_t Word(const uint8_t* at) {
  return uint32_t{at[0]} << 8 | at[1];
}

uint32_t RoundedUp(uint32_t value, uint32_t by) {
  return (value + by - 1) / by;
}

// Names of the frame headers that are not supported.
const char* KindOf(uint8_t marker) {
  const uint32_t kind = marker & 15u;
  if (kind == 3) return "it is lossless";
  if (kind == 11) return "it is lossless and uses arithmetic coding";
  if (kind >= 5 && kind <= 7) return "it is hierarchical";
  if (kind >= 13) return "it is hierarchical and uses arithmetic coding";
  return "it uses arithmetic coding";
}

}  // namespace

void JpegTables::Reset() {
  std::memset(has_quantization, 0, sizeof(has_quantization));
  restart_interval = 0;
  for (uint32_t i = 0; i < kMostTables; ++i) {
    const auto set = [&](const Standard& from, HuffmanTable* table) {
      table->Set(from.counts, reinterpret_cast<const uint8_t*>(from.values));
    };
    set(kStandardDc[i % 2], &dc[i]);
    set(kStandardAc[i % 2], &ac[i]);
  }
}

bool JpegReader::Bad(const std::string& what) {
  why_ = what;
  return false;
}

JpegReader::Step JpegReader::Next() {
  // Skips stray bytes between segments.
  while (at_ < count_ && bytes_[at_] != kPrefix) ++at_;
  while (at_ < count_ && bytes_[at_] == kPrefix) ++at_;
  if (at_ >= count_) return Step::kEnd;
  const uint8_t marker = bytes_[at_++];
  if (marker == kScan && header_only_) {
    at_ -= 2;
    return Step::kScan;
  }
  if (marker == kEnd) {
    has_end_ = true;
    return Step::kEnd;
  }
  // Markers without a segment, and what is none.
  if (marker <= 0x01 || (marker >= 0xD0 && marker <= kStart)) return Step::kGoOn;
  if (count_ - at_ < 2) return Step::kEnd;
  const size_t length = Word(bytes_ + at_);
  const uint8_t* data = bytes_ + at_ + 2;
  if (length < 2) {
    Bad("is damaged: a segment has no length");
    return Step::kBad;
  }
  if (length > count_ - at_) {
    at_ = count_;
    return Step::kEnd;
  }
  at_ += length;
  const size_t bytes = length - 2;
  bool good = true;
  const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != kHuffman && marker != 0xC8 &&
                     marker != kArithmetic;
  if (frame) {
    return ReadFrame(marker, data, bytes) ? Step::kFrame : Step::kBad;
  }
  if (marker == kScan) return ReadScan(data, bytes) ? Step::kScan : Step::kBad;
  if (marker == kQuantization) good = ReadQuantization(data, bytes);
  if (marker == kHuffman) good = ReadHuffman(data, bytes);
  if (marker == kInterval && bytes >= 2) tables_.restart_interval = Word(data);
  if (marker >= kApp0) ReadApplication(marker, data, bytes);
  return good ? Step::kGoOn : Step::kBad;
}

void JpegReader::ReadApplication(uint8_t marker, const uint8_t* data, size_t bytes) {
  const auto begins = [&](const char* text, size_t count) {
    return bytes >= count && std::memcmp(data, text, count) == 0;
  };
  if (marker == kApp0 && begins("JFIF", 5)) jfif_ = true;
  if (marker == kApp1 && !has_exif_ && begins("Exif\0", 6)) {
    has_exif_ = true;
    orientation_ = OrientationOf(data, bytes);
  }
  constexpr size_t kAdobeBytes = 12;
  if (marker == kApp14 && bytes >= kAdobeBytes && begins("Adobe", 5)) adobe_ = data[11];
}

bool JpegReader::ReadQuantization(const uint8_t* data, size_t bytes) {
  while (bytes > 0) {
    const uint32_t wide = data[0] >> 4, number = data[0] & 15u;
    const size_t needed = 1 + kBlockValues * (wide + 1);
    if (wide > 1 || number >= kMostTables || bytes < needed) {
      return Bad("is damaged: a quantization table is invalid");
    }
    for (size_t k = 0; k < kBlockValues; ++k) {
      const uint32_t value = wide != 0 ? Word(data + 1 + 2 * k) : data[1 + k];
      tables_.quantization[number][kNaturalOrder[k]] = static_cast<uint16_t>(value);
    }
    tables_.has_quantization[number] = true;
    data += needed;
    bytes -= needed;
  }
  return true;
}

bool JpegReader::ReadHuffman(const uint8_t* data, size_t bytes) {
  constexpr size_t kHead = 17;
  while (bytes > 0) {
    size_t codes = 0;
    for (size_t i = 1; i < kHead && i < bytes; ++i) codes += data[i];
    const uint32_t kind = data[0] >> 4, number = data[0] & 15u;
    uint8_t values[256] = {};
    if (bytes < kHead || codes > 256 || bytes < kHead + codes || kind > 1 ||
        number >= kMostTables) {
      return Bad("is damaged: a Huffman table is invalid");
    }
    std::copy(data + kHead, data + kHead + codes, values);
    // A code of a DC table is a number of bits.
    const bool sound =
        kind != 0 || std::all_of(values, values + codes, [](uint8_t v) { return v < 16; });
    if (!sound || !(kind == 0 ? tables_.dc : tables_.ac)[number].Set(data + 1, values)) {
      return Bad("is damaged: a Huffman table is invalid");
    }
    data += kHead + codes;
    bytes -= kHead + codes;
  }
  return true;
}

bool JpegReader::ReadFrame(uint8_t marker, const uint8_t* data, size_t bytes) {
  constexpr size_t kHead = 6;
  if (marker > 0xC2) {
    return Bad(std::string("is a JPEG that cannot be read: ") + KindOf(marker) +
               "; save it as a baseline or progressive JPEG");
  }
  if (frame_.component_count != 0) return Bad("is damaged: it has two frame headers");
  if (bytes < kHead || bytes < kHead + 3 * size_t{data[5]}) {
    return Bad("is damaged: its frame header is too short");
  }
  if (data[0] != 8) {
    return Bad("is a JPEG of " + std::to_string(data[0]) + " bits per sample; save it with 8");
  }
  const uint32_t count = data[5];
  if (count == 4) return Bad("is a CMYK picture, which is not supported; save it as RGB");
  if (count != 1 && count != 3) {
    return Bad("is a JPEG of " + std::to_string(count) + " components; 1 and 3 are supported");
  }
  frame_.progressive = marker == 0xC2;
  frame_.height = Word(data + 1);
  frame_.width = Word(data + 3);
  if (frame_.width == 0 || frame_.height == 0) return Bad("is a picture without pixels");
  frame_.most_h = frame_.most_v = 1;
  for (uint32_t i = 0; i < count; ++i) {
    JpegComponent& c = frame_.components[i];
    const uint8_t* from = data + kHead + 3 * size_t{i};
    c.id = from[0], c.h = from[1] >> 4, c.v = from[1] & 15, c.table = from[2];
    if (c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4 || c.table >= kMostTables) {
      return Bad("is damaged: its frame header is invalid");
    }
    frame_.most_h = std::max<uint32_t>(frame_.most_h, c.h);
    frame_.most_v = std::max<uint32_t>(frame_.most_v, c.v);
  }
  // The sampling factors of a single component have no effect.
  if (count == 1) {
    frame_.components[0].h = frame_.components[0].v = 1;
    frame_.most_h = frame_.most_v = 1;
  }
  frame_.mcus_x = RoundedUp(frame_.width, kBlock * frame_.most_h);
  frame_.mcus_y = RoundedUp(frame_.height, kBlock * frame_.most_v);
  for (uint32_t i = 0; i < count; ++i) {
    JpegComponent& c = frame_.components[i];
    if (frame_.most_h % c.h != 0 || frame_.most_v % c.v != 0) {
      return Bad("is a JPEG whose chroma sampling is not supported; save it again");
    }
    c.blocks_x = RoundedUp(RoundedUp(frame_.width * c.h, frame_.most_h), kBlock);
    c.blocks_y = RoundedUp(RoundedUp(frame_.height * c.v, frame_.most_v), kBlock);
    c.wide = frame_.mcus_x * c.h;
    c.high = frame_.mcus_y * c.v;
    c.has_quantization = false;
    std::fill(std::begin(c.bits_left), std::end(c.bits_left), int8_t{-1});
  }
  frame_.component_count = count;
  return true;
}

void JpegReader::Allocate() {
  for (uint32_t i = 0; i < frame_.component_count; ++i) {
    JpegComponent& c = frame_.components[i];
    const size_t samples = size_t{c.wide} * c.high * kBlockValues;
    c.samples.resize(samples);  // a whole picture writes all that is read
    if (frame_.progressive) c.values.assign(samples, 0);
  }
}

bool JpegReader::ReadScan(const uint8_t* data, size_t bytes) {
  constexpr const char* kWrong = "is damaged: the header of a scan is invalid";
  JpegScan scan{};
  scan.count = bytes > 0 ? data[0] : 0;
  if (frame_.component_count == 0 || scan.count < 1 || scan.count > frame_.component_count ||
      bytes < 4 + 2 * size_t{scan.count}) {
    return Bad(kWrong);
  }
  if (++scans_ > kMostScans) {
    return Bad("is a JPEG of more than " + std::to_string(kMostScans) + " scans; save it again");
  }
  if (scans_ == 1) Allocate();
  const uint8_t* rest = data + 1 + 2 * size_t{scan.count};
  scan.first = rest[0], scan.last = rest[1], scan.high = rest[2] >> 4, scan.low = rest[2] & 15;
  const bool sound = scan.first == 0 ? scan.last == 0 : scan.count == 1 && scan.last < kBlockValues;
  if (!frame_.progressive) {
    scan.first = 0, scan.last = kBlockValues - 1, scan.high = scan.low = 0;
  } else if (!sound || scan.first > scan.last || scan.low > 13 ||
             (scan.high != 0 && scan.high != scan.low + 1)) {
    return Bad(kWrong);
  }
  uint32_t blocks = 0;
  for (uint32_t i = 0; i < scan.count; ++i) {
    uint32_t number = 0;
    while (number < frame_.component_count && frame_.components[number].id != data[1 + 2 * i]) {
      ++number;
    }
    for (uint32_t k = 0; k < i; ++k) {
      if (scan.component[k] == number) return Bad(kWrong);
    }
    scan.component[i] = number;
    scan.dc[i] = data[2 + 2 * i] >> 4;
    scan.ac[i] = data[2 + 2 * i] & 15;
    if (number == frame_.component_count || scan.dc[i] >= kMostTables ||
        scan.ac[i] >= kMostTables) {
      return Bad(kWrong);
    }
    JpegComponent& c = frame_.components[number];
    blocks += uint32_t{c.h} * c.v;
    if (!c.has_quantization) {
      if (!tables_.has_quantization[c.table]) {
        return Bad("is damaged: it has no quantization table for its component " +
                   std::to_string(number));
      }
      std::copy(std::begin(tables_.quantization[c.table]), std::end(tables_.quantization[c.table]),
                std::begin(c.quantization));
      c.has_quantization = true;
    }
    for (uint32_t k = scan.first; k <= scan.last; ++k) {
      // A scan builds on those before it.
      if (frame_.progressive &&
          c.bits_left[k] != (scan.high == 0 ? -1 : static_cast<int>(scan.high))) {
        return Bad(kWrong);
      }
      c.bits_left[k] = static_cast<int8_t>(scan.low);
    }
  }
  if (scan.count > 1 && blocks > kMostBlocksOfMcu) return Bad(kWrong);
  size_t used = 0;
  const char* wrong = DecodeScan(scan, tables_, bytes_ + at_, count_ - at_, &frame_, &used);
  if (wrong != nullptr) return Bad(wrong);
  at_ += used;
  return true;
}

bool JpegReader::IsRgb() const {
  if (jfif_) return false;
  if (adobe_ >= 0) return adobe_ == 0;
  const JpegComponent* c = frame_.components;
  return c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B';
}

bool JpegReader::ReadHeader(const uint8_t* bytes, size_t count, std::string* why) {
  bytes_ = bytes, count_ = count, at_ = 2;
  frame_.component_count = 0;
  tables_.Reset();
  adobe_ = -1, orientation_ = 1;
  jfif_ = has_end_ = has_exif_ = false;
  scans_ = 0;
  header_only_ = true;
  Step step = Step::kGoOn;
  while (step == Step::kGoOn || step == Step::kFrame) step = Next();
  header_only_ = false;
  if (step == Step::kScan && frame_.component_count != 0) return true;
  if (step == Step::kEnd) why_ = "is truncated inside its header";
  if (step == Step::kScan) why_ = "is damaged: it has no frame header";
  *why = why_;
  return false;
}

// All of each component; of progressive pictures all bits too, unless the end is marked: then what
// is there is what its writer meant.
bool JpegReader::IsWhole() {
  for (uint32_t i = 0; i < frame_.component_count; ++i) {
    const JpegComponent& c = frame_.components[i];
    const auto* unread = std::find_if(std::begin(c.bits_left), std::end(c.bits_left),
                                      [](int8_t bits) { return bits != 0; });
    if (c.bits_left[0] < 0 || (!has_end_ && unread != std::end(c.bits_left))) {
      return Bad("is truncated: some of its scans are missing");
    }
  }
  return true;
}

bool JpegReader::Decode(std::string* why) {
  Step step = Step::kGoOn;
  while (step != Step::kEnd && step != Step::kBad) step = Next();
  if (step == Step::kBad || !IsWhole()) {
    *why = why_;
    return false;
  }
  if (!frame_.progressive) return true;
  for (uint32_t i = 0; i < frame_.component_count; ++i) {
    JpegComponent& c = frame_.components[i];
    const size_t stride = size_t{c.wide} * kBlock;
    for (size_t y = 0; y < c.high; ++y) {
      for (size_t x = 0; x < c.wide; ++x) {
        InverseTransform(c.values.data() + (y * c.wide + x) * kBlockValues, c.quantization,
                         c.samples.data() + y * kBlock * stride + x * kBlock, stride);
      }
    }
  }
  return true;
}

}  // namespace octet::pictures
