#!/usr/bin/env python3
"""Proves that each check of this folder can fail: test_checks.py --cxx CXX --ar AR --nm NM"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_alone  # noqa: E402
import check_deletable  # noqa: E402
import check_hpp  # noqa: E402
import check_includes  # noqa: E402
import check_kernels  # noqa: E402
import check_style  # noqa: E402
import check_symbols  # noqa: E402
import check_words  # noqa: E402

LAYERS = """<!-- layers -->
| folder | may include |
| --- | --- |
| runtime/include | |
| runtime/core | |
| runtime/format | runtime/core |
| ports | runtime/include |
<!-- /layers -->
"""
CLANG = "clang++-14"  # as tests/layering/CMakeLists.txt names it
tools = None


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.write("CONTRIBUTING.md", LAYERS)
        self.write("runtime/core/a.h", "#include <stdint.h>\n")
        self.write("runtime/include/octet/octet.h", "")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def includes(self, name, line):
        self.write(name, line + "\n")
        return check_includes.check(self.root)[1]


class Includes(Tree):
    def test_allowed(self):
        self.assertEqual(self.includes("runtime/format/b.cc", '#include "runtime/core/a.h"'), [])
        self.assertEqual(self.includes("ports/linux/b.cc", '#include "octet/octet.h"\n#include <thread>'), [])

    def test_upwards(self):
        self.write("runtime/format/b.h", "")
        self.assertEqual(len(self.includes("runtime/core/c.cc", '#include "runtime/format/b.h"')), 1)

    def test_sideways(self):
        self.assertEqual(len(self.includes("ports/linux/b.cc", '#include "runtime/core/a.h"')), 1)

    def test_spelling(self):
        self.assertEqual(len(self.includes("runtime/core/c.cc", '#include "a.h"')), 1)
        self.assertEqual(len(self.includes("runtime/core/c.cc", "#include <runtime/core/a.h>")), 1)
        self.assertEqual(len(self.includes("ports/c.cc", '#include "runtime/include/octet/octet.h"')), 2)

    def test_system_header(self):
        self.assertEqual(len(self.includes("runtime/core/c.cc", "#include <vector>")), 1)

    def test_folder_without_row(self):
        self.assertEqual(len(self.includes("runtime/other/c.cc", "")), 1)


class Style(Tree):
    def test_length(self):
        self.write("runtime/core/b.cc", "\n" * 400)
        self.assertEqual(check_style.check(self.root)[1], [])
        self.write("runtime/core/b.cc", "\n" * 401)
        self.assertEqual(len(check_style.check(self.root)[1]), 1)

    def test_marks(self):
        self.write("runtime/core/b.cc", "// FIX" + "ME\n")
        self.assertEqual(len(check_style.check(self.root)[1]), 1)

    def test_operator_named_elsewhere(self):
        self.write("converter/operators/operators.inc", "OCTET_OPERATOR(Conv, InferConv)\n")
        self.write("converter/operators/a.cc", 'if (node.op == "Conv") {}\n')
        self.write("converter/passes/fold/a.cc", 'if (node.op == "Conv") {}\n')
        self.write("converter/quantize/a.cc", '// "Conv"\nFail("Conv is");\n')
        self.assertEqual(check_style.check(self.root)[1], [])
        self.write("converter/quantize/b.cc", 'if (node.op == "Conv") {}\n')
        self.assertEqual(len(check_style.check(self.root)[1]), 1)

    def test_library_functions(self):
        self.write("converter/lower/a.cc", '// std::exp(x)\nmath::Exp(x); std::sqrt(x); std::floor(x); Fail("pow(x)"); a.log(x); ClampLog2(x); std::max(x);\n')
        self.write("runtime/core/a.cc", "std::exp(x);\n")
        self.assertEqual(check_style.check(self.root)[1], [])
        self.write("converter/lower/a.cc", "std::exp(x);\nlogf(x);\nstd::log1p(x);\nstd::atan2(y, x);\n y = pow(x, 2);\n")
        self.assertEqual(len(check_style.check(self.root)[1]), 5)

    def test_operator_names_become_fewer_alone(self):
        self.write("converter/operators/operators.inc", "OCTET_OPERATOR(Conv, InferConv)\n")
        self.write("converter/passes/a.cc", 'if (node.op == "Conv") {}\nreturn "Conv";\n')
        problems = {most: check_style.check(self.root, {"converter/passes": most})[1] for most in (0, 1, 2, 3)}
        self.assertEqual([len(found) for found in problems.values()], [2, 1, 0, 1])
        self.assertIn("converter/passes/a.cc 2", problems[1][0])
        self.assertIn("NAMED_MOST", problems[3][0])


class Kernels(Tree):
    def problems(self, wanted, kernels="OCTET_KERNEL(add_s8, Args, avx2, Isa::kAvx2)\n", operator="OCTET_NO_KERNEL"):
        self.write(check_kernels.TABLE, "  X(add_s8, AddFn)  \\\n")
        self.write("runtime/kernels/binary/kernels.inc", "OCTET_KERNEL(add_s8, Args, reference, Isa::kReference)\n" + kernels)
        self.write(check_kernels.OPERATORS, f"OCTET_OPERATOR(10, Slice, slice, slice, kApart, NoScratch, {operator})\n")
        self.write(check_kernels.LIST, wanted)
        return check_kernels.problems_of(self.root)[0]

    def test_list(self):
        good = "add_s8: avx2\noperator Slice: copies\n"
        self.assertEqual(self.problems(good), [])
        self.assertEqual(len(self.problems(good, kernels="")), 1)
        self.assertEqual(len(self.problems(good, operator="OCTET_BY_PRECISION(a, b)")), 1)
        self.assertEqual(len(self.problems("add_s8: avx2 neon\noperator Slice: copies\n")), 1)
        self.assertEqual(len(self.problems("add_s8:\noperator Slice: copies\n")), 1)
        self.assertEqual(len(self.problems("operator Slice: copies\n")), 1)
        self.assertEqual(len(self.problems("add_s8: avx2\n")), 1)
        self.assertEqual(len(self.problems("add_s8: avx2\noperator Slice:\n")), 1)


class Words(Tree):
    def test_phrases(self):
        self.write("converter/cli/a.cc", '// left out\nFail("{}: is not a number; there is no such file", "is no");\n')
        self.assertEqual(check_words.check(self.root)[1], [])
        self.write("converter/cli/a.cc", 'Fail("{}: that is "\n     "no number");\n')
        self.assertEqual(len(check_words.check(self.root)[1]), 1)


class Deletable(Tree):
    def test_lines_outside_of_its_folders(self):
        self.write("converter/sections/temporal/temporal.h", "class Temporal;\n")
        self.write("ports/linux/temporal_observer.cc", "// temporal\n")
        self.write("runtime/core/temporally.h", "int a;\n")
        self.write("converter/sections/sections.inc", "SECTION(Guard)\nSECTION(Temporal)\n")
        self.assertEqual(check_deletable.lines_elsewhere(self.root, "temporal", "converter"), ["converter/sections/sections.inc:2"])
        self.assertEqual(check_deletable.lines_elsewhere(self.root, "temporal", "ports"), [])
        self.write("runtime/core/temporally.h", "int temporal;\n")
        self.assertEqual(len(check_deletable.lines_elsewhere(self.root, "temporal", "runtime")), 1)

    def test_the_same_word_for_something_else_is_no_feature(self):
        self.write("runtime/core/lock.h", "std::lock_guard lock(mutex);  // no include guard\nint guard;\n")
        self.assertEqual(check_deletable.lines_elsewhere(self.root, "guard", "runtime"), ["runtime/core/lock.h:2"])


    def test_sections_that_others_name(self):
        self.write("converter/sections/sections.inc", "OCTET_SECTION(Guard)\nOCTET_SECTION(PointNames)\n")
        self.write("converter/sections/guard/section.cc", '#include "converter/sections/guard/guard.h"\nMakeGuard();\n')
        self.write("converter/sections/point_names/names.cc", "MakePointNames();\n")
        self.assertEqual(check_deletable.section_problems(self.root), (["Guard", "PointNames"], []))
        self.write("converter/convert/inputs.cc", '#include "converter/sections/guard/guard.h"\n')
        self.write("converter/sections/guard/section.cc", "MakePointNames();\n")
        found = check_deletable.section_problems(self.root)[1]
        self.assertEqual([problem.split(" names it")[0] for problem in found],
                         ["Guard: converter/convert/inputs.cc:1", "PointNames: converter/sections/guard/section.cc:1"])
        self.write("converter/sections/sections.inc", "OCTET_SECTION(Gone)\n")
        self.assertEqual(len(check_deletable.section_problems(self.root)[1]), 1)


class Optimise(Tree):
    def configure(self):
        module = pathlib.Path(__file__).resolve().parents[2] / "cmake/OctetOptimise.cmake"
        self.write("CMakeLists.txt", f"""cmake_minimum_required(VERSION 3.25)
project(names NONE)
include({module})
octet_read_optimise(${{CMAKE_CURRENT_SOURCE_DIR}})
get_property(option GLOBAL PROPERTY octet_optimise_${{CMAKE_CURRENT_SOURCE_DIR}}/runtime/a/b.cc)
message(STATUS "b.cc: ${{option}}")
""")
        done = subprocess.run(["cmake", "-S", self.root, "-B", self.root / "build"], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_a_file_that_is_gone(self):
        self.write("runtime/a/b.cc", "")
        self.write("runtime/a/optimise.cmake", "octet_optimise(-Os b.cc)\n")
        code, said = self.configure()
        self.assertIn("b.cc: $<$<CONFIG:Release,RelWithDebInfo>:-Os>", said)
        self.assertEqual(code, 0)
        self.write("runtime/a/optimise.cmake", "octet_optimise(-Os b.cc c.cc)\n")
        code, said = self.configure()
        self.assertIn("names c.cc", said)
        self.assertNotEqual(code, 0)


class Hpp(Tree):
    def test_a_function_without_a_counterpart(self):
        self.write(f"{check_hpp.FOLDER}/octet.h", "OCTET_API int octet_run(octet_session* session);\nOCTET_API void\noctet_stop(void);\n")
        self.write(f"{check_hpp.FOLDER}/octet.hpp", "int Run() { return octet_run(session_); }\n// octet_stop\n")
        self.assertEqual(check_hpp.missing(self.root), (["octet_run", "octet_stop"], ["octet_stop"]))


class Alone(Tree):
    def check(self, *names, compiler=""):
        flags = (compiler or tools.cxx, "-std=c++20", f"-I{self.root}")
        files = {str(self.root / name): (flags, str(self.root)) for name in names}
        checker = check_alone.Checker(self.root, self.root, check_alone.Tree(self.root), 2)
        return [pathlib.Path(file).name for file, _ in checker.run(files)]

    USERS = 3  # of one header: enough to precompile it

    def test_headers_are_precompiled_where_that_saves_time(self):
        def chosen(*sets):
            return check_alone.worth_precompiling({str(i): ("flags", frozenset(names)) for i, names in enumerate(sets)})
        self.assertEqual(chosen(["map"]), [])
        self.assertEqual(chosen(*[["map"]] * self.USERS), [("flags", frozenset(["map"]))])
        # What all have in common, and what some have beside it.
        both = chosen(*[["regex"]] * 9, *[["regex", "gtest/gtest.h"]] * 9)
        self.assertEqual(set(both), {("flags", frozenset(["regex"])), ("flags", frozenset(["regex", "gtest/gtest.h"]))})

    def test_what_the_last_commits_change(self):
        def git(*words):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", self.root, *words], check=True,
                           capture_output=True)
        self.assertIsNone(check_alone.changed_in(self.root, 1), "no repository")
        git("init")
        for name in ("first.h", "second.h", "third.h"):
            self.write(name, "")
            git("add", "-A")
            git("commit", "-m", name)
        self.write("new.h", "")
        self.write("first.h", "int x;")
        names = {"first.h", "new.h", "third.h"}
        self.assertEqual(check_alone.changed_in(self.root, 1), {str(self.root / name) for name in names})
        self.assertIsNone(check_alone.changed_in(self.root, 3), "all commits: nothing was compiled before")

    def test_what_a_build_compiles_by_itself(self):
        commands = [{"file": "a.cc", "command": "c++ -c a.cc"}, {"file": "Unity/unity_0.cxx", "command": "c++ -c Unity/unity_0.cxx"},
                    {"file": "b.cc", "command": "c++ -include x/cmake_pch.hxx -c b.cc"}]
        self.assertEqual(check_alone.alone_in(commands) & {"a.cc", "b.cc"}, {"a.cc"})

    def test_libraries_of_one_kind_of_file_are_shared(self):
        files = {"a": (("c++", "-DX=1", "-DOCTET_A"), "."), "b": (("c++", "-isystem", "lib", "-DOCTET_B"), "."),
                 "c": (("c++", "-mavx2"), ".")}
        self.assertEqual(check_alone.with_libraries(files),
                         {"a": (("c++", "-DOCTET_A", "-DX=1", "-isystem", "lib"), "."),
                          "b": (("c++", "-DOCTET_B", "-DX=1", "-isystem", "lib"), "."), "c": (("c++", "-mavx2"), ".")})

    def test_source(self):
        self.write("b.cc", '#include "runtime/core/a.h"\nuint32_t x;\n')
        self.write("c.cc", "uint32_t y;\n")
        self.assertEqual(self.check("b.cc", "c.cc"), ["c.cc"])

    @unittest.skipUnless(shutil.which(CLANG), f"{CLANG} is not installed")
    def test_tests_are_read_to_their_end(self):
        self.write("tests/good.cc", "#include <vector>\nstd::vector<int> f() { return {1, 2}; }\n")
        self.write("tests/bad.cc", "#include <vector>\nint f() { return 1; }\nint g() { return fs::x; }\n")
        self.write("tests/unfinished.cc", "#include <vector>\nint f() {\n")
        self.write("good.cc", "#include <vector>\nint f() { return 1; }\n")
        self.write("bad.cc", "#include <memory>\nstruct A;\nvoid f(std::unique_ptr<A> a) { a.reset(); }\n")
        self.assertEqual(self.check("tests/good.cc", "tests/bad.cc", "tests/unfinished.cc", "good.cc", "bad.cc", compiler=CLANG),
                         ["bad.cc", "unfinished.cc", "bad.cc"])

    def test_header(self):
        self.write("b.h", "#include <string>\ninline std::string f() { return {}; }\n")
        self.write("c.h", "inline std::string f() { return {}; }\n")
        self.assertEqual(self.check("b.h", "c.h"), ["c.h"])

    def test_precompiled_headers_hide_nothing(self):
        names = [f"{i}.cc" for i in range(self.USERS)]
        for name in names:
            self.write(name, "#include <map>\nstd::map<int, int> m;\n")
        self.write("bad.cc", "std::map<int, int> m;\n")
        self.assertEqual(self.check(*names, "bad.cc"), ["bad.cc"])

    def test_header_of_a_source(self):
        self.write("runtime/core/c.h", "std::map<int, int> f();\n")
        for i in range(self.USERS):
            self.write(f"{i}.cc", "#include <map>\nstd::map<int, int> m;\n")
        self.write("runtime/core/c.cc", '#include "runtime/core/c.h"\n#include <map>\n')
        tree = check_alone.Tree(self.root)
        self.assertEqual(tree.led_by(str(self.root / "runtime/core/c.cc")), str(self.root / "runtime/core/c.h"))
        names = [f"{i}.cc" for i in range(self.USERS)]
        self.assertEqual(self.check("runtime/core/c.cc", *names), ["c.cc"])

    def test_checked_again_when_an_include_changes(self):
        self.write("b.cc", '#include "runtime/core/a.h"\nuint32_t x;\n')
        self.assertEqual(self.check("b.cc"), [])
        self.write("runtime/core/a.h", "")
        self.assertEqual(self.check("b.cc"), ["b.cc"])


class Symbols(Tree):
    def symbols(self, name, text, *flags):
        source = self.write(name, text)
        archive = self.root / "lib.a"
        archive.unlink(missing_ok=True)
        subprocess.run([tools.cxx, "-c", *flags, "-o", f"{source}.o", str(source)], check=True)
        subprocess.run([tools.ar, "rcs", str(archive), f"{source}.o"], check=True)
        return check_symbols.read_symbols(tools.nm, str(archive))

    INLINE = "inline int helper(int x) { return x * x; }\nint f(int x) { return helper(x); }\n"

    def test_weak_in_isa_object(self):
        self.assertEqual(len(check_symbols.weak_problems(self.symbols("x86_avx2.cc", self.INLINE, "-O0"))), 1)
        self.assertEqual(len(check_symbols.weak_problems(self.symbols("b_arm_neon.cc", self.INLINE, "-O0"))), 1)

    def test_weak_elsewhere_is_fine(self):
        self.assertEqual(check_symbols.weak_problems(self.symbols("reference.cc", self.INLINE, "-O0")), [])

    def test_static_inline_is_fine(self):
        symbols = self.symbols("x86_avx2.cc", "static " + self.INLINE, "-O0")
        self.assertEqual(check_symbols.weak_problems(symbols), [])

    def test_own_symbols_are_no_imports(self):
        symbols = [("a.cc.o", "f", "U"), ("b.cc.o", "f", "T")]
        self.assertEqual(check_symbols.import_problems(symbols), [])
        self.assertEqual(len(check_symbols.import_problems(symbols[:1])), 1)

    def test_imports(self):
        for text in ("int* f() { return new int; }",
                     "void f(int* p) { delete p; }",
                     'extern "C" void free(void*);\nvoid f(void* p) { free(p); }',
                     "int f() { throw 1; }",
                     "int __attribute__((weak)) other();\nint f() { return other(); }",
                     'extern "C" int memcmp(const void*, const void*, __SIZE_TYPE__);\n'
                     "int f(void* a, void* b) { return memcmp(a, b, 99); }",
                     "struct T { virtual ~T() = default; };\nstruct U : T { ~U() override; };\nU::~U() {}",
                     "struct T { T(); };\nT& f() { static T t; return t; }"):
            problems = check_symbols.import_problems(self.symbols("reference.cc", text, "-O2"))
            self.assertGreaterEqual(len(problems), 1, text)
        text = "void* memcpy(void*, const void*, __SIZE_TYPE__);\n"
        text = f'extern "C" {text}void f(void* a, const void* b) {{ memcpy(a, b, 99); }}'
        self.assertEqual(check_symbols.import_problems(self.symbols("reference.cc", text, "-O2")), [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for tool in ("cxx", "ar", "nm"):
        parser.add_argument(f"--{tool}", required=True)
    tools, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
