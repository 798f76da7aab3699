octet_optimise(-O2 operator.cc arm_neon.cc arm_dotprod.cc)  # -O3 adds size alone
