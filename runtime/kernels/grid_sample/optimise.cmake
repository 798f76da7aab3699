octet_optimise(-O2 operator.cc f16_arm_neon.cc)
