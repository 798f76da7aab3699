// Stretches of layers that the int8 plan runs in FP16 without being asked, by what the simulation
// measures.
//
// One tensor of a stem that 8 bits do not tell can lose more than all the rest of a network, and
// the layers around it be a hundredth of its work. A rounding goes away only where the tensor's
// producer and all of its readers run in FP16, so that whole stretches are chosen and judged, not
// layers:
//
//   1. What every unit (units.h) loses alone in int8, all else exact (sensitivity.h). Producer and
//      readers of a bad tensor all lose by it, so that they stand side by side in
//   2. the order of loss over time added, and in that of loss. The first 1, 2, 3, 4, 6, 8, 12, ...
//      units of both are simulated in FP16 within the int8 plan.
//   3. Of the best set the slowest units are put back in turn, neighbours are added in turn; all
//   that
//      is better so is changed at once, if all of it is better, too.
//   4. Accepting samples that nothing was found from decide.
//
// Best is what gains most in
//
//   dB of the outputs over their error - kDecibelsOfTime * (time added / time of the int8 plan)
//
// with the times of a clock (clock.h): a decibel may cost a hundredth of the time. The whole of a
// network in FP16 takes two to four times as long and gains 30 dB or less, a third of a decibel or
// less for each hundredth: only what gains several times as much as the average layer is taken. All
// FP16 layers together have at most a tenth of the products.
//
// What the int8 plan runs in FP16 anyway stays there: coordinates (recover/tail_choice.h) are worth
// more than decibels of all outputs. With them in int8 those of YOLOv8n at 320x320 lose 0.7 dB of
// 20, and boxes are off by a 256th of the picture.
#ifndef OCTET_CONVERTER_ASSIGN_STRETCHES_H_
#define OCTET_CONVERTER_ASSIGN_STRETCHES_H_

#include <string>
#include <vector>

#include "converter/assign/assign.h"
#include "converter/recover/step.h"

namespace octet::assign {

inline constexpr double kDecibelsOfTime = 100;
inline constexpr uint64_t kMostMacsShare = 10;  // one product in so many

struct Stretches {
  recover::Step step{"FP16 stretches"};
  quantize::Config config;         // what AssignScheme makes the scheme of, whatever was kept
  std::vector<std::string> nodes;  // chosen, in the order of execution
  double time_share = 0;           // of the int8 plan's time that they add
};

// model.int8 is what AssignScheme makes of the configuration, perhaps with layers more in FP16,
// which stay so. Sets *scheme. With too few samples nothing is changed.
Stretches ChooseStretches(const Model& model, const Clock& clock,
                          const simulate::Simulator::Progress& progress, quantize::Scheme* scheme);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_STRETCHES_H_
