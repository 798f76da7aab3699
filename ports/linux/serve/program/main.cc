// octet-serve: a detector that other programs ask.
#include <optional>

#include "ports/linux/output/program.h"
#include "ports/linux/serve/program/serve.h"

int main(int argc, char** argv) {
  return octet::port::RunProgram("octet-serve", [&] {
    const std::optional<octet::port::serve::ServeOptions> options =
        octet::port::serve::ReadOptions(argc, argv);
    return options ? octet::port::serve::Serve(*options) : 0;
  });
}
