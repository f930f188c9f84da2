// The module, and the workers, an arm each. This script and wasm.js stand before the rest of the page: the
// module is unpacked and the first two workers start while the browser still reads it. They compile the
// module while the page does.

const spare = [];
let unpacked = null,
  workerAt = null;

function newWorker() {
  const worker = new Worker((workerAt ??= urlOfWorker('worker.js')));
  if (unpacked) worker.postMessage({ load: unpacked });
  return worker;
}

// Bytes, not a module, which Safari cannot clone.
function load(bytes) {
  unpacked = bytes;
  for (const worker of spare) worker.postMessage({ load: bytes });
}

spare.push(newWorker(), newWorker());

const opening = unpack('web.wasm').then((bytes) => {
  load(bytes);
  return openModule(bytes);
});
