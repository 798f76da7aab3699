// The known name that is nearest to a word.
#ifndef OCTET_PORTS_LINUX_WORDS_NEAREST_H_
#define OCTET_PORTS_LINUX_WORDS_NEAREST_H_

#include <string>
#include <vector>

namespace octet::port {

// Of `names` the one that the fewest letters tell from `name`: put in, taken out, replaced, or two
// neighbours swapped. A name that only goes on behind `name` is one letter away. Of several the
// first; empty where there are no names. The first 256 letters of a name count.
std::string Nearest(const std::string& name, const std::vector<std::string>& names);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_WORDS_NEAREST_H_
