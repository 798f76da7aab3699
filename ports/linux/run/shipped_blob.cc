#include "ports/linux/run/shipped_blob.h"

// The build defines OCTET_SHIPPED_BLOB as the path of the file.
__asm__(
    ".pushsection .rodata\n"
    ".balign 64\n"
    ".globl octet_shipped_blob\n"
    "octet_shipped_blob:\n"
    ".incbin \"" OCTET_SHIPPED_BLOB
    "\"\n"
    ".globl octet_shipped_blob_end\n"
    "octet_shipped_blob_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const uint8_t octet_shipped_blob[];
extern const uint8_t octet_shipped_blob_end[];
}

namespace octet::port {

const uint8_t* ShippedBlob() {
  return octet_shipped_blob;
}

size_t ShippedBlobBytes() {
  return static_cast<size_t>(octet_shipped_blob_end - octet_shipped_blob);
}

}  // namespace octet::port
