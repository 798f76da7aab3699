// same_bits FILE.octet...: the int8 plan of each blob on every level of this machine, compared with
// the reference; the layers of the other plans have to stay within their memory. For the blobs that
// random_networks --save keeps, under emulators of other machines.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/support/session.h"

namespace octet::test {
namespace {

using Values = std::vector<std::vector<float>>;

bool RunPlan(const Blob& blob, octet_isa isa, uint32_t threads, uint32_t plan, Values* outputs) {
  TestSession session(blob, {.isa = isa, .threads = threads});
  if (session.status().code != OCTET_OK) return false;
  octet_set_plan(session.get(), plan);
  for (uint32_t i = 0; i < octet_input_count(session.get()); ++i) {
    octet_tensor_info info{};
    octet_input_info(session.get(), i, &info);
    std::vector<float> values(info.element_count);
    for (size_t k = 0; k < values.size(); ++k) {
      values[k] =
          static_cast<float>(static_cast<int>((k + i) * 2654435761u >> 16 & 511) - 255) / 255;
    }
    session.SetInput(i, values);
  }
  octet_run(session.get());
  for (uint32_t i = 0; i < octet_output_count(session.get()); ++i) {
    outputs->push_back(session.Output(i));
  }
  session.ExpectGuardsIntact();
  return true;
}

bool Same(const Values& a, const Values& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size() ||
        std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(float)) != 0) {
      return false;
    }
  }
  return true;
}

int CheckFile(const char* path) {
  std::ifstream in(path, std::ios::binary);
  Blob blob{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Values expected;
  int differing = RunPlan(blob, OCTET_ISA_REFERENCE, 1, 0, &expected) ? 0 : 1;
  for (const octet_isa isa : RunnableLevels()) {
    Values actual, other;
    if (!RunPlan(blob, isa, 2, 0, &actual) || !Same(expected, actual)) {
      std::printf("%s: %s differs\n", path, octet_isa_name(isa));
      ++differing;
    }
    for (uint32_t plan = 1; plan < 3; ++plan) RunPlan(blob, isa, 1, plan, &other);
  }
  return differing;
}

}  // namespace
}  // namespace octet::test

int main(int argc, char** argv) {
  int differing = 0;
  for (int i = 1; i < argc; ++i) differing += octet::test::CheckFile(argv[i]);
  std::printf("%d blobs, levels:", argc - 1);
  for (const octet_isa isa : octet::test::RunnableLevels()) std::printf(" %s", octet_isa_name(isa));
  std::printf(", %d differ\n", differing);
  return differing == 0 ? 0 : 1;
}
