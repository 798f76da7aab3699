octet_optimise(-O2 frame.cc resize.cc)
octet_optimise(-Os preprocess.cc)  # checks
