octet_optimise(-O2 *.cc)
