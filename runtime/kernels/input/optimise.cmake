octet_optimise(-Os arm_neon.cc f16_arm_neon.cc)  # a small part of any inference
