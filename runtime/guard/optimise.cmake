# Once a frame, on few numbers: small before fast. probes.cc reads tensors.
octet_optimise(-Os breaker.cc budget.cc feature.cc from_blob.cc guard.cc heat.cc)
