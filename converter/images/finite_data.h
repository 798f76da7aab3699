// Data of inputs to which minus infinity is nothing: masks may hold it (calibrate/stand_ins.h).
#ifndef OCTET_CONVERTER_IMAGES_FINITE_DATA_H_
#define OCTET_CONVERTER_IMAGES_FINITE_DATA_H_

#include <memory>
#include <string>

#include "converter/images/dataset.h"

namespace octet::images {

// The same samples; UserError, which begins with `name`, where one of them is not finite.
std::unique_ptr<images::Dataset> RequireFinite(std::unique_ptr<images::Dataset> data,
                                               const std::string& name);

}  // namespace octet::images

#endif  // OCTET_CONVERTER_IMAGES_FINITE_DATA_H_
