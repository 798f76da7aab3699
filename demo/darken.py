#!/usr/bin/env python3
"""Pictures as a camera sees them with a share of the light: darken.py IN.npy OUT.npy [SHARE] (uint8; 0.5)."""
import sys

import numpy as np

np.save(sys.argv[2], (np.load(sys.argv[1]) * float((sys.argv[3:] or [0.5])[0])).astype(np.uint8))
