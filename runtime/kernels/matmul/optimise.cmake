octet_optimise(-O2 arm_neon.cc arm_dotprod.cc)  # unrolled by hand: -O3 adds size alone
