// The module, and the workers, an arm each. This script and wasm.js stand before the rest of the page: the
// module is unpacked and compiled while the browser still reads it.

let unpacked = null,
  workerAt = null;

const compiling = unpack('web.wasm').then((bytes) => {
  unpacked = bytes;
  return WebAssembly.compile(bytes);
});

const newWorker = () => new Worker((workerAt ??= urlOfWorker('worker.js')));
