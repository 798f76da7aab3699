#!/usr/bin/python3
"""Whether the verdict of `octet convert` notices faults: faults.py --ort FOLDER --work FOLDER [--only TEXT] [--graphs N]

Copies the tree to FOLDER, builds it, and for each fault of the list below changes one expression of a pass, of the
quantization or of a kernel, builds again, converts the graphs and takes the change back. truth.py measures what the plans of
the blob give beside ONNX Runtime. A fault is noticed where the verdict of each damaged plan is within 3 dB of the truth; a plan
is damaged where the truth is below 30 dB and at least 6 dB below what the tree without faults gives.

The graphs: those of directed.py, each made for one kind of fault, N random float graphs, N random Q/DQ graphs (--first: their
first seed), and the small cases of ../shared/repro where that is present. Graphs are tried until two plans are damaged. A fault
that damages no graph is listed as such.

--built FOLDER works in a copy that is there, with its objects: FOLDER/build/dev is its build folder. Its files are changed.

Exit status 1: a fault was not noticed, damages no graph, or its expression is not in the tree any longer.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import directed
import truth

SOURCE = truth.SOURCE
DAMAGED_DB, LOST_DB, FALSE_DB, ENOUGH = 30.0, 6.0, 3.0, 2

# (what is wrong, file, expression, what stands there instead)
FAULTS = (
    # Passes.
    ("normalization folds with its mean's sign turned", "read.cc", "parts[1]->floats[c] - parts[2]->floats[c] * scale",
     "parts[1]->floats[c] + parts[2]->floats[c] * scale"),
    ("normalization folds without its variance", "read.cc", "parts[0]->floats[c] / std::sqrt(parts[3]->floats[c] + epsilon)",
     "parts[0]->floats[c] + 0 * epsilon"),
    ("scales of outputs go to inputs", "layer.cc", "{ factors[at] = by.scale[output]; }",
     "{ factors[at] = by.scale[at % by.scale.size()]; }"),
    ("an old bias is not scaled", "layer.cc", "static_cast<double>(old_bias->floats[o]) * by.scale[o] + by.shift[o]",
     "static_cast<double>(old_bias->floats[o]) + by.shift[o]"),
    ("a factor before the layer goes to other inputs", "layer.cc", "factors[at] = by.scale[input];",
     "factors[at] = by.scale[(input + 1) % by.scale.size()];"),
    ("a summand before the layer is lost", "layer.cc", "if (shifts) SetBias(editor, n, std::move(bias));", ""),
    ("a transposed convolution's taps are in reverse order", "conv_transpose_to_conv.cc", "tap * axis.Taps() + (axis.most - j)",
     "tap * axis.Taps() + (j - axis.least)"),
    ("a transposed convolution's phases are not interleaved", "conv_transpose_to_conv.cc",
     "if (y.stride > 1) chain->Transpose({0, 1, 3, 2, 4});", "if (y.stride > 9) chain->Transpose({0, 1, 3, 2, 4});"),
    ("a transposed convolution is cut off at the wrong end", "conv_transpose_to_conv.cc",
     "chain->Slice(1, y.offset, y.offset + y.out);\n  chain->Slice(2, x.offset, x.offset + x.out);",
     "chain->Slice(1, y.positions * y.stride - y.out, y.positions * y.stride);\n  chain->Slice(2, x.offset, x.offset + x.out);"),
    ("two transpositions join in the wrong order", "merge_transposes.cc",
     "for (const int64_t axis : outer_perm) merged.push_back(inner_perm[static_cast<size_t>(axis)]);",
     "for (const int64_t axis : inner_perm) merged.push_back(outer_perm[static_cast<size_t>(axis)]);"),
    ("a Gemm's matrix is not transposed", "normalise_gemm.cc", "transposed ? r * columns + c : c * rows + r", "r * columns + c"),
    ("a Gemm's alpha is lost", "normalise_gemm.cc", "return alpha == 1 ? result", "return alpha != 0 ? result"),
    ("a MatMul's matrix is not transposed", "matmul_to_gemm.cc", "sources[static_cast<size_t>(c * rows + r)] = r * columns + c;",
     "sources[static_cast<size_t>(r * columns + c)] = r * columns + c;"),
    ("padding goes to the other side", "merge_pad.cc",
     "window->pads[axis - 2] += begin;\n      window->pads[axis - 2 + spatial] += end;",
     "window->pads[axis - 2] += end;\n      window->pads[axis - 2 + spatial] += begin;"),
    ("a subtracted constant is added", "sub_constant_to_add.cc", "value = -value", "value = +value"),
    ("the parts of a Split change places", "split_to_slices.cc", "{parts[i]});", "{parts[parts.size() - 1 - i]});"),
    ("a fused Clip ends at half its bound", "fuse_activation.cc", "node.beta = activation->beta;",
     "node.beta = activation->beta / 2;"),
    ("Relu is fused instead of Clip", "fuse_activation.cc", "node.activation = activation->name;", 'node.activation = "Relu";'),
    ("a channel that is constant loses its share of the bias", "remove_dead_channels.cc", "sum += Share(layer, o, i);\n        } else",
     "sum += 0;\n        } else"),
    # Ranges and codes.
    ("ranges end at half of what was seen", "ranges.cc", "range.max = choice.range.max;", "range.max = choice.range.max / 2;"),
    ("the range of a clamp is a quarter of it", "ranges.cc", "range->max = clamp.high;\n      range->origin",
     "range->max = clamp.high / 4;\n      range->origin"),
    ("a joined range has only its last input", "assign.cc",
     "united->min = std::min(united->min, range->min);\n      united->max = std::max(united->max, range->max);",
     "united->min = range->min;\n      united->max = range->max;"),
    ("the zero point's share of a bias has the wrong sign", "weights.cc",
     "channel.bias - input.zero_point * channel.weight_sum", "channel.bias + input.zero_point * channel.weight_sum"),
    ("weights of a window are ordered by channel first", "weights.cc", "result.values[static_cast<size_t>((o * taps + t) * in_c + c)]",
     "result.values[static_cast<size_t>((o * in_c + c) * taps + t)]"),
    ("shifts are one too large", "weights.cc", "const int shift = -exponent;", "const int shift = -exponent + 1;"),
    ("FP16 layers lose their bias", "weights.cc", "return std::clamp(b, -kLargest, kLargest);", "return std::clamp(b, -0.0f, 0 * kLargest);"),
    ("groups that were joined read each other's inputs", "conv.cc", "static_cast<size_t>(o / out % merged)",
     "static_cast<size_t>(o % merged)"),
    ("an int8 layer's clamp is lost", "conv.cc", "params.clamp_hi = target.clamp_hi;", "params.clamp_hi = 127;"),
    ("int8 subtraction adds", "elementwise.cc", "SetAddFactors(a / out, -b / out, bits, p)", "SetAddFactors(a / out, b / out, bits, p)"),
    ("the divisor's scale multiplies", "factors.h", "std::floor(std::ldexp(factor, shift) + 0.5), 1.0, 2147483647.0",
     "std::floor(std::ldexp(factor, shift) / 3 + 0.5), 1.0, 2147483647.0"),
    ("Where's branches change places", "elementwise.cc", "add_table(1);\n      return add_table(2);", "add_table(2);\n      return add_table(1);"),
    ("a normalization's factor is half", "normalize.cc", "std::ldexp(scale[i] / out_scale, -16)", "std::ldexp(scale[i] / out_scale, -17)"),
    ("a normalization's bias is lost", "normalize.cc", "std::clamp(bias[i] / out_scale, -0x1p20, 0x1p20)", "0 * std::clamp(bias[i] / out_scale, -0x1p20, 0x1p20)"),
    ("a mean is divided by one more", "reduce.cc", "factor /= static_cast<double>(reduced_count);",
     "factor /= static_cast<double>(reduced_count + 1);"),
    ("an average is divided by one more", "pool.cc", "MakeMultiplier(ratio / static_cast<double>(n), params->pre_shift)",
     "MakeMultiplier(ratio / static_cast<double>(n + 1), params->pre_shift)"),
    ("a flattened picture meets a matrix by channel", "gemm.cc", "values[static_cast<size_t>(o * weights->depth + p * c + ic)]",
     "values[static_cast<size_t>(o * weights->depth + ic * pixels + p)]"),
    ("tables of functions are one entry off", "unary.cc", "(q - from.zero_point);\n    double y", "(q + 4 - from.zero_point);\n    double y"),
    ("Softmax's exponentials have another base", "softmax.cc", "std::exp(-static_cast<double>(scale) * d)",
     "std::exp2(-static_cast<double>(scale) * d)"),
    ("padding is code 0", "movement.cc", "params.value_q = int8 ? static_cast<int8_t>(source.zero_point) : 0;", "params.value_q = 0;"),
    # Kernels.
    ("sums lose their second operand", "x86_add.inl.h", "(uint32_t)args.multiplier_b << 16", "(uint32_t)args.multiplier_a << 16"),
    ("the largest of a window is its smallest", "x86_avx2.cc", "best = _mm_max_epu8(best, x);", "best = _mm_min_epu8(best, x);"),
    ("an average forgets the zero point", "x86_avx2.cc", "(int32_t)valid * (args.in_zero_point + 128)", "(int32_t)valid * 128"),
    ("products of tensors forget a zero point", "x86_avx2.cc", "return Zero{args.zero_point_b, args.sign};", "return Zero{0, args.sign};"),
    ("a Concat leaves no room for its inputs", "operator.cc", "out_offset += run;", "out_offset += run / 2;"),
    ("a Slice starts one line late", "operator.cc", "p.begin[1] + line % out[1] * p.step[1]", "p.begin[1] + (line + 1) % out[1] * p.step[1]"),
    ("a Softmax's row is divided by another's sum", "s8.inl.h", "line[c] = ProbabilityLineOf(c < lines.width ? sum[c] : kSoftmaxOne, args.codes);",
     "line[c] = ProbabilityLineOf(c < lines.width ? sum[0] : kSoftmaxOne, args.codes);"),
    ("a resized picture's columns change places", "linear.inl.h", "const float top = top_low * w.low + top_high * w.high;",
     "const float top = top_low * w.high + top_high * w.low;"),
    ("a depthwise window is padded with code 0", "x86_depthwise_s8.inl.h", "V::Set((uint8_t)((uint8_t)args.in_zero_point ^ 0x80))", "V::Set(0x80)"),
)


# What a change leaves unused is no error.
UNUSED = "".join(f'#pragma GCC diagnostic ignored "-Wunused-{what}"\n' for what in ("variable", "parameter", "function", "but-set-variable"))


class Tree:
    """A copy of the source that is built again and again."""

    def __init__(self, folder: pathlib.Path, built, jobs: int):
        self.root, self.build, self.jobs = folder / "tree", folder / "build", jobs
        folder.mkdir(parents=True, exist_ok=True)
        if built is not None:
            self.root, self.build = built, built / "build/dev"
            return
        subprocess.run(["rm", "-rf", str(self.root)], check=True)
        subprocess.run(["git", "clone", "-q", str(SOURCE), str(self.root)], check=True)
        subprocess.run(["cmake", "-S", str(self.root), "-B", str(self.build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                        "-DOCTET_TESTS=ON", "-DOCTET_BENCH=OFF", "-DOCTET_UNITY=OFF", "-DOCTET_WERROR=OFF"], check=True, stdout=subprocess.DEVNULL)

    def make(self, *targets) -> bool:
        return subprocess.run(["ninja", "-C", str(self.build), f"-j{self.jobs}", *targets], stdout=subprocess.DEVNULL).returncode == 0

    def find(self, name: str, text: str) -> pathlib.Path:
        files = [path for half in ("converter", "runtime") for path in sorted((self.root / half).rglob(name))
                 if path.read_text().count(text) == 1]
        if len(files) != 1:
            raise LookupError(f"{len(files)} files named {name} have the expression once")
        return files[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ort", default=os.environ.get("OCTET_ORT", ""), help="folder of `npm install onnxruntime-node`")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for the copy and its build")
    parser.add_argument("--built", type=pathlib.Path, help="a built copy to work in; its files are changed")
    parser.add_argument("--only", default="", help="faults with this text in their description")
    parser.add_argument("--after", type=int, default=0, metavar="N", help="without the first N faults of the list")
    parser.add_argument("--graphs", type=int, default=24, help="random graphs of each kind")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if not options.ort:
        parser.error("--ort names no folder, nor does OCTET_ORT")
    work = options.work.resolve()
    tree = Tree(work, options.built and options.built.resolve(), options.jobs)
    programs = ("octet", "octet-run")
    if not tree.make(*programs, "octet-oracle", "random_networks"):
        raise SystemExit("the tree without faults does not build; run cmake --build by hand and mend it")
    cases = list(directed.cases(work / "directed"))
    cases += list(truth.random_cases(tree.build, work / "random", options.first, 2 * options.graphs)) + list(truth.repro_cases())
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        measured = truth.Truth(tree.build, options.ort, pathlib.Path(scratch))

        def rows_of(case) -> dict:
            try:
                return {plan: (said, true) for plan, said, true in measured.run(case)}
            except (RuntimeError, KeyError, OSError, ValueError):
                return {}

        sound = {case.name: rows_of(case) for case in cases}
        print(f"{len(cases)} graphs\n{'fault':<64} {'graph':<26} {'plan':<5} {'sound':>6} {'truth':>6} {'verdict':>7}", flush=True)
        for what, name, expression, instead in FAULTS[options.after:]:
            if options.only not in what:
                continue
            try:
                file = tree.find(name, expression)
            except LookupError as error:
                print(f"{what:<64} not applied: {error}", flush=True)
                failed += 1
                continue
            text = file.read_text()
            file.write_text(UNUSED + text.replace(expression, instead))
            built = tree.make(*programs)
            damaged, false, refused = 0, 0, 0
            for case in cases if built else []:
                if damaged >= ENOUGH:
                    break
                rows = rows_of(case)
                refused += bool(sound[case.name]) and not rows
                for plan, (said, true) in rows.items():
                    before = sound[case.name].get(plan, (0, -100))[1]
                    if true >= DAMAGED_DB or true > before - LOST_DB:
                        continue
                    damaged += 1
                    missed = min(said, truth.CAP_DB) - true > FALSE_DB
                    false += missed
                    print(f"{what:<64} {case.name:<26} {plan:<5} {before:6.1f} {true:6.1f} {said:7.1f} {'NOT NOTICED' if missed else ''}",
                          flush=True)
            if not built or damaged == 0:
                print(f"{what:<64} " + ("does not build" if not built else f"damages none, {refused} are refused"), flush=True)
            failed += false > 0 or damaged == 0
            file.write_text(text)
    print(f"{failed} faults were not noticed, damage no graph or were not applied")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
