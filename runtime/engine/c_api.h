// Between the C API and the engine.
#ifndef OCTET_ENGINE_C_API_H_
#define OCTET_ENGINE_C_API_H_

#include "octet/octet.h"
#include "runtime/core/status.h"
#include "runtime/engine/session.h"

namespace octet {

static inline octet_status ToC(Status status) {
  return octet_status{static_cast<octet_code>(status.code), status.offset};
}
static inline octet_status ToC(Code code) {
  return ToC(Status{code, 0});
}

static inline Session* SessionOf(octet_session* session) {
  return reinterpret_cast<Session*>(session);
}
static inline const Session* SessionOf(const octet_session* session) {
  return reinterpret_cast<const Session*>(session);
}

}  // namespace octet

#endif  // OCTET_ENGINE_C_API_H_
