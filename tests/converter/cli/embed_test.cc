// octet embed: what a program has in its image is the blob, to the last byte.
#include "converter/cli/embed.h"

#include <sys/wait.h>

#include <cstdlib>

#include "octet/octet.h"
#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

class Embed : public Cli {
 protected:
  // The demo's classifier as demo.octet.
  void WriteDemo() const {
    WriteNpy("d.npy", "|u1", {4, 28, 28, 1});
    const Result result = Octet({"convert", OCTET_SOURCE_DIR "/demo/fashion_mnist.onnx", "-o",
                                 Path("demo.octet"), "--calibrate", Path("d.npy")});
    ASSERT_EQ(result.status, 0) << result.err;
  }
  // Exit status of a command line; what it says stays in the test's log.
  static int Shell(const std::string& line) {
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

// A program binds the blob in an arena of the header's size and writes it to stdout.
constexpr char kProgram[] = R"(
#include <octet/octet.h>
#include <stdio.h>

#include "files.h"

#ifdef __cplusplus
alignas(64) static unsigned char arena[FILES_ARENA_BYTES];
#else
static _Alignas(64) unsigned char arena[FILES_ARENA_BYTES];
#endif

int main(void) {
  octet_config config = {sizeof(octet_config)};
  octet_session* session;
  if ((size_t)files_blob % 64 != 0) return 3;
  if (files_blob_end - files_blob != FILES_BLOB_BYTES) return 4;
  if (sizeof(arena) < FILES_ARENA_BYTES_NEON) return 5;
  if (octet_bind(files_blob, sizeof(files_blob), arena, sizeof(arena), &config, &session).code !=
      OCTET_OK)
    return 6;
  return fwrite(files_blob, 1, sizeof(files_blob), stdout) == sizeof(files_blob) ? 0 : 7;
}
)";

TEST_F(Embed, ProgramsOfCAndOfCxxHaveTheBlob) {
  WriteDemo();
  const Result result = Octet({"embed", Path("demo.octet"), "-o", Path("files")});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("files_blob, "), std::string::npos) << result.out;
  const std::string blob = ReadText("demo.octet");
  ASSERT_GT(blob.size(), 100000u);
  EXPECT_NE(ReadText("files.h").find("BLOB_BYTES " + std::to_string(blob.size()) + "\n"),
            std::string::npos);
#if defined(__SANITIZE_ADDRESS__)
  const std::string sanitizers = " -fsanitize=address,undefined";
#else
  const std::string sanitizers;
#endif
  const std::string rest = sanitizers + " -I" OCTET_SOURCE_DIR "/runtime/include -I" + Path("") +
                           " " + Path("files.S") +
                           " " OCTET_BIN_DIR "/../lib/liboctet_runtime.a -o " + Path("program");
  WriteText("program.c", kProgram);
  WriteText("program.cc", kProgram);
  for (const std::string& compiler :
       {std::string(OCTET_C_COMPILER " -std=c11 " + Path("program.c")),
        std::string(OCTET_CXX_COMPILER " -std=c++17 " + Path("program.cc"))}) {
    ASSERT_EQ(Shell(compiler + " -Wall -Wextra -Werror -Wno-missing-field-initializers" + rest), 0);
    ASSERT_EQ(Shell(Path("program") + " >" + Path("out")), 0);
    EXPECT_EQ(ReadText("out") == blob, true) << compiler;
  }
}

TEST_F(Embed, ImagesWithoutAnOperatingSystemHaveIt) {
  if (Shell("command -v arm-none-eabi-gcc >/dev/null") != 0) {
    GTEST_SKIP() << "arm-none-eabi-gcc is not installed";
  }
  WriteDemo();
  ASSERT_EQ(Octet({"embed", Path("demo.octet"), "-o", Path("files"), "--name", "net"}).status, 0);
  WriteText("start.c",
            "#include \"files.h\"\n"
            "_Alignas(64) unsigned char arena[NET_ARENA_BYTES_REFERENCE];\n"
            "const unsigned char* _start(void) { return arena[0] ? net_blob : net_blob_end; }\n");
  ASSERT_EQ(
      Shell("arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -Wall -Werror -ffreestanding "
            "-nostdlib -Wl,--gc-sections,--section-start=.text=0x8000 -I" +
            Path("") + " " + Path("start.c") + " " + Path("files.S") + " -o " + Path("image.elf")),
      0);
  ASSERT_EQ(Shell("arm-none-eabi-objcopy -O binary -j .rodata " + Path("image.elf") + " " +
                  Path("image.bin")),
            0);
  const std::string image = ReadText("image.bin"), blob = ReadText("demo.octet");
  EXPECT_NE(image.find(blob), std::string::npos);
  ASSERT_EQ(Shell("arm-none-eabi-nm " + Path("image.elf") + " | grep -q '[048c]0 R net_blob$'"), 0);
}

TEST_F(Embed, NamesOfFilesBecomeNamesOfSymbols) {
  EXPECT_EQ(cli::IdentifierOf("yolov8n"), "yolov8n");
  EXPECT_EQ(cli::IdentifierOf("my-model.v2"), "my_model_v2");
  EXPECT_EQ(cli::IdentifierOf("8bit"), "model_8bit");
  EXPECT_EQ(cli::IdentifierOf("__a--b__"), "a_b");
  EXPECT_EQ(cli::IdentifierOf("\xd0\xbc"), "model");
  for (const char* name : {"a", "aB_9"}) EXPECT_TRUE(cli::IsIdentifier(name)) << name;
  for (const char* name : {"", "_a", "9a", "a_", "a__b", "a-b", "a b", "\xc3\xa4"}) {
    EXPECT_FALSE(cli::IsIdentifier(name)) << name;
  }
}

TEST_F(Embed, RefusesWithTheWayOut) {
  const auto embed = [this](const std::string& blob, const std::string& out,
                            const std::string& name) {
    return Octet({"embed", blob, "-o", out, "--name", name});
  };
  ASSERT_EQ(Convert("m.onnx").status, 0);
  for (const auto& [result, cause] : {
           std::pair{embed(Path("m.onnx"), Path("f"), "f"), "convert it first"},
           std::pair{embed(Path("no.octet"), Path("f"), "f"), "cannot be opened"},
           std::pair{embed(Path("out.octet"), Path("f"), "1"), "--name 1: not a name for symbols"},
           std::pair{embed(Path("out.octet"), Path("no/f"), "f"), "cannot be written"},
           std::pair{embed(Path("out.octet"), Path(""), "f"), "a folder"},
       }) {
    EXPECT_EQ(result.status, 2) << cause;
    EXPECT_NE(result.err.find(cause), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(ReadText("f.S") + ReadText("f.h"), "");
  }
}

}  // namespace
}  // namespace octet::test
