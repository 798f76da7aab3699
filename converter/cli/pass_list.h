// The passes in words.
#ifndef OCTET_CONVERTER_CLI_PASS_LIST_H_
#define OCTET_CONVERTER_CLI_PASS_LIST_H_

#include <string>

namespace octet::cli {

// A line for each in the order in which they run: family, name, what it guarantees, what it needs.
// Late ones, which need the configuration or data, come last.
std::string PassList();

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_PASS_LIST_H_
