// Scales that a blob does not hold, had back from its tables.
//
// A table says q' = clamp(round(f(s (q - z)) / s') + z') for the 256 codes q (QUANTIZATION.md, 4).
// The blob keeps the schemes of whole tensors, but neither the zero points of single channels
// before a table (they are in biases) nor the scales of single channels behind it (they are in
// factors). Both follow from f and the 256 entries: z is one of 256 integers, and every entry that
// is not cut off bounds s' from both sides.
#ifndef OCTET_CONVERTER_EXPORT_TABLE_SCHEMES_H_
#define OCTET_CONVERTER_EXPORT_TABLE_SCHEMES_H_

#include <cstdint>
#include <span>

#include "converter/lower/builder.h"

namespace octet::exporting {

struct TableScheme {
  double scale = 1;           // s, as given or next to it
  int zero_point = 0;         // z
  double output_scale = 1;    // s'
  int differing_entries = 0;  // of the table that this scheme makes from that in the blob
};

// A table tells a scale to about a thousandth: the s near that of `from` that makes the table, its
// zero point, s' and z' being known.
TableScheme FindScale(const lower::FunctionOf& function, std::span<const int8_t> table,
                      TableScheme from, int output_zero_point);
// z where s, s' and z' are known; s itself may come from another table and be a little off, then
// the one nearby that makes the table is taken.
TableScheme FindZeroPoint(const lower::FunctionOf& function, std::span<const int8_t> table,
                          double scale, double output_scale, int output_zero_point);
// z and s' where s and z' are known: the middle of what the entries allow.
TableScheme FindOutputScale(const lower::FunctionOf& function, std::span<const int8_t> table,
                            double scale, int output_zero_point);
// Entries in which the table of these schemes differs.
int DifferingEntries(const lower::FunctionOf& function, std::span<const int8_t> table, double scale,
                     int zero_point, double output_scale, int output_zero_point);

}  // namespace octet::exporting

#endif  // OCTET_CONVERTER_EXPORT_TABLE_SCHEMES_H_
