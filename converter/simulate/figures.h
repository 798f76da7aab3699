// How far rounded outputs of a graph are from the exact ones, by what they are made of.
#ifndef OCTET_CONVERTER_SIMULATE_FIGURES_H_
#define OCTET_CONVERTER_SIMULATE_FIGURES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/simulate/steps.h"

namespace octet::simulate {

// Energy of what an output takes from one value, and of the error of that. One figure for each
// piece of an output: pixels joined with probabilities would drown them.
struct Figure {
  double signal = 0, error = 0;
  void Add(const Figure& more) { signal += more.signal, error += more.error; }
};

// Of an output; see Decibels.
inline constexpr double kBestDb = 50;

// 10 log10(signal / error), kBestDb at most: a signal that fills its range lies 48 dB above the
// rounding to 8 bits, and a saturated score that is exact by chance must not outweigh the others
// when it is no longer. NaN where nothing was there to measure.
double Decibels(const Figure& figure);
// The mean over the pieces that hold something, in dB; 0 where none does.
double MeanDecibels(const std::vector<Figure>& pieces);
// Error as a share of the signal, the mean over those pieces; each is counted as 1 at most, for
// what is lost cannot get worse. What single layers add to it adds up, as long as it is small.
double MeanLoss(const std::vector<Figure>& pieces);

// Pieces of all outputs, in the order of operators::ViewOutputs.
size_t PieceCount(const Topology& topology);
// The figures of one picture. Pieces of integers stay empty.
std::vector<Figure> Measure(const Topology& topology, const Source& exact, const Source& rounded);

// The outputs as the runtime writes them: floats, each in its own layout.
std::vector<std::vector<float>> Assemble(const Topology& topology, const Source& source);

}  // namespace octet::simulate

#endif  // OCTET_CONVERTER_SIMULATE_FIGURES_H_
