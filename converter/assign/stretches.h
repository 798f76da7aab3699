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
//                                      - kDecibelsOfDoubling * log2(arena / arena of the int8 plan)
//
// with the times of a clock (clock.h): a decibel may cost a hundredth of the time. The whole of a
// network in FP16 takes two to four times as long and gains 30 dB or less, a third of a decibel or
// less for each hundredth: only what gains several times as much as the average layer is taken. All
// FP16 layers together have at most a tenth of the products.
//
// The arena: its bytes times the outputs' error must not grow. An arena twice as large has to halve
// the error, 20 log10 2 dB, as one bit more of every value does; 8 bits more are what it is taken
// for. A stretch away from the place where most tensors are alive costs no arena and pays nothing.
// Where sets of the order above need more arena, the same order is also tried without the units
// that raise it. What would be best if the arena cost nothing is told, with its price.
//
// Boxes: where a decoder reads them, and those of the int8 plan, with what was found so far in
// FP16, agree with FP32's by less than kAgreementInDoubt, the search is made once more with
//
//   + kDecibelsOfAnswers * (agreement of the boxes gained, as far as it is certain: boxes.h)
//
// A hundredth of the answers may cost four hundredths of the time: a larger network of the same
// family pays 20 to 40 for a point of mAP. Units have a third order, by what each alone does to the
// boxes, and small networks are measured on more samples. No bound of products: their time is paid
// for. The accepting samples then have to give a positive figure, too.
//
// What the int8 plan runs in FP16 anyway stays there: coordinates (recover/tail_choice.h) are worth
// more than decibels of all outputs. With them in int8 those of YOLOv8n at 320x320 lose 0.7 dB of
// 20, and boxes are off by a 256th of the picture.
#ifndef OCTET_CONVERTER_ASSIGN_STRETCHES_H_
#define OCTET_CONVERTER_ASSIGN_STRETCHES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "converter/assign/assign.h"
#include "converter/assign/bargain.h"
#include "converter/recover/step.h"

namespace octet::assign {

// An agreement is IoU times the smaller score over the larger: both nine tenths.
inline constexpr double kAgreementInDoubt = 0.81;

// Arena of the plan of a scheme; nullopt where no plan can be made of it.
using ArenaOf = std::function<std::optional<int64_t>(const quantize::Scheme&)>;

struct Stretches {
  recover::Step step{"FP16 stretches"};
  quantize::Config config;         // what AssignScheme makes the scheme of, whatever was kept
  std::optional<Bargain> kept;     // its gain is of the reporting samples
  std::optional<Bargain> refused;  // better than what was kept but for its arena, on samples that
                                   // it was not found from; its gain is of those
};

// model.int8 is what AssignScheme makes of the configuration, perhaps with layers more in FP16,
// which stay so. boxes: of the same graph and data, with a judge that reads faint boxes as well
// (convert/task_likeness.h); null: boxes are not counted. Sets *scheme. With too few samples
// nothing is changed.
Stretches ChooseStretches(const Model& model, const Clock& clock, const ArenaOf& arena_of,
                          const simulate::Simulator::Progress& progress, quantize::Scheme* scheme,
                          const simulate::Simulator* boxes = nullptr);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_STRETCHES_H_
