octet_optimise(-O2 f16_arm_neon.cc)  # unrolled by hand: -O3 adds size alone
