// Messages of a stage begin with the model that they are about.
#ifndef OCTET_CONVERTER_CONVERT_IN_MODEL_H_
#define OCTET_CONVERTER_CONVERT_IN_MODEL_H_

#include <string>

#include "converter/support/error.h"

namespace octet::convert {

// What `f` returns; its UserErrors begin with the path of the model. Import writes the path itself,
// and runs outside.
template <typename F>
auto InModel(const std::string& path, F&& f) {
  try {
    return f();
  } catch (const UserError& error) {
    throw UserError(path + ": " + error.what());
  }
}

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_IN_MODEL_H_
