#!/usr/bin/env python3
"""Train the demo classifier on Fashion-MNIST and export it to ONNX.

A small MobileNetV2: inverted residual blocks (1x1 expand, 3x3 depthwise, 1x1 project), BatchNorm and ReLU6, on 28x28
grey pictures. Every channel count but the input's and the output's is a multiple of 16, the runtime's channel block.

Writes fashion_mnist.onnx and scores.json into --out. Made with PyTorch 2.11; onnxruntime, where installed, checks the file.
"""
import argparse
import copy
import gzip
import inspect
import json
import math
import pathlib

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

SIDE = 28                       # pictures are SIDE x SIDE
MEAN, STD = 0.2860, 0.3530      # of the 60,000 training pictures, after x / 255
STEM = 16
STAGES = [(4, 32, 2, 2), (4, 64, 2, 2)]  # expansion, channels out, first stride, blocks
HEAD = 256
SHIFT = 2                       # largest random shift, pixels
ERASE_PROBABILITY, ERASE_HALF_SIDE = 0.25, 5  # a random rectangle of at most 9 x 9 becomes the mean grey
EMA_EVERY, EMA_DECAY = 8, 0.99  # weight averaging: one update in 8 steps


def conv_bn(inputs, outputs, kernel, stride=1, groups=1, activation=True):
    """Convolution without bias, BatchNorm and, if wanted, ReLU6: [N,inputs,H,W] -> [N,outputs,H/stride,W/stride]."""
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return layers + [nn.ReLU6()] if activation else layers


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        hidden = inputs * expansion
        expand = conv_bn(inputs, hidden, 1) if expansion != 1 else []
        self.body = nn.Sequential(*expand, *conv_bn(hidden, hidden, 3, stride, groups=hidden),
                                  *conv_bn(hidden, outputs, 1, activation=False))
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.body(x) if self.residual else self.body(x)


def make_network():
    """Network from normalised pictures [N,1,28,28] to logits [N,10]."""
    layers, channels = conv_bn(1, STEM, 3), STEM
    for expansion, outputs, stride, blocks in STAGES:
        for block in range(blocks):
            layers.append(InvertedResidual(channels, outputs, stride if block == 0 else 1, expansion))
            channels = outputs
    layers += conv_bn(channels, HEAD, 1) + [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(HEAD, 10)]
    network = nn.Sequential(*layers)
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out")
    return network


def read_idx(path):
    """The array of a gzipped IDX file of bytes: 2 zero bytes, type 0x08, rank, big-endian extents, then the data."""
    data = gzip.decompress(path.read_bytes())
    if data[:3] != b"\0\0\x08":
        raise SystemExit(f"{path}: not an IDX file of bytes")
    shape = np.frombuffer(data, ">u4", count=data[3], offset=4)
    return torch.from_numpy(np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape.tolist()).copy())


def read_split(folder, name):
    return read_idx(folder / f"{name}-images-idx3-ubyte.gz"), read_idx(folder / f"{name}-labels-idx1-ubyte.gz").long()


def normalise(pictures):
    """uint8 [N,28,28] -> float32 [N,1,28,28], ((x / 255) - mean) / std."""
    return ((pictures.float() / 255 - MEAN) / STD).unsqueeze(1)


def augment(pictures):
    """Flip, shift and erase each of uint8 [N,28,28] by its own draw; returns normalised float32 [N,1,28,28]."""
    count, device = len(pictures), pictures.device
    line = torch.arange(SIDE, device=device)
    shift = torch.randint(0, 2 * SHIFT + 1, (2, count, 1), device=device)
    flip = torch.rand(count, 1, device=device) < 0.5
    rows = line + shift[0]
    columns = torch.where(flip, SIDE - 1 - line, line) + shift[1]
    padded = F.pad(pictures, (SHIFT,) * 4)
    x = normalise(padded[torch.arange(count, device=device)[:, None, None], rows[:, :, None], columns[:, None, :]])
    centre = torch.randint(0, SIDE, (2, count, 1), device=device)
    half = torch.randint(2, ERASE_HALF_SIDE + 1, (2, count, 1), device=device)
    inside = (line - centre).abs() < half
    erased = inside[0][:, :, None] & inside[1][:, None, :]
    erased &= torch.rand(count, 1, 1, device=device) < ERASE_PROBABILITY
    return x.masked_fill(erased.unsqueeze(1), 0.0)


def train(pictures, labels, options, device):
    """Train on uint8 [N,28,28] and labels [N]; returns the averaged network in eval mode on the CPU."""
    network = make_network().to(device)
    average = copy.deepcopy(network)
    pictures, labels = pictures.to(device), labels.to(device)
    # BatchNorm's scales are not decayed: a scale near zero leaves a dead channel, which quantizes badly.
    decayed = [p for p in network.parameters() if p.ndim > 1]
    free = [p for p in network.parameters() if p.ndim <= 1]
    optimizer = torch.optim.SGD([{"params": decayed, "weight_decay": options.weight_decay}, {"params": free}],
                                lr=options.lr, momentum=0.9, nesterov=True)
    steps_per_epoch = len(pictures) // options.batch
    steps, warmup = options.epochs * steps_per_epoch, 2 * steps_per_epoch
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / warmup) * 0.5 * (1 + math.cos(math.pi * step / steps)))
    step = 0
    for epoch in range(options.epochs):
        total = torch.zeros((), device=device)
        for chosen in torch.randperm(len(pictures), device=device)[:steps_per_epoch * options.batch].split(options.batch):
            loss = F.cross_entropy(network(augment(pictures[chosen])), labels[chosen], label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.detach()
            step += 1
            if step % EMA_EVERY == 0:
                with torch.no_grad():
                    for mean, value in zip(average.state_dict().values(), network.state_dict().values()):
                        mean.lerp_(value, 1 - EMA_DECAY) if mean.is_floating_point() else mean.copy_(value)
        print(f"epoch {epoch + 1}/{options.epochs} loss {total.item() / steps_per_epoch:.4f}", flush=True)
    return average.cpu().eval()


@torch.no_grad()
def count_correct(classify, pictures, labels):
    """How many of uint8 [N,28,28] `classify`, from normalised pictures to logits, puts into their class."""
    pairs = zip(pictures.split(500), labels.split(500))
    return sum(int((classify(normalise(x)).argmax(1) == y).sum()) for x, y in pairs)


def export(network, path):
    """Write the network with its BatchNorm nodes: eval mode preserved and nothing folded."""
    extra = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    torch.onnx.export(network, torch.zeros(1, 1, SIDE, SIDE), str(path), opset_version=13, do_constant_folding=False,
                      training=torch.onnx.TrainingMode.PRESERVE, input_names=["image"], output_names=["logits"],
                      dynamic_axes={"image": {0: "N"}, "logits": {0: "N"}}, **extra)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", type=pathlib.Path, default="/usr/share/datasets/fashion-mnist",
                        help="folder of the four .gz files (default: where Debian's dataset-fashion-mnist puts them)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    parser.add_argument("--epochs", type=int, default=150)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--lr", type=float, default=0.15, help="peak learning rate")
    parser.add_argument("--weight-decay", type=float, default=3e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--holdout", type=int, default=0, help="score on the last N training pictures, not trained on, "
                        "instead of the test pictures; for choosing settings")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"

    pictures, labels = read_split(options.data, "train")
    if options.holdout:
        test = pictures[-options.holdout:], labels[-options.holdout:]
        pictures, labels = pictures[:-options.holdout], labels[:-options.holdout]
    else:
        test = read_split(options.data, "t10k")
    network = train(pictures, labels, options, device)

    correct = count_correct(network, *test)
    model = options.out / "fashion_mnist.onnx"
    export(network, model)
    scores = {"model": model.name, "pictures": len(test[1]), "scored_on": "holdout" if options.holdout else "test",
              "fp32_correct": correct, "fp32_top1_percent": round(100 * correct / len(test[1]), 2),
              "mean": MEAN, "std": STD, "parameters": sum(p.numel() for p in network.parameters()),
              "onnx_bytes": model.stat().st_size, "epochs": options.epochs, "batch": options.batch, "lr": options.lr,
              "weight_decay": options.weight_decay, "seed": options.seed, "device": device,
              "versions": {"torch": torch.__version__, "numpy": np.__version__}}
    try:
        import onnxruntime
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        scores["onnxruntime_correct"] = count_correct(
            lambda x: torch.from_numpy(session.run(["logits"], {"image": x.numpy()})[0]), *test)
        scores["versions"]["onnxruntime"] = onnxruntime.__version__
    except ImportError:
        print("onnxruntime is not installed: the exported file was not scored")
    (options.out / "scores.json").write_text(json.dumps(scores, indent=2) + "\n")
    print(json.dumps(scores))


if __name__ == "__main__":
    main()
