// octet-serve, from its options to its end.
#ifndef OCTET_PORTS_LINUX_SERVE_PROGRAM_SERVE_H_
#define OCTET_PORTS_LINUX_SERVE_PROGRAM_SERVE_H_

#include "ports/linux/serve/program/options.h"

namespace octet::port::serve {

// Serves until SIGINT or SIGTERM. Returns the exit status; throws InputError.
int Serve(const ServeOptions& options);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_PROGRAM_SERVE_H_
