octet_optimise(-O2 *.cc)  # addresses, not numbers: -O3 adds size alone
