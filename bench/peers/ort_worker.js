// ort_worker.js PACKAGE_FOLDER MODEL.onnx 1,3,224,224: ONNX Runtime on one thread, the model's first
// input in this shape. A line with a count comes in, the milliseconds of so many inferences go out.
'use strict';
const path = require('path');
const readline = require('readline');
const [folder, model, dims] = process.argv.slice(2);
const ort = require(path.join(path.resolve(folder), 'node_modules', 'onnxruntime-node'));

const kWarmups = 3;

async function main() {
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    executionMode: 'sequential',
    logSeverityLevel: 3,
  });
  const shape = dims.split(',').map(Number);
  const values = new Float32Array(shape.reduce((a, b) => a * b, 1));
  for (let i = 0; i < values.length; ++i) values[i] = ((i * 7919) % 6001) / 1000 - 3;
  const feeds = {[session.inputNames[0]]: new ort.Tensor('float32', values, shape)};
  for (let i = 0; i < kWarmups; ++i) await session.run(feeds);
  console.log('ready');
  for await (const line of readline.createInterface({input: process.stdin})) {
    const milliseconds = [];
    for (let i = Number(line); i > 0; --i) {
      const start = process.hrtime.bigint();
      await session.run(feeds);
      milliseconds.push(Number(process.hrtime.bigint() - start) * 1e-6);
    }
    console.log(milliseconds.join(' '));
  }
}

main().catch((error) => {
  console.error('ort_worker: ' + String(error.message).split('\n')[0]);
  process.exit(3);
});
