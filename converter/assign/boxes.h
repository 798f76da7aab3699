// How well boxes of an int8 plan agree with FP32's, over pictures that have any.
//
// A picture without a box on either side agrees wholly and tells nothing: of a detector of faces
// most pictures of a calibration set may be such. Rounding leaves no box exactly as it was, so that
// those are the pictures whose agreement is 1.
#ifndef OCTET_CONVERTER_ASSIGN_BOXES_H_
#define OCTET_CONVERTER_ASSIGN_BOXES_H_

#include "converter/assign/sensitivity.h"
#include "converter/simulate/simulator.h"

namespace octet::assign {

// The mean agreement (convert/task_likeness.h); 1 where no picture has boxes.
double BoxAgreement(const simulate::Scores& scores);

// What `after` gains over `before` on the same pictures, of 1, with its standard error. 0 where no
// picture has boxes.
Mean BoxGain(const simulate::Scores& before, const simulate::Scores& after);
// The mean, made smaller by its standard error; 0 with fewer than two pictures of boxes.
double CertainBoxGain(const simulate::Scores& before, const simulate::Scores& after);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_BOXES_H_
