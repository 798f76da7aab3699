octet_optimise(-O2 integers.cc arm_neon.cc f16_arm_neon.cc)  # unrolled by hand: -O3 adds size alone
