// Settings of the guard by name, as board files and --guard-set spell them: scores as shares of the
// FP32 model's (0 to 1), times in seconds, temperatures in degrees Celsius.
#ifndef OCTET_PORTS_LINUX_GUARD_SETTINGS_H_
#define OCTET_PORTS_LINUX_GUARD_SETTINGS_H_

#include <string>
#include <vector>

#include "octet/guard.h"

namespace octet::port {

// Sets one; false where there is no such name or the value is none for it.
bool SetGuard(const std::string& name, const std::string& value, octet_guard_config* config);
// What the setting of this name takes, as "expected seconds".
std::string WhatGuardTakes(const std::string& name);
// "name=value,name=value". Empty, or what is wrong with the first that is.
std::string SetGuards(const std::string& settings, octet_guard_config* config);
// Empty, or the first two settings that contradict each other, or the one that cannot be, with
// their values: what octet_guard_init refuses.
std::string ContradictionOf(const octet_guard_config& config);
// Every name with its value in this configuration, in a fixed order.
std::vector<std::pair<std::string, std::string>> ListGuard(const octet_guard_config& config);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_GUARD_SETTINGS_H_
