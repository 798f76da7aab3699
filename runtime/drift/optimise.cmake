# Small before fast: their work is once a frame, or once.
octet_optimise(-Os *.cc)
