// The golden vectors of a blob in memory, at the best level of this machine.
#ifndef OCTET_PORTS_LINUX_SLOT_SELF_TEST_H_
#define OCTET_PORTS_LINUX_SLOT_SELF_TEST_H_

#include <cstddef>
#include <string>

namespace octet::port {

struct SelfTest {
  bool passed = false;
  // One line without an end: how many vectors passed, that there are none, or which output of which
  // vector and plan is another one.
  std::string line;
};

// blob: valid, 64-byte aligned. All plans are run, one after the other; memory for the largest.
SelfTest RunSelfTest(const void* blob, size_t blob_bytes);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SLOT_SELF_TEST_H_
