#!/usr/bin/env python3
"""Train the detector of the built-in scene and export it to ONNX.

A small anchor-free detector in the manner of YOLOv8 with MobileNetV2's blocks and ReLU: 320x320 RGB to boxes and class
probabilities at strides 16 and 32 (score_detections.py describes the output). octet-scene renders the frames:
garments of Fashion-MNIST's training set to train with, of its test set to score with.

Writes scene_detector.onnx and scene_scores.json into --out. Made with PyTorch 2.11; onnxruntime, where installed, scores the file.
"""
import argparse
import concurrent.futures
import copy
import inspect
import json
import math
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import score_detections

SIDE, STRIDES, CLASSES = score_detections.SIDE, score_detections.STRIDES, 10
SHARD = 2000                    # frames octet-scene renders in one go
TOP, SCORE_POWER, IOU_POWER = 10, 0.5, 6.0  # task-aligned assignment (TOOD, arXiv:2108.07755), as in YOLOv8
BOX_WEIGHT, CLASS_WEIGHT = 3.0, 1.0
EMA_DECAY = 0.9995
TEST_SEED, SEEN_SEED, TRAIN_SEED = 1, 10_000_000, 20_000_000  # ranges that do not meet


def conv_bn(inputs, outputs, kernel, stride=1, groups=1, activation=True):
    """Convolution without bias, BatchNorm and, if wanted, ReLU."""
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, nn.ReLU()) if activation else nn.Sequential(*layers)


class InvertedResidual(nn.Module):
    """MobileNetV2's block (arXiv:1801.04381): 1x1 to three times the channels, 3x3 depthwise, 1x1 without activation."""

    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        hidden = 3 * inputs
        self.body = nn.Sequential(conv_bn(inputs, hidden, 1), conv_bn(hidden, hidden, 3, stride, groups=hidden),
                                  conv_bn(hidden, outputs, 1, activation=False))
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.body(x) if self.residual else self.body(x)


class Head(nn.Module):
    """Features to box distances [N,4,A] in strides and class logits [N,C,A]."""

    def __init__(self, inputs, hidden):
        super().__init__()
        self.body = nn.Sequential(conv_bn(inputs, inputs, 3, groups=inputs), conv_bn(inputs, hidden, 1))
        self.box, self.score = nn.Conv2d(hidden, 4, 1), nn.Conv2d(hidden, CLASSES, 1)
        nn.init.constant_(self.box.bias, 1.5)
        nn.init.constant_(self.score.bias, -4.6)  # a probability of 0.01

    def forward(self, x):
        x = self.body(x)
        return self.box(x).flatten(2), self.score(x).flatten(2)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        block = InvertedResidual
        self.to16 = nn.Sequential(conv_bn(3, 16, 3, 2), conv_bn(16, 32, 3, 2), block(32, 48, 2), block(48, 48),
                                  block(48, 64, 2), block(64, 64), block(64, 64))
        self.to32 = nn.Sequential(block(64, 64, 2), block(64, 64))
        self.fuse = nn.Sequential(block(64, 64), block(64, 64))
        self.heads = nn.ModuleList([Head(64, 128), Head(64, 128)])

    def forward(self, x):
        """[N,3,320,320] -> distances [N,4,A], logits [N,C,A]."""
        fine = self.to16(x)
        coarse = self.to32(fine)
        fine = self.fuse(fine + F.interpolate(coarse, scale_factor=2.0, mode="nearest"))
        (box16, score16), (box32, score32) = self.heads[0](fine), self.heads[1](coarse)
        return torch.cat([box16, box32], 2), torch.cat([score16, score32], 2)


class Exported(nn.Module):
    def __init__(self, detector):
        super().__init__()
        self.detector = detector

    def forward(self, x):
        distances, logits = self.detector(x)
        return torch.cat([distances, logits.sigmoid()], 1)


class Loss:
    """Task-aligned assignment, binary cross-entropy towards the alignment, generalised IoU."""

    def __init__(self, device):
        centres, strides = score_detections.anchors()
        self.centres = torch.from_numpy(centres).to(device)
        self.strides = torch.from_numpy(strides).to(device)

    def decode(self, distances):
        """[N,4,A] in strides -> [N,A,4], x0 y0 x1 y1 in pixels."""
        distances = distances.permute(0, 2, 1) * self.strides[:, None]
        return torch.cat([self.centres - distances[..., :2], self.centres + distances[..., 2:]], -1)

    @staticmethod
    def overlap(a, b):
        """IoU and generalised IoU of boxes that broadcast."""
        wh = (torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])).clamp(min=0)
        both = wh[..., 0] * wh[..., 1]
        area = lambda x: (x[..., 2] - x[..., 0]).clamp(min=0) * (x[..., 3] - x[..., 1]).clamp(min=0)
        union = (area(a) + area(b) - both).clamp(min=1e-6)
        hull = torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])
        hull = (hull[..., 0] * hull[..., 1]).clamp(min=1e-6)
        return both / union, both / union - (hull - union) / hull

    @torch.no_grad()
    def assign(self, boxes, probabilities, truth, labels):
        """For every anchor: index of its truth [N,A] and how well it fits it, 0 to 1 [N,A]."""
        valid = labels >= 0
        iou = self.overlap(boxes[:, None], truth[:, :, None])[0]                                  # [N,M,A]
        index = labels.clamp(min=0)[:, :, None].expand(-1, -1, boxes.shape[1])
        fit = probabilities.gather(1, index) ** SCORE_POWER * iou ** IOU_POWER
        # Anchors inside the box, or close to the middle of one narrower than the grid.
        middle, half = (truth[..., :2] + truth[..., 2:]) / 2, (truth[..., 2:] - truth[..., :2]) / 2
        reach = torch.maximum(half[:, :, None], 0.75 * self.strides[:, None])
        inside = ((self.centres - middle[:, :, None]).abs() < reach).all(-1) & valid[:, :, None]
        fit = fit * inside
        least = fit.topk(TOP, 2).values[..., -1:]
        chosen = (fit >= least) & (fit > 1e-9)
        which = (iou * chosen).argmax(1)                                                          # [N,A]
        own = F.one_hot(which, labels.shape[1]).permute(0, 2, 1).bool() & chosen
        fit, iou = fit * own, iou * own
        aligned = fit / fit.amax(2, keepdim=True).clamp(min=1e-9) * iou.amax(2, keepdim=True)
        return which, aligned.amax(1)

    def __call__(self, distances, logits, truth, labels):
        boxes = self.decode(distances)
        which, aligned = self.assign(boxes.detach(), logits.detach().sigmoid(), truth, labels)
        target = F.one_hot(labels.clamp(min=0).gather(1, which), CLASSES).permute(0, 2, 1) * aligned[:, None]
        total = aligned.sum().clamp(min=1)
        class_loss = F.binary_cross_entropy_with_logits(logits, target, reduction="sum") / total
        own = truth.gather(1, which[..., None].expand(-1, -1, 4))
        box_loss = ((1 - self.overlap(boxes, own)[1]) * aligned).sum() / total
        return BOX_WEIGHT * box_loss + CLASS_WEIGHT * class_loss


def render(options, garments, seed, count):
    """Frames uint8 [count,320,320,3], boxes float32 [count,M,4] and classes int64 [count,M] of octet-scene."""
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        files = [f"{folder}/{name}.npy" for name in ("frames", "boxes", "classes")]
        subprocess.run([options.scene, "--pictures", options.data / garments[0], "--labels", options.data / garments[1],
                        "--frames", str(count), "--seed", str(seed), "--size", f"{SIDE}x{SIDE}",
                        "--output", files[0], "--boxes", files[1], "--classes", files[2]], check=True)
        frames, boxes, classes = (torch.from_numpy(np.load(file)) for file in files)
    return frames, boxes, classes.long()


TRAIN, TEST = ("train.npy", "train_labels.npy"), ("test.npy", "labels.npy")


def render_training_set(options, device):
    shards = math.ceil(options.frames / SHARD)
    pool = None
    with concurrent.futures.ThreadPoolExecutor(options.workers) as workers:
        for start in range(0, shards, options.workers):  # few shards in the host's memory at a time
            seeds = [TRAIN_SEED + shard * SHARD for shard in range(start, min(start + options.workers, shards))]
            parts = workers.map(lambda seed: render(options, TRAIN, seed, SHARD), seeds)
            for shard, part in enumerate(parts, start):
                if pool is None:
                    pool = [torch.empty((shards * SHARD, *x.shape[1:]), dtype=x.dtype, device=device) for x in part]
                for whole, piece in zip(pool, part):
                    whole[shard * SHARD:(shard + 1) * SHARD] = piece.to(device)
    return pool


def to_input(frames):
    return (frames.permute(0, 3, 1, 2).float() / 255).contiguous(memory_format=torch.channels_last)


@torch.no_grad()
def run(network, frames, device):
    return torch.cat([network(to_input(part.to(device))).float().cpu() for part in frames.split(100)]).numpy()


def train(options, device):
    started = time.time()
    frames, boxes, classes = render_training_set(options, device)
    print(f"{len(frames)} frames rendered in {time.time() - started:.0f} s", flush=True)
    network = Detector().to(device).to(memory_format=torch.channels_last)
    average = copy.deepcopy(network).eval()
    means, values = ([x for x in net.state_dict().values() if x.is_floating_point()] for net in (average, network))
    forward = torch.compile(network) if options.compile else network
    loss_of = Loss(device)
    # BatchNorm's scales and the biases are not decayed.
    decayed = [p for p in network.parameters() if p.ndim > 1]
    free = [p for p in network.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": options.weight_decay},
                                   {"params": free, "weight_decay": 0.0}], lr=options.lr)
    rates = [group["lr"] for group in optimizer.param_groups]
    begun, step, shown = time.time(), 0, torch.zeros((), device=device)
    while True:
        # The schedule follows the clock or the steps, whichever of the two was given.
        done = step / options.steps if options.steps else (time.time() - begun) / options.seconds
        if done >= 1:
            break
        factor = min(1.0, step / 500) * (0.5 * (1 + math.cos(math.pi * done)) * 0.99 + 0.01)
        for group, rate in zip(optimizer.param_groups, rates):
            group["lr"] = rate * factor
        chosen = torch.randint(len(frames), (options.batch,), device=device)
        with torch.autocast(device, torch.bfloat16):
            distances, logits = forward(to_input(frames[chosen]))
        loss = loss_of(distances.float(), logits.float(), boxes[chosen], classes[chosen])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 10.0)
        optimizer.step()
        step += 1
        shown += loss.detach()
        decay = min(EMA_DECAY, step / (step + 10))
        with torch.no_grad():
            torch._foreach_mul_(means, decay)
            torch._foreach_add_(means, values, alpha=1 - decay)
        if step % 500 == 0:
            print(f"step {step} ({100 * done:.0f} %) loss {shown.item() / 500:.3f} "
                  f"{step * options.batch / (time.time() - begun):.0f} frames/s", flush=True)
            shown.zero_()
    return average.float(), step


def export(network, path):
    """Batch 1, BatchNorm folded into the convolutions."""
    extra = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    model = Exported(network.cpu().to(memory_format=torch.contiguous_format)).eval()
    torch.onnx.export(model, torch.zeros(1, 3, SIDE, SIDE), str(path), opset_version=13,
                      input_names=["image"], output_names=["detections"], **extra)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path, help="folder that pictures.py --train wrote")
    parser.add_argument("--scene", required=True, help="the program octet-scene")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    parser.add_argument("--scratch", help="folder for rendered frames, 0.6 GB a worker (default: the system's)")
    parser.add_argument("--frames", type=int, default=300_000, help="rendered to train with; held on the device, 0.3 MB each")
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--steps", type=int, default=0, help="instead of --seconds")
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--lr", type=float, default=3e-3, help="peak learning rate")
    parser.add_argument("--weight-decay", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--score-frames", type=int, default=2000)
    parser.add_argument("--compile", action="store_true", help="let PyTorch compile the network")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.backends.cudnn.benchmark = True
    device = "cuda" if torch.cuda.is_available() else "cpu"

    network, steps = train(options, device)
    model = options.out / "scene_detector.onnx"
    scorer = Exported(network).to(device)
    test = render(options, TEST, TEST_SEED, options.score_frames)
    seen = render(options, TRAIN, SEEN_SEED, options.score_frames)
    score = lambda outputs, truth: score_detections.scores(outputs, truth[1].numpy(), truth[2].numpy())
    scores = {"model": model.name, "frames": options.score_frames, "fp32": score(run(scorer, test[0], device), test),
              "fp32_on_training_garments": score(run(scorer, seen[0], device), seen),
              "parameters": sum(p.numel() for p in network.parameters()), "training_frames": options.frames,
              "steps": steps, "batch": options.batch, "lr": options.lr, "weight_decay": options.weight_decay,
              "seed": options.seed, "device": device, "versions": {"torch": torch.__version__, "numpy": np.__version__}}
    export(network, model)
    scores["onnx_bytes"] = model.stat().st_size
    try:
        import onnxruntime
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        outputs = [session.run(None, {"image": to_input(frame[None]).contiguous().numpy()})[0] for frame in test[0]]
        scores["fp32_onnxruntime"] = score(np.concatenate(outputs), test)
        scores["versions"]["onnxruntime"] = onnxruntime.__version__
    except ImportError:
        print("onnxruntime is not installed: the exported file was not scored")
    (options.out / "scene_scores.json").write_text(json.dumps(scores, indent=2) + "\n")
    print(json.dumps(scores))


if __name__ == "__main__":
    main()
