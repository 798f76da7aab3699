// Runs a model in ONNX Runtime for octet: node run.cjs REQUEST.json
//
// Request: {ort, model, optimize, threads, samples, inputs: [{name, shape, type, file}], outputs: [names], result}.
//   ort       the folder in which `npm install onnxruntime-node` was run
//   optimize  whether ONNX Runtime may rewrite the graph
//   file      float32, all samples one behind the other; shape is that of one, type what the model wants (arrays below)
//   outputs   which, in this order; none: the model's own
//   result    is written: float32, sample by sample, of each the outputs one behind the other
// On stdout one line of JSON: {version, outputs: [{name, shape, type}]}, shapes as the last sample had them. Where it fails: one
// line on stderr and status 1.
'use strict';
const fs = require('fs');
const path = require('path');
const {createRequire} = require('module');

const bits = new Uint32Array(1);
const asFloat = new Float32Array(bits.buffer);

// IEEE binary16: 1 sign, 5 exponent (bias 15) and 10 fraction bits.
function fromHalf(half) {
  const sign = half & 0x8000 ? -1 : 1, exponent = (half >> 10) & 31, fraction = half & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

// Rounded to nearest, ties to even.
function toHalf(value) {
  asFloat[0] = value;
  const sign = (bits[0] >>> 16) & 0x8000, size = Math.abs(asFloat[0]);
  if (Number.isNaN(size)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  // Steps of 2^-24 below 2^-14, of 2^(exponent - 10) above.
  const exponent = size < 2 ** -14 ? -14 : Math.floor(Math.log2(size));
  const steps = size / 2 ** (exponent - 10), low = Math.floor(steps), rest = steps - low;
  const whole = rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
  return sign | (whole + (exponent + 14) * 1024);
}

// Any numeric tensor as float32; 64-bit integers come as BigInt, halves as their bits.
function floats(tensor) {
  if (tensor.data instanceof Float32Array) return tensor.data;
  return Float32Array.from(tensor.data, tensor.type === 'float16' && tensor.data instanceof Uint16Array ? fromHalf : Number);
}

const wide = value => BigInt(Math.round(value));
const arrays = {
  float32: data => data,
  float64: data => Float64Array.from(data),
  float16: data => Uint16Array.from(data, toHalf),
  int8: data => Int8Array.from(data, Math.round),
  uint8: data => Uint8Array.from(data, Math.round),
  int16: data => Int16Array.from(data, Math.round),
  uint16: data => Uint16Array.from(data, Math.round),
  int32: data => Int32Array.from(data, Math.round),
  uint32: data => Uint32Array.from(data, Math.round),
  int64: data => BigInt64Array.from(data, wide),
  uint64: data => BigUint64Array.from(data, wide),
  bool: data => Uint8Array.from(data, value => (value === 0 ? 0 : 1)),
};

function tensorOf(ort, type, data, shape) {
  if (!(type in arrays)) throw new Error(`inputs of type ${type} cannot be fed from numbers`);
  return new ort.Tensor(type, arrays[type](data), shape);
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
    ...input,
    count: input.shape.reduce((a, b) => a * b, 1),
    handle: fs.openSync(input.file, 'r'),
  }));
  const result = fs.openSync(request.result, 'w');
  let outputs = [];
  for (let sample = 0; sample < request.samples; ++sample) {
    const feeds = {};
    for (const {name, shape, type, count, handle} of inputs) {
      const data = new Float32Array(count);
      fs.readSync(handle, data, 0, data.byteLength, sample * data.byteLength);
      feeds[name] = tensorOf(ort, type, data, shape);
    }
    const got = await session.run(feeds, names);
    outputs = names.map(name => ({name, shape: got[name].dims.map(Number), type: got[name].type}));
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
