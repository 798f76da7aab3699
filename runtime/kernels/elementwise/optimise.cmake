octet_optimise(-O2 f16_arm_neon.cc f16_x86_avx2.cc)  # unrolled by hand: -O3 adds size alone
octet_optimise(-O2 operator.cc)
