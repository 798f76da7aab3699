octet_optimise(-O2 operator.cc)
