octet_optimise(-Os operator.cc)
