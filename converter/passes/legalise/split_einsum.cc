// Einsum of one or two operands becomes what the equation says: diagonals are read as every
// (n+1)-th element, letters of one operand alone that the result lacks are summed, two operands are
// one batched matrix product over the letters both share, and a transpose brings the result's
// order.
#include <algorithm>
#include <cctype>

#include "converter/operators/einsum.h"
#include "converter/passes/editor.h"

namespace octet::passes {

namespace {

// A value with the letter of each of its dimensions.
struct Operand {
  ValueId value;
  std::string letters;
  Shape shape;
};

class Splitter {
 public:
  Splitter(Editor& editor, int node) : editor_(editor), node_(node), name_(editor.At(node).name) {}

  bool Has(const std::string& letters, char letter) const {
    return letters.find(letter) != std::string::npos;
  }

  void Add(Operand* operand, const std::string& op, std::vector<ValueId> more, std::string letters,
           Shape shape, std::map<std::string, graph::Attribute> attributes = {}) {
    const ValueId result = editor_.NewValue(name_ + "_part", graph::DataType::kFloat, shape);
    std::vector<ValueId> inputs{operand->value};
    inputs.insert(inputs.end(), more.begin(), more.end());
    const int added = editor_.AddNode(node_, op, name_ + "_" + op, std::move(inputs), {result});
    editor_.At(added).attributes = std::move(attributes);
    *operand = {result, std::move(letters), std::move(shape)};
  }

  ValueId Integers(const std::vector<int64_t>& values) {
    return editor_.NewConstant(name_ + "_integers",
                               Tensor::Integers({static_cast<int64_t>(values.size())}, values));
  }

  void Reshape(Operand* operand, std::string letters, const Shape& shape) {
    if (shape != operand->shape) {
      Add(operand, "Reshape", {Integers(shape)}, std::move(letters), shape);
    } else {
      operand->letters = std::move(letters);
    }
  }

  // Dimensions in the order of `letters`, a permutation of the operand's.
  void Order(Operand* operand, const std::string& letters) {
    if (letters == operand->letters) return;
    std::vector<int64_t> perm;
    Shape shape;
    for (char letter : letters) {
      perm.push_back(static_cast<int64_t>(operand->letters.find(letter)));
      shape.push_back(operand->shape[static_cast<size_t>(perm.back())]);
    }
    Add(operand, "Transpose", {}, letters, shape, {{"perm", perm}});
  }

  // A letter twice: both to the end, [.., n, n] as [.., n * n], of which every (n+1)-th is kept.
  void TakeDiagonals(Operand* operand) {
    for (;;) {
      const std::string& letters = operand->letters;
      size_t first = 0;
      while (first < letters.size() && letters.find(letters[first], first + 1) == std::string::npos)
        ++first;
      if (first == letters.size()) return;
      const char letter = letters[first];
      const size_t second = letters.find(letter, first + 1);
      std::vector<int64_t> perm;
      std::string others;
      Shape shape;
      for (size_t d = 0; d < letters.size(); ++d) {
        if (d == first || d == second) continue;
        perm.push_back(static_cast<int64_t>(d));
        others += letters[d];
        shape.push_back(operand->shape[d]);
      }
      perm.push_back(static_cast<int64_t>(first));
      perm.push_back(static_cast<int64_t>(second));
      const int64_t n = operand->shape[first];
      Shape square = shape;
      square.insert(square.end(), {n, n});
      if (!std::is_sorted(perm.begin(), perm.end())) {
        Add(operand, "Transpose", {}, others + letter + letter, square, {{"perm", perm}});
      }
      Shape flat = shape, diagonal = shape;
      flat.push_back(n * n);
      diagonal.push_back(n);
      Add(operand, "Reshape", {Integers(flat)}, others + letter, flat);
      const auto axis = static_cast<int64_t>(flat.size()) - 1;
      Add(operand, "Slice", {Integers({0}), Integers({n * n}), Integers({axis}), Integers({n + 1})},
          others + letter, diagonal);
    }
  }

  void SumAway(Operand* operand, const std::string& needed) {
    std::vector<int64_t> axes;
    std::string letters;
    Shape shape;
    for (size_t d = 0; d < operand->letters.size(); ++d) {
      if (Has(needed, operand->letters[d])) {
        letters += operand->letters[d];
        shape.push_back(operand->shape[d]);
      } else {
        axes.push_back(static_cast<int64_t>(d));
      }
    }
    if (axes.empty()) return;
    Add(operand, "ReduceSum", {Integers(axes)}, letters, shape, {{"keepdims", int64_t{0}}});
  }

  // [batch..., M, K] x [batch..., K, N]; letters under an ellipsis may be 1 in one operand.
  Operand Multiply(Operand a, Operand b, const operators::Einsum& einsum) {
    std::string batch, rows, columns, depth;
    for (const auto& [letter, size] : einsum.sizes) {
      const bool in_a = Has(a.letters, letter), in_b = Has(b.letters, letter);
      if (!in_a && !in_b) continue;
      const bool kept = Has(einsum.output, letter);
      (in_a && in_b ? (kept ? batch : depth) : in_a ? rows : columns) += letter;
    }
    const auto size_of = [](const Operand& operand, const std::string& letters) {
      int64_t size = 1;
      for (char letter : letters) size *= operand.shape[operand.letters.find(letter)];
      return size;
    };
    const auto matrix = [&](Operand* operand, const std::string& first, const std::string& second) {
      Shape shape;
      for (char letter : batch) shape.push_back(size_of(*operand, {letter}));
      shape.insert(shape.end(), {size_of(*operand, first), size_of(*operand, second)});
      Order(operand, batch + first + second);
      Reshape(operand, batch + first + second, shape);
    };
    Shape result;
    for (char letter : batch + rows + columns) result.push_back(einsum.sizes.at(letter));
    matrix(&a, rows, depth);
    matrix(&b, depth, columns);
    Shape product;
    for (size_t d = 0; d < batch.size(); ++d) product.push_back(std::max(a.shape[d], b.shape[d]));
    product.insert(product.end(), {a.shape[batch.size()], b.shape.back()});
    Add(&a, "MatMul", {b.value}, "", product);
    Reshape(&a, batch + rows + columns, result);
    return a;
  }

 private:
  Editor& editor_;
  int node_;
  std::string name_;
};

}  // namespace

bool SplitEinsum(Editor& editor, int n) {
  const std::vector<ValueId> inputs = editor.At(n).inputs;
  std::vector<Shape> shapes;
  for (ValueId id : inputs) {
    const Shape& shape = editor.ShapeOf(id);
    shapes.push_back(shape);
  }
  if (inputs.empty() || inputs.size() > 2 || !editor.At(n).activation.empty()) return false;
  const operators::Einsum einsum = operators::ReadEinsum(editor.At(n), shapes);
  // An ellipsis that the result leaves out, stretched in one operand only, is no plain sum.
  for (const auto& [letter, size] : einsum.sizes) {
    const bool hidden = std::isdigit(static_cast<unsigned char>(letter)) != 0;
    if (hidden && einsum.output.find(letter) == std::string::npos) return false;
  }
  Splitter splitter(editor, n);
  std::vector<Operand> operands;
  for (size_t i = 0; i < inputs.size(); ++i) {
    operands.push_back({inputs[i], einsum.terms[i], shapes[i]});
    splitter.TakeDiagonals(&operands[i]);
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string others = operands.size() == 2 ? operands[1 - i].letters : "";
    splitter.SumAway(&operands[i], einsum.output + others);
  }
  Operand result = operands[0];
  if (operands.size() == 2) result = splitter.Multiply(operands[0], operands[1], einsum);
  splitter.Order(&result, einsum.output);
  editor.Become(n, "Identity", {result.value});
  return true;
}

}  // namespace octet::passes
