// What a session bound with OCTET_WITH_DRIFT has in its arena. State: the rounds. The bank follows
// from them.
#ifndef OCTET_DRIFT_FEATURE_H_
#define OCTET_DRIFT_FEATURE_H_

#include "runtime/drift/bank.h"
#include "runtime/engine/session.h"

namespace octet {
namespace drift {

static inline Bank* BankOf(const Session& session) {
  return reinterpret_cast<Bank*>(MemoryOf(session.features, kDriftNumber).rest);
}
// Of a session that has a bank.
static inline Rounds* RoundsOf(const Session& session) {
  return reinterpret_cast<Rounds*>(MemoryOf(session.features, kDriftNumber).head);
}

// The bank as the rounds want it. False: the plan cannot run so, and the blob's own scales run
// instead.
bool FillAsWanted(const BlobView& blob, const Rounds& rounds, Bank* bank);

}  // namespace drift
}  // namespace octet

#endif  // OCTET_DRIFT_FEATURE_H_
