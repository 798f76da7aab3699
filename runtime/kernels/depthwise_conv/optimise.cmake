octet_optimise(-Os operator.cc)
octet_optimise(-O2 arm_neon.cc f16_arm_neon.cc f16_arm_dotprod.cc)  # unrolled by hand: -O3 adds size alone
