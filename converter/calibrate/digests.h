// SHA-256 of what goes into a conversion, hexadecimal.
#ifndef OCTET_CONVERTER_CALIBRATE_DIGESTS_H_
#define OCTET_CONVERTER_CALIBRATE_DIGESTS_H_

#include <string>
#include <vector>

namespace octet::calibrate {

// Of names and contents of files, in this order; a folder stands for its pictures, in the order of
// conversion. Throws UserError.
std::string DataDigest(const std::vector<std::string>& paths);
std::string TextDigest(const std::string& text);

}  // namespace octet::calibrate

#endif  // OCTET_CONVERTER_CALIBRATE_DIGESTS_H_
