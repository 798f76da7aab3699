// The networks of the snapshots: each a model with data, options of octet convert, and commands
// that follow.
#ifndef OCTET_TESTS_CONVERTER_SNAPSHOT_NETWORKS_H_
#define OCTET_TESTS_CONVERTER_SNAPSHOT_NETWORKS_H_

#include <functional>
#include <string>
#include <vector>

#include "tests/converter/snapshot/octet_program.h"

namespace octet::test {

using Words = std::vector<std::string>;

struct Network {
  std::string name;  // of the file in expected/
  // Writes m.onnx and what the words name, and returns what --calibrate takes.
  std::function<std::string(const Folder&)> write;
  Words options;  // of octet convert m.onnx; @ stands for the folder
  // Run behind it; blob and model are @out.octet and @m.onnx. {"read", FILE} tells what stands in a
  // file that a command wrote, {"blob", FILE} and {"onnx", FILE} the same of a blob and of a model,
  // {"sections", FILE} what octet inspect says of a blob beside its plans.
  std::vector<Words> commands = {};
};

// In the order in which they run.
std::vector<Network> Networks();

// Of networks.cc: models that random generators and tests of passes make, with one or two options
// each. Of the other files: models of their own, for tasks, commands, options and decoders that
// need a certain one.
void AddMade(std::vector<Network>* networks);
void AddFeatures(std::vector<Network>* networks);
void AddOptions(std::vector<Network>* networks);
void AddDecoders(std::vector<Network>* networks);
void AddSections(std::vector<Network>* networks);
void AddIntegers(std::vector<Network>* networks);

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_SNAPSHOT_NETWORKS_H_
