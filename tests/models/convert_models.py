#!/usr/bin/env python3
"""Converts every model with one and with two threads: the blob has to be the same bytes. Later tests use these blobs."""
import argparse

from model_tests import MODELS, Build, Report, arguments, digest, pictures, require, save


def main() -> int:
    options = arguments(argparse.ArgumentParser(description=__doc__))
    build, report = Build(options.build), Report("ModelConversion", options.report)
    for model in MODELS:
        with report.case(f"{model.name}.BlobIsTheSameForAnyThreadCount"):
            require(model)
            blob, other = options.work / f"{model.name}.octet", options.work / f"{model.name}.two-threads.octet"
            build.convert(model, options.work, 1, blob)
            build.convert(model, options.work, 2, other)
            assert digest(blob) == digest(other), f"{digest(blob)} with 1 thread, {digest(other)} with 2"
            other.unlink()
            save(options.work / f"{model.name}.images.npy", pictures(model, "images", 64))
            for stale in options.work.glob(f"{model.name}.expected.npy"):
                stale.unlink()  # outputs of the blob before
            print(f"{model.name}: {blob.stat().st_size} bytes, SHA-256 {digest(blob)}")
    return report.finish()


if __name__ == "__main__":
    raise SystemExit(main())
