octet_optimise(-O2 operator.cc arm_neon.cc runs_arm_neon.cc x86_avx2.cc)  # unrolled by hand: -O3 adds size alone
