// The blob inside the program: a board needs no other file to be tested.
#ifndef OCTET_PORTS_LINUX_RUN_SHIPPED_BLOB_H_
#define OCTET_PORTS_LINUX_RUN_SHIPPED_BLOB_H_

#include <cstddef>
#include <cstdint>

namespace octet::port {

// demo/scene/detector.octet; 64-byte aligned.
const uint8_t* ShippedBlob();
size_t ShippedBlobBytes();

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_SHIPPED_BLOB_H_
