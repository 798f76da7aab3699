// The coded data of a JPEG: Huffman codes to coefficients (ITU-T T.81, annexes F and G).
#ifndef OCTET_PORTS_LINUX_PICTURES_JPEG_SCAN_H_
#define OCTET_PORTS_LINUX_PICTURES_JPEG_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace octet::pictures {

inline constexpr uint32_t kBlock = 8, kBlockValues = 64;
inline constexpr uint32_t kMostComponents = 3, kMostTables = 4;
inline constexpr uint32_t kMostBlocksOfMcu = 10;

// Place in the block, row by row, of the k-th coefficient of the file. Behind 63 come more of 63:
// a run of zeros may lead there in a damaged file.
extern const uint8_t kNaturalOrder[kBlockValues + 16];

struct HuffmanTable {
  static constexpr int kFastBits = 9;
  uint8_t symbols[256];
  uint16_t fast[1 << kFastBits];  // symbol << 4 | length by the next bits; 0: longer, or none
  int32_t most[18];               // largest code of a length; -1: none
  int32_t first[17];              // index of a length's first symbol, less its first code

  // counts: codes of 1 to 16 bits. False: more of a length than can be.
  bool Set(const uint8_t counts[16], const uint8_t* values);
};

struct JpegTables {
  uint16_t quantization[kMostTables][kBlockValues];  // row by row
  bool has_quantization[kMostTables];
  HuffmanTable dc[kMostTables], ac[kMostTables];
  uint32_t restart_interval;

  // None of quantization, and the Huffman tables of annex K.3 where a picture says none.
  void Reset();
};

struct JpegComponent {
  uint8_t id, h, v, table;
  uint32_t blocks_x, blocks_y;  // that the component has
  uint32_t wide, high;          // blocks in memory: whole MCUs
  uint16_t quantization[kBlockValues];
  bool has_quantization;           // as its first scan found them
  std::vector<uint8_t> samples;    // [high * 8, wide * 8]
  std::vector<int16_t> values;     // [high, wide, 64], of progressive pictures
  int8_t bits_left[kBlockValues];  // of each coefficient; -1: not even begun
};

struct JpegFrame {
  uint32_t width, height, component_count;
  uint32_t most_h, most_v, mcus_x, mcus_y;
  bool progressive;
  JpegComponent components[kMostComponents];
};

struct JpegScan {
  uint32_t count;  // components
  uint32_t component[kMostComponents], dc[kMostComponents], ac[kMostComponents];
  uint32_t first, last;  // coefficients, by the file's order
  uint32_t high, low;    // bits: those that came before, those left out
};

// data: behind the scan's header. Sequential pictures are transformed into samples at once,
// progressive ones gather values. Null where all is there, with *used; else what is wrong.
const char* DecodeScan(const JpegScan& scan, const JpegTables& tables, const uint8_t* data,
                       size_t bytes, JpegFrame* frame, size_t* used);

// values: dequantized, row by row. out: rows of 8 samples, `stride` apart.
void InverseTransform(const int16_t values[kBlockValues], const uint16_t quantization[kBlockValues],
                      uint8_t* out, size_t stride);

}  // namespace octet::pictures

#endif  // OCTET_PORTS_LINUX_PICTURES_JPEG_SCAN_H_
