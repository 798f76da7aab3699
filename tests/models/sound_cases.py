"""The front end of models of sound: transforms, windows, mel bands, logarithms. newer_operators.py tries them; CASES as in newer_cases.py."""
import numpy as np

import newer_cases

CASES = {}
case, cases = newer_cases.case_for(CASES), newer_cases.cases_for(CASES)


def signal(net, length: int, components: int = 1, loud: float = 1.0) -> str:
    return net.input(1, length, components, low=-loud, high=loud)


@cases("dft", real={}, onesided=dict(onesided=1), complex=dict(components=2), inverse=dict(components=2, inverse=1),
       onesided_odd=dict(onesided=1, length=15), padded=dict(points=24), cut=dict(points=9, onesided=1))
def dft(net, components=1, length=16, points=None, **attributes):
    net.opset = 20
    x = signal(net, length, components)
    net.out(net.op("DFT", x, *([net.const(np.int64(points))] if points else []), **attributes))


@cases("dft_axis", first=dict(axis=1), second=dict(axis=2), last=dict(axis=-2), back=dict(axis=-3))
def dft_axis(net, axis):
    net.opset = 20
    x = net.input(1, 6, 8, 2)
    net.out(net.op("DFT", x, "", net.const(np.int64(axis))))


@cases("dft_of_opset_17", default={}, axis=dict(axis=2, onesided=1))
def dft_17(net, **attributes):
    net.opset = 17
    net.out(net.op("DFT", net.input(1, 6, 8, 1), **attributes))


@cases("stft", window={}, length=dict(frame_length=True, window=False), both=dict(frame_length=True), twosided=dict(onesided=0))
def stft(net, window=True, frame_length=False, onesided=1):
    net.opset = 17
    hann = net.op("HannWindow", net.const(np.int64(32))) if window else ""
    net.out(net.op("STFT", signal(net, 200), net.const(np.int64(24)), hann,
                   *([net.const(np.int64(32))] if frame_length else []), onesided=onesided))


@cases("stft_window_of_the_graph", sine={})
def stft_computed(net):
    """The window is computed by nodes."""
    net.opset = 17
    places = net.const(np.arange(32, dtype=np.float32) * np.float32(np.pi / 32))
    net.out(net.op("STFT", signal(net, 200), net.const(np.int64(16)), net.op("Sin", places)))


@cases("window", hann=dict(kind="HannWindow"), hamming=dict(kind="HammingWindow"), blackman=dict(kind="BlackmanWindow"),
       symmetric=dict(kind="HannWindow", periodic=0))
def window(net, kind, **attributes):
    net.opset = 17
    net.out(net.op("Mul", net.input(1, 24), net.op(kind, net.const(np.int64(24)), **attributes)))


def power(net, length=400, loud=1.0) -> str:
    """[1, frames, bins]"""
    frames = net.op("STFT", signal(net, length, loud=loud), net.const(np.int64(32)), net.op("HannWindow", net.const(np.int64(64))))
    return net.op("ReduceSum", net.op("Mul", frames, frames), net.const(np.int64([-1])), keepdims=0)


@cases("mel", power=dict(loud=1.0), quiet=dict(loud=0.001), loud=dict(loud=2000.0))
def mel(net, loud):
    """Log mel energies of 16-bit numbers, of numbers within 1, and of a quiet room."""
    net.opset = 17
    matrix = net.op("MelWeightMatrix", net.const(np.int64(12)), net.const(np.int64(64)), net.const(np.int64(8000)),
                    net.const(np.float32(100)), net.const(np.float32(3800)))
    net.out(net.op("Log", net.op("Add", net.op("MatMul", power(net, loud=loud), matrix), net.const(np.float32(1e-6)))))


@cases("magnitude", quiet=dict(loud=0.001), loud=dict(loud=2000.0))
def magnitude(net, loud):
    """The root of squares as exporters write it: Pow 2, Add, Sqrt."""
    net.opset = 17
    frames = net.op("STFT", signal(net, 400, loud=loud), net.const(np.int64(32)), net.op("HannWindow", net.const(np.int64(64))))
    two = net.const(np.float32(2))
    parts = net.op("Split", frames, results=2, axis=3)
    net.out(net.op("Sqrt", net.op("Add", net.op("Pow", parts[0], two), net.op("Pow", parts[1], two))))


@case
def log_of_a_small_number_more(net):
    """The added number is below the smallest of FP16, and the power often is as well."""
    net.opset = 17
    net.out(net.op("Log", net.op("Add", power(net, loud=0.01), net.const(np.float32(1e-10)))))
