// What operators do to the meaning of elements: whether they only move them, what range they have
// by nature, and whether results are classes or lists instead of amounts.
#ifndef OCTET_CONVERTER_OPERATORS_MEANING_H_
#define OCTET_CONVERTER_OPERATORS_MEANING_H_

#include <cstdint>
#include <string_view>

#include "converter/graph/graph.h"

namespace octet::operators {

enum class Elements : uint8_t { kOther, kMove, kMap, kSum, kClass };

// The word of an operator in operators.inc; plugins choose one too. The functions below say what
// the fields mean.
struct Meaning {
  static constexpr int kNoList = -2, kListAlongAttribute = -1;  // `axis`

  Elements elements = Elements::kOther;
  bool joins = false, by_inputs = false, converts = false;
  bool reads_codes = false, rounds_to_codes = false;
  double range = 0;
  uint32_t bounds = 0;  // inputs, one bit each
  int positions = -1;
  int list_axis = kNoList;
};
namespace meanings {
inline constexpr Meaning kNone{}, kMoves{Elements::kMove},
    kJoins{.elements = Elements::kMove, .joins = true},
    kSlices{.elements = Elements::kMove, .by_inputs = true, .bounds = 2 | 4},
    kConverts{.elements = Elements::kMove, .converts = true}, kMaps{Elements::kMap},
    kShares{.elements = Elements::kMap, .range = 1},
    kSigned{.elements = Elements::kMap, .range = 2}, kSums{Elements::kSum},
    kClasses{Elements::kClass}, kRanks{.list_axis = Meaning::kListAlongAttribute},
    kSelectsBoxes{.bounds = 4, .positions = 0, .list_axis = 0}, kPlaces{.list_axis = 1},
    kSamples{.positions = 1}, kReadsCodes{.elements = Elements::kMap, .reads_codes = true},
    kRoundsToCodes{.elements = Elements::kMap, .rounds_to_codes = true},
    kRoundsItself{.rounds_to_codes = true};
}  // namespace meanings

// Each element of the result is one of the input at another place, or converted.
bool MovesElements(std::string_view op);
// Each element of the result is a function of the element at its place, or of its row (Softmax):
// its meaning stays.
bool MapsElements(std::string_view op);
// Elements of all inputs are joined, not of the first alone.
bool JoinsInputs(std::string_view op);
// Where elements go is said by other inputs, not by shapes alone.
bool MovesByInputs(std::string_view op);
// Each element of the result is a weighted sum of several elements of the input.
bool SumsElements(std::string_view op);
// Elements keep their places, whatever their type becomes.
bool ConvertsType(std::string_view op);
// Width of the range that results have by nature; 0: none.
double NaturalRange(std::string_view op);
// The result names one of several: equal or not, nothing between.
bool GivesClasses(std::string_view op);
// Results are lists whose members and order data decide: how long the list is in a result of this
// shape. 0: they are none.
int64_t ListLength(const graph::Node& node, const graph::Shape& shape);
// Numbers in this result order the rows of the list, largest first.
bool OrdersRows(const graph::Node& node, size_t output);
// The input that holds positions in a picture, at which it is sampled or which are compared; -1:
// none.
int PositionsInput(std::string_view op);
// The input only bounds how far or how many: numbers beyond what there is do no more than it.
bool IsBound(std::string_view op, int input);
// The operators of ONNX for both, with one scale.
inline constexpr const char *kReadCodes = "DequantizeLinear", *kRoundToCodes = "QuantizeLinear";
// Codes become numbers: input 1 is their scale.
bool ReadsCodes(std::string_view op);
// Values are rounded to codes here.
bool RoundsToCodes(std::string_view op);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_MEANING_H_
