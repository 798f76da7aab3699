# Once a frame, on few numbers: small before fast. Associations look at every pair of a track and a box.
octet_optimise(-Os filter.cc memory.cc observed.cc tracks.cc)
