// Many models in ONNX Runtime, without its optimisations: node ort_reference.cjs REQUEST.json
//
// Request: {ort, jobs: [{model, samples, inputs: [{name, shape, type, file}], result}]}.
//   ort     the folder in which `npm install onnxruntime-node` was run
//   file    float32, all samples one behind the other; shape is that of one
//   result  is written: NAME.0, NAME.1, ... of the outputs in order, float32, all samples one behind the other
// On stdout one line of JSON for each job: {model, outputs: [{name, shape}]} or {model, error}.
'use strict';
const fs = require('fs');
const path = require('path');
const {createRequire} = require('module');

async function runJob(ort, job) {
  const session = await ort.InferenceSession.create(job.model, {
    graphOptimizationLevel: 'disabled',
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionProviders: ['cpu'],
    logSeverityLevel: 4,
  });
  const inputs = job.inputs.map(input => {
    const bytes = fs.readFileSync(input.file);
    return {...input, data: new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)};
  });
  const files = session.outputNames.map((name, i) => fs.openSync(`${job.result}.${i}`, 'w'));
  let outputs = [];
  for (let sample = 0; sample < job.samples; ++sample) {
    const feeds = {};
    for (const {name, shape, data} of inputs) {
      const count = shape.reduce((a, b) => a * b, 1);
      feeds[name] = new ort.Tensor('float32', data.slice(sample * count, (sample + 1) * count), shape);
    }
    const got = await session.run(feeds);
    outputs = session.outputNames.map(name => ({name, shape: got[name].dims.map(Number)}));
    session.outputNames.forEach((name, i) => {
      const values = got[name].data instanceof Float32Array ? got[name].data : Float32Array.from(got[name].data, Number);
      fs.writeSync(files[i], Buffer.from(values.buffer, values.byteOffset, values.byteLength));
    });
  }
  files.forEach(file => fs.closeSync(file));
  await session.release();
  return outputs;
}

async function main() {
  const request = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
  const ort = createRequire(path.join(path.resolve(request.ort), 'index.js'))('onnxruntime-node');
  for (const job of request.jobs) {
    try {
      console.log(JSON.stringify({model: job.model, outputs: await runJob(ort, job)}));
    } catch (error) {
      console.log(JSON.stringify({model: job.model, error: String(error.message).split('\n')[0]}));
    }
  }
}

main().catch(error => {
  console.error(String(error.message).split('\n')[0]);
  process.exit(1);
});
