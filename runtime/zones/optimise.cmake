# Once a frame, on few numbers: small before fast.
octet_optimise(-Os memory.cc snapshot.cc watch.cc zones.cc)
