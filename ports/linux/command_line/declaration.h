// What a program declared of its command line, as data: --help-json prints it, and man pages and
// the option tables of the manual are made of that (docs/options.py).
#ifndef OCTET_PORTS_LINUX_COMMAND_LINE_DECLARATION_H_
#define OCTET_PORTS_LINUX_COMMAND_LINE_DECLARATION_H_

#include <string>
#include <vector>

namespace octet::port {

struct DeclaredOption {
  std::vector<std::string> names;  // "-o", "--output"; of an argument by its place one, "MODEL"
  std::string value;               // TEXT, INT, UINT or FLOAT; of a flag empty
  bool many = false;               // it takes several values
  bool required = false;
  std::string default_value;       // as --help shows it; empty: none is shown
  std::vector<std::string> among;  // the only words; empty: any
  std::string least, most;         // both ends included; empty: no limit is declared
  std::string needs;               // the option without which it is refused
  std::string reload;              // now, with model: what SIGHUP does; empty: a restart
  bool once = false;               // an action of one start, which no settings file has
  std::string help;
};

struct DeclaredGroup {
  std::string title;
  bool more = false;  // in --help-all alone
  std::vector<DeclaredOption> options;
};

// A program, or one of its commands.
struct Declared {
  std::string name, description;
  std::vector<DeclaredOption> arguments;  // by their place
  std::vector<DeclaredGroup> groups;
  std::string footer, more_footer;
  std::vector<Declared> commands;
};

// One object, as docs/json.md has it; empty and false values are not printed.
std::string DeclarationJson(const Declared& declared);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_COMMAND_LINE_DECLARATION_H_
