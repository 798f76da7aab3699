# Checks run once: small before fast.
octet_optimise(-Os golden.cc signature.cc tiling.cc validate*.cc view.cc)
octet_optimise(-O2 sha256.cc)
