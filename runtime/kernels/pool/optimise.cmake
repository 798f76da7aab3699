octet_optimise(-Os operator.cc arm_neon.cc f16_arm_neon.cc)  # a small part of any inference
