// What octet-run --self-test prints.
#ifndef OCTET_PORTS_LINUX_RUN_SELF_TEST_REPORT_H_
#define OCTET_PORTS_LINUX_RUN_SELF_TEST_REPORT_H_

#include "ports/linux/run/machine.h"
#include "ports/linux/run/self_test.h"

namespace octet::port {

// A table for people.
void PrintSelfTest(const SelfTest& test, const Machine& machine);
// One line, to be sent in: docs/json.md has the keys.
void PrintSelfTestJson(const SelfTest& test, const Machine& machine);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_SELF_TEST_REPORT_H_
