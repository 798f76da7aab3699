// What went into a conversion, as digests: equal ones give equal blobs, on every machine.
#ifndef OCTET_CONVERTER_CLI_CONVERSION_INPUTS_H_
#define OCTET_CONVERTER_CLI_CONVERSION_INPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/convert/options.h"
#include "ports/linux/command_line/command_line.h"

namespace octet::cli {

// Of the command line of octet convert: every option that has a value, as words. `words`: behind
// the command. Throws UsageError.
std::vector<port::Setting> SettingsOf(const std::vector<std::string>& words);

// An option that is new counts, unless the list in the .cc
// says that it changes no blob. Files that an option names count by name and contents, other values
// by their text. Throws UserError where a file cannot be read.
nlohmann::json InputsJson(const convert::ConvertOptions& options,
                          const std::vector<port::Setting>& settings);

// SHA-256 of the bytes, hexadecimal, as sha256sum prints it.
std::string Sha256Hex(const std::vector<uint8_t>& bytes);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_CONVERSION_INPUTS_H_
