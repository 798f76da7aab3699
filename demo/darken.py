#!/usr/bin/env python3
"""Pictures as a camera sees them with half the light: darken.py IN.npy OUT.npy (uint8)."""
import sys

import numpy as np

np.save(sys.argv[2], (np.load(sys.argv[1]) * 0.5).astype(np.uint8))
