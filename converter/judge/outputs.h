// What the outputs of a graph are: numbers, or classes, picks, masks and counts, which are compared
// as such; and the pieces of different meaning that an output is joined of.
#ifndef OCTET_CONVERTER_JUDGE_OUTPUTS_H_
#define OCTET_CONVERTER_JUDGE_OUTPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::judge {

enum class Kind : uint8_t {
  kNumbers,  // how far they are apart counts
  kClasses,  // of ArgMax and ArgMin: equal or not
  kMask,     // true or false
  kCounts,   // other integers
  kRows,     // of a list whose order data decide (TopK, NonMaxSuppression, NonZero): who is in it
};
const char* NameOf(Kind kind);

// Elements that are computed together: boxes joined with scores are two pieces.
struct Piece {
  std::string name;     // of the value in the graph
  bool exact = false;   // integers: in a row of a list they are equal or not
  double step = 0;      // 1/256 of the range that its function has by nature; 0: it has none
  double grid = 0;      // step of the codes that the file rounds it to; 0: it does not
  bool orders = false;  // its numbers order the rows of a list, largest first
};

struct Output {
  std::string name;
  graph::Shape shape;
  Kind kind = Kind::kNumbers;
  std::vector<Piece> pieces;
  std::vector<uint16_t> piece_of;  // by element; empty where there is one piece
  // Of kRows: element (list, row, column) is ((list * rows) + row) * columns + column.
  int64_t lists = 1, rows = 1, columns = 1;
  // Of kRows: index of the first output of the same list. Labels, boxes and scores that one TopK
  // picked are columns of one list: a row is found where all of them are alike.
  size_t list = 0;

  size_t PieceOf(size_t element) const { return piece_of.empty() ? 0 : piece_of[element]; }
};

// Of the graph as it is: shapes have to be known.
std::vector<Output> DescribeOutputs(const graph::Graph& graph);

// Whether the graph rounds values to codes itself (QuantizeLinear, or codes that import has found).
// A plan in FP16 does not round there.
bool RoundsToCodes(const graph::Graph& graph);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_OUTPUTS_H_
