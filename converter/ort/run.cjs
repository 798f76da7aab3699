// Runs a model in ONNX Runtime for octet: node run.cjs REQUEST.json
//
// Request: {ort, model, optimize, threads, samples, inputs: [{name, shape, file}], outputs: [names], result}.
//   ort       the folder in which `npm install onnxruntime-node` was run
//   optimize  whether ONNX Runtime may rewrite the graph
//   file      float32, all samples one behind the other; shape is that of one
//   outputs   which, in this order; none: the model's own
//   result    is written: float32, sample by sample, of each the outputs one behind the other
// On stdout one line of JSON: {version, outputs: [{name, shape}]}, shapes as the last sample had them. Where it fails: one
// line on stderr and status 1.
'use strict';
const fs = require('fs');
const path = require('path');
const {createRequire} = require('module');

// Any numeric tensor as float32; 64-bit integers come as BigInt.
function floats(tensor) {
  if (tensor.data instanceof Float32Array) return tensor.data;
  return Float32Array.from(tensor.data, Number);
}

async function main() {
  const request = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
  const from = createRequire(path.join(path.resolve(request.ort), 'index.js'));
  const ort = from('onnxruntime-node');
  const session = await ort.InferenceSession.create(request.model, {
    graphOptimizationLevel: request.optimize ? 'all' : 'disabled',
    intraOpNumThreads: request.threads,
    interOpNumThreads: 1,
    executionProviders: ['cpu'],
    logSeverityLevel: 3,
  });
  const names = request.outputs.length ? request.outputs : session.outputNames;
  const inputs = request.inputs.map(input => ({
    name: input.name,
    shape: input.shape,
    count: input.shape.reduce((a, b) => a * b, 1),
    handle: fs.openSync(input.file, 'r'),
  }));
  const result = fs.openSync(request.result, 'w');
  let outputs = [];
  for (let sample = 0; sample < request.samples; ++sample) {
    const feeds = {};
    for (const {name, shape, count, handle} of inputs) {
      const data = new Float32Array(count);
      fs.readSync(handle, data, 0, data.byteLength, sample * data.byteLength);
      feeds[name] = new ort.Tensor('float32', data, shape);
    }
    const got = await session.run(feeds, names);
    outputs = names.map(name => ({name, shape: got[name].dims.map(Number)}));
    for (const name of names) {
      const data = floats(got[name]);
      if (data.byteLength) fs.writeSync(result, data);
      if (got[name].dispose) got[name].dispose();
    }
  }
  fs.closeSync(result);
  const version = from('onnxruntime-node/package.json').version;
  process.stdout.write(JSON.stringify({version, outputs}) + '\n');
}

main().catch(error => {
  process.stderr.write(String(error.message || error).replace(/\s+/g, ' ') + '\n');
  process.exitCode = 1;
});
