octet_optimise(-O2 arm_neon.cc)  # unrolled by hand: -O3 adds size alone
