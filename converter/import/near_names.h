// What somebody may have meant who named something that is not there.
#ifndef OCTET_CONVERTER_IMPORT_NEAR_NAMES_H_
#define OCTET_CONVERTER_IMPORT_NEAR_NAMES_H_

#include <string>
#include <vector>

namespace octet::import {

// At most four of `known`: names that hold the one asked for come first, then those written most
// alike.
std::vector<std::string> NearNames(const std::vector<std::string>& known, const std::string& name);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_NEAR_NAMES_H_
