octet_optimise(-Os keep.cc operator.cc tiling.cc)
octet_optimise(-O2 arm_neon.cc f16_arm_neon.cc)  # unrolled by hand: -O3 adds size alone
