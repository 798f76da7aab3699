// What the blob inside octet-run gives, on every board: the one place where it stands.
// docs/boards.md shows the same table, which the test ports_linux_self_test compares.
//
// A new demo/scene/detector.octet needs new rows: `octet-run --self-test --json` prints `hash`.
#ifndef OCTET_PORTS_LINUX_RUN_SHIPPED_HASHES_H_
#define OCTET_PORTS_LINUX_RUN_SHIPPED_HASHES_H_

namespace octet::port {

// As octet_output_digest gives it for the picture of self_test_vectors.h: equal for all levels and
// thread counts.
struct ShippedHash {
  const char* plan;
  const char* sha256;  // in hexadecimal, of output 0
};

inline constexpr ShippedHash kShippedHashes[] = {
    {"int8", "35b0467ec33f85cd6b93a3c496ce0aa1ec283b8381dc39ea9a94a76682b6e6fb"},
    {"fp16", "10045d8de4d02a605dcf3c43a3ea5229c82aabc9c7ec885166e411179b7616d2"},
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_SHIPPED_HASHES_H_
