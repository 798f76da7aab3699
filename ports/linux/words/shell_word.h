// Words of command lines that are printed or sent.
#ifndef OCTET_PORTS_LINUX_WORDS_SHELL_WORD_H_
#define OCTET_PORTS_LINUX_WORDS_SHELL_WORD_H_

#include <string>

namespace octet::port {

// `word` as one word of a POSIX shell; quoted only if necessary.
std::string ShellWord(const std::string& word);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_WORDS_SHELL_WORD_H_
