// SPDX-License-Identifier: Apache-2.0
// node oracle_server.mjs FOLDER: runs scripts of the real ONNX Runtime in FOLDER, one after the other.
// Reads {"script": "train.mjs", "arguments": [...]} a line, answers {"exitStatus", "stdout", "stderr"}
// a line. Each script runs in a worker of its own, as if started alone; what they share is the
// compiled WebAssembly module, which takes seconds to make. The native runtime can be loaded only once
// in a process, so its scripts get processes.

import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';
import {finished} from 'node:stream/promises';
import {pathToFileURL} from 'node:url';
import {isMainThread, Worker, workerData} from 'node:worker_threads';

const WASM = 'node_modules/onnxruntime-web/dist/ort-training-wasm-simd-threaded.wasm';

if (isMainThread) {
  const folder = resolve(process.argv[2]);
  const wasm = readFileSync(join(folder, WASM));
  const shared = {folder, size: wasm.byteLength, module: await WebAssembly.compile(wasm)};
  for await (const line of createInterface({input: process.stdin})) {
    process.stdout.write(JSON.stringify(await answer(JSON.parse(line), shared)) + '\n');
  }
} else {
  const {script, folder, size, module} = workerData;
  const compileAndInstantiate = WebAssembly.instantiate;
  WebAssembly.instantiate = async (source, imports) => {
    if (source.byteLength !== size) return compileAndInstantiate(source, imports);
    return {module, instance: await compileAndInstantiate(module, imports)};
  };
  await import(pathToFileURL(join(folder, script)).href);
}

/** Runs a script to its end. */
function answer({script, arguments: argv}, shared) {
  const usesNative = ['infer.mjs', 'check.mjs'].includes(script) && !argv.includes('wasm-training');
  const runner = usesNative
    ? spawn(process.execPath, [join(shared.folder, script), ...argv])
    : new Worker(new URL(import.meta.url), {
      argv, stdout: true, stderr: true, workerData: {script, ...shared},
    });
  const texts = {stdout: '', stderr: ''};
  const ends = Object.keys(texts).map((name) => {
    runner[name].setEncoding('utf8').on('data', (text) => texts[name] += text);
    return finished(runner[name]).catch(() => {});
  });
  return new Promise((done) => {
    runner.on('error', (error) => texts.stderr += `${error?.stack ?? error}\n`);
    runner.on('exit', (exitStatus) => Promise.all(ends).then(() => done({exitStatus, ...texts})));
  });
}
