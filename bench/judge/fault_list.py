"""The faults that faults.py puts into a copy of the tree, and the files that they are in.

A fault: what is wrong, the name of the file, an expression that one file of this name has once, and what stands there instead.
tests/lint/check_faults.py holds the list against the tree.
"""
import pathlib

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
     "window->pads[axis - 2] += begin;\n    window->pads[axis - 2 + spatial] += end;",
     "window->pads[axis - 2] += end;\n    window->pads[axis - 2 + spatial] += begin;"),
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
     "channel.bias - ShareOfZeroPoint(", "channel.bias + ShareOfZeroPoint("),
    ("weights of a window are ordered by channel first", "weights.cc", "result.values[static_cast<size_t>((o * taps + t) * in_c + c)]",
     "result.values[static_cast<size_t>((o * in_c + c) * taps + t)]"),
    ("shifts are one too large", "weights.cc", "31)), -exponent));", "31)), -exponent + 1));"),
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
    ("tables of functions are one entry off", "unary.cc", "from.zero_point, to.scale, to.zero_point, table", "from.zero_point - 4, to.scale, to.zero_point, table"),
    ("Softmax's exponentials have another base", "softmax.cc", "math::Exp(-static_cast<double>(scale) * d)",
     "math::Exp(-0.7 * static_cast<double>(scale) * d)"),
    ("padding is code 0", "movement.cc", "params.value_q = int8 ? static_cast<int8_t>(source.zero_point) : 0;", "params.value_q = 0;"),
    # Kernels.
    ("sums lose their second operand", "x86_add.inl.h", "(uint32_t)args.multiplier_b << 16", "(uint32_t)args.multiplier_a << 16"),
    ("the largest of a window is its smallest", "x86_avx2.cc", "_mm_max_epu8(best, LoadPartial16(x, count))", "_mm_min_epu8(best, LoadPartial16(x, count))"),
    ("an average forgets the zero point", "x86_avx2.cc", "(int32_t)valid * (args.in_zero_point + 128)", "(int32_t)valid * 128"),
    ("products of tensors forget a zero point", "x86.inl.h", "return Zero{args.zero_point_b, args.sign};", "return Zero{0, args.sign};"),
    ("a Concat leaves no room for its inputs", "operator.cc", "out_offset += run;", "out_offset += run / 2;"),
    ("a Slice starts at the first line", "operator.cc", "in[1] + p.begin[1]) * in[2]", "in[1] + 0 * p.begin[1]) * in[2]"),
    ("a Softmax's row is divided by another's sum", "s8.inl.h", "line[c] = ProbabilityLineOf(c < lines.width ? sum[c] : kSoftmaxOne, args.codes);",
     "line[c] = ProbabilityLineOf(c < lines.width ? sum[0] : kSoftmaxOne, args.codes);"),
    ("a resized picture's columns change places", "linear.inl.h", "const float top = top_low * w.low + top_high * w.high;",
     "const float top = top_low * w.high + top_high * w.low;"),
    ("a depthwise window is padded with code 0", "x86_depthwise_s8.inl.h", "V::Set((uint8_t)((uint8_t)args.in_zero_point ^ 0x80))", "V::Set(0x80)"),
)


def file_of(root: pathlib.Path, name: str, expression: str) -> pathlib.Path:
    """The file of the tree that a fault changes. LookupError where it is not one file, or has the expression more than once."""
    files = [path for half in ("converter", "runtime") for path in sorted((root / half).rglob(name)) if expression in path.read_text()]
    if len(files) != 1:
        raise LookupError(f"{len(files)} files named {name} have the expression")
    times = files[0].read_text().count(expression)
    if times != 1:
        raise LookupError(f"{files[0].relative_to(root)} has the expression {times} times")
    return files[0]
