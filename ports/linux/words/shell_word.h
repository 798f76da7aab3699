// Words of command lines that are printed or sent.
#ifndef OCTET_PORTS_LINUX_WORDS_SHELL_WORD_H_
#define OCTET_PORTS_LINUX_WORDS_SHELL_WORD_H_

#include <string>
#include <vector>

namespace octet::port {

// `word` as one word of a POSIX shell; quoted only if necessary.
std::string ShellWord(const std::string& word);

// The words of a command: blanks divide them; single and double quotes and backslashes as in a
// POSIX shell, which does nothing else with them here. Empty: a quote is open.
std::vector<std::string> SplitWords(const std::string& command);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_WORDS_SHELL_WORD_H_
