// Which samples begin a sequence, of a blob with states.
#ifndef OCTET_PORTS_LINUX_RUN_SEQUENCES_H_
#define OCTET_PORTS_LINUX_RUN_SEQUENCES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace octet::port {

// text: --sequences, "400,400"; empty: all samples are one sequence. Throws InputError where the
// lengths are not those of the samples, or the blob has no states.
std::vector<bool> StartsOfSequences(const std::string& text, uint64_t samples, bool has_states);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_SEQUENCES_H_
