// What every program does around its work, so that its exit status can be relied on: descriptors 0
// to 2 are open, what was printed has arrived, and a limit of the system is a line that names it.
#ifndef OCTET_PORTS_LINUX_OUTPUT_PROGRAM_H_
#define OCTET_PORTS_LINUX_OUTPUT_PROGRAM_H_

#include <functional>
#include <string>

namespace octet::port {

// Calls `work`, which throws InputError or returns the exit status, and returns the status of the
// program. Before: what of descriptors 0 to 2 is closed is opened as something that neither reads
// nor writes, so that no other file gets its number. stdout and stderr wait for a slow reader, also
// of a pipe that does not block. A reader that has gone and a file that may not grow are errors of
// the write, not signals. Control characters in what is printed become '?' (plain.h). After: stdout
// is written to its end; where that fails the status is 2. `name` begins each line on stderr.
int RunProgram(const std::string& name, const std::function<int()>& work);

// Writes what was printed so far. False: it did not arrive, and RunProgram will say so.
bool PrintedArrives();

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_OUTPUT_PROGRAM_H_
