// What a layer of a plan takes on a board: measured there, or told by a model of its cores.
//
// Measured: octet-run --profile --json on the board, once for each plan of a blob of the same
// model. Every layer is found by its name and precision; conversions that the profiles do not have
// take what those they have took for a byte.
//
// Model, of one core, for boards nobody has at hand (cycles; macs, elements and bytes of a layer):
//
//   convolutions, matrix products  macs / macs_per_cycle + elements written * cycles_per_element
//   everything else                bytes read and written / bytes_per_cycle
//
// The numbers by ISA word stand in model_clock.cc with their sources. The model is for weighing
// int8 against FP16; where milliseconds matter, measure.
#ifndef OCTET_CONVERTER_ASSIGN_CLOCK_H_
#define OCTET_CONVERTER_ASSIGN_CLOCK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "converter/boards/board.h"
#include "converter/lower/program.h"

namespace octet::assign {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t NsOf(const lower::Program& program, const lower::Layer& layer) const = 0;
  // Of turning int8 into FP16 or back.
  virtual int64_t ConversionNs(uint64_t elements) const = 0;
  // For reports: where the times come from.
  virtual std::string Source() const = 0;

  int64_t NsOf(const lower::Program& program) const;
};

// Null where the model has no numbers for the board's cores.
std::unique_ptr<Clock> FindModelClock(const boards::Board& board);
// UserError there.
std::unique_ptr<Clock> ModelClock(const boards::Board& board);
// A core like that of many small boards, for those who name none.
std::unique_ptr<Clock> DefaultClock();

// `files`: what octet-run --profile --json printed. UserError for what is none.
std::unique_ptr<Clock> ProfileClock(const std::vector<std::string>& files);
// UserError where a clock made of profiles does not know the layers of these plans.
void CheckKnows(const Clock& clock, const std::vector<const lower::Program*>& programs);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_CLOCK_H_
