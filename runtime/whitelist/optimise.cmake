octet_optimise(-Os *.cc)  # once at start: small before fast
