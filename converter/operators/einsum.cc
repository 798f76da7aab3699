// Einsum, evaluated by its definition: a sum over all letters that the result lacks. Slow and
// plain: the passes take it apart before anything is calibrated.
#include "converter/operators/einsum.h"

#include <algorithm>
#include <cctype>

#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

// The dimensions under "..." are '0' (the last one), '1', ...: operands align at the right.
std::string WithoutEllipsis(const Node& node, std::string term, size_t dimensions) {
  const size_t at = term.find("...");
  if (at == std::string::npos) return term;
  const size_t letters = term.size() - 3;
  const size_t hidden = dimensions < letters ? 0 : dimensions - letters;
  if (hidden > 10)
    NodeFail(node, "'...' stands for {} dimensions, but at most 10 are supported", hidden);
  std::string digits;
  for (size_t i = hidden; i-- > 0;) digits += static_cast<char>('0' + i);
  return term.replace(at, 3, digits);
}

// Without an arrow: the ellipsis, then letters that occur once, in alphabetical order.
std::string ImplicitOutput(const std::vector<std::string>& terms) {
  std::map<char, int> uses;
  for (const std::string& term : terms) {
    for (char letter : term) ++uses[letter];
  }
  std::string digits, letters;
  for (const auto& [letter, count] : uses) {
    if (std::isdigit(static_cast<unsigned char>(letter)) != 0) {
      digits.insert(digits.begin(), letter);
    } else if (count == 1) {
      letters += letter;
    }
  }
  return digits + letters;
}

}  // namespace

Einsum ReadEinsum(const Node& node, const std::vector<Shape>& shapes) {
  std::string equation = node.String("equation", "");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const size_t arrow = equation.find("->");
  Einsum result;
  std::string rest = equation.substr(0, arrow);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const size_t comma = rest.find(',');
    const std::string term = rest.substr(0, comma);
    const bool last = i + 1 == shapes.size();
    if (last != (comma == std::string::npos)) {
      NodeFail(node, "equation '{}' does not fit {} operands", equation, shapes.size());
    }
    if (!last) rest.erase(0, comma + 1);
    result.terms.push_back(WithoutEllipsis(node, term, shapes[i].size()));
    const std::string& letters = result.terms.back();
    if (letters.size() != shapes[i].size()) {
      NodeFail(node, "term '{}' does not fit an operand of shape {}", term,
               graph::ToString(shapes[i]));
    }
    for (size_t d = 0; d < letters.size(); ++d) {
      const bool hidden = std::isdigit(static_cast<unsigned char>(letters[d])) != 0;
      int64_t& size = result.sizes.try_emplace(letters[d], shapes[i][d]).first->second;
      if (hidden && size == 1) size = shapes[i][d];
      if (size != shapes[i][d] && !(hidden && shapes[i][d] == 1)) {
        NodeFail(node, "dimension '{}' is {} and {}", letters[d], size, shapes[i][d]);
      }
    }
  }
  size_t hidden = 0;
  for (const auto& [letter, size] : result.sizes) {
    hidden += std::isdigit(static_cast<unsigned char>(letter)) != 0 ? 1 : 0;
  }
  if (arrow == std::string::npos) {
    result.output = ImplicitOutput(result.terms);
  } else {
    const std::string wanted = equation.substr(arrow + 2);
    const size_t dots = wanted.find("...") == std::string::npos ? 0 : 3;
    result.output = WithoutEllipsis(node, wanted, wanted.size() - dots + hidden);
  }
  for (char letter : result.output) {
    if (result.sizes.count(letter) == 0 ||
        std::count(result.output.begin(), result.output.end(), letter) != 1) {
      NodeFail(node, "equation '{}' has a result that its operands do not define", equation);
    }
  }
  return result;
}

std::vector<OutputType> InferEinsum(const ShapeContext& context) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    RequireFloat(context, i);
    RequireElements(context, i);
    shapes.push_back(InputShape(context, i));
  }
  const Einsum einsum = ReadEinsum(*context.node, shapes);
  Shape result;
  for (char letter : einsum.output) result.push_back(einsum.sizes.at(letter));
  return {{DataType::kFloat, result}};
}

void ExecuteEinsum(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  std::vector<Shape> shapes;
  for (const Tensor* input : inputs) shapes.push_back(input->shape);
  const Einsum einsum = ReadEinsum(node, shapes);
  // Letters of the result first, so that each of its elements is one run of the loop below.
  std::string letters = einsum.output;
  for (const auto& [letter, size] : einsum.sizes) {
    if (letters.find(letter) == std::string::npos) letters += letter;
  }
  std::vector<std::vector<int64_t>> steps(inputs.size(), std::vector<int64_t>(letters.size(), 0));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto strides = Strides(shapes[i]);
    for (size_t d = 0; d < shapes[i].size(); ++d) {
      if (shapes[i][d] != 1) steps[i][letters.find(einsum.terms[i][d])] += strides[d];
    }
  }
  int64_t sums = 1;
  for (size_t l = einsum.output.size(); l < letters.size(); ++l)
    sums *= einsum.sizes.at(letters[l]);
  for (int64_t result = 0; result < outputs[0].Count(); ++result) {
    double total = 0;
    for (int64_t term = 0; term < sums; ++term) {
      int64_t index = result * sums + term;
      std::vector<int64_t> at(inputs.size(), 0);
      for (size_t l = letters.size(); l-- > 0;) {
        const int64_t size = einsum.sizes.at(letters[l]);
        for (size_t i = 0; i < inputs.size(); ++i) at[i] += index % size * steps[i][l];
        index /= size;
      }
      double product = 1;
      for (size_t i = 0; i < inputs.size(); ++i) {
        product *= inputs[i]->floats[static_cast<size_t>(at[i])];
      }
      total += product;
    }
    outputs[0].floats[static_cast<size_t>(result)] = static_cast<float>(total);
  }
}

}  // namespace octet::operators
