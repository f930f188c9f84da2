'use strict';
// The C as an object. Used by the page, by its workers, and by the tests.

// The little of an operating system that the module asks for: a clock, and a place for its messages.
function system(memory, told) {
  const view = () => new DataView(memory().buffer); // anew each time: memory that grows moves
  const none = (...places) => {
    for (const at of places) view().setUint32(at, 0, true);
    return 0;
  };
  return {
    environ_get: () => 0,
    environ_sizes_get: none,
    clock_time_get: (_, __, at) => {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    fd_close: () => 0,
    fd_seek: () => 70, // ESPIPE
    fd_fdstat_get: () => 8, // EBADF
    fd_write: (_, parts, count, written) => {
      let size = 0;
      for (let i = 0; i < count; i++) {
        const [at, n] = [0, 4].map((k) => view().getUint32(parts + 8 * i + k, true));
        told.push(new TextDecoder().decode(new Uint8Array(memory().buffer, at, n).slice()));
        size += n;
      }
      view().setUint32(written, size, true);
      return 0;
    },
    proc_exit: () => {
      throw new Error(told.join('').trim() || 'the program ended');
    },
  };
}

async function openModule(bytes) {
  const told = [];
  let C = null;
  const { instance } = await WebAssembly.instantiate(bytes, {
    wasi_snapshot_preview1: system(() => C.memory, told),
  });
  C = instance.exports;
  C._initialize();
  const encoder = new TextEncoder(),
    decoder = new TextDecoder();
  const put = (text) => {
    const bytesOf = encoder.encode(`${text}\0`);
    const at = C.web_room(bytesOf.length);
    new Uint8Array(C.memory.buffer, at, bytesOf.length).set(bytesOf);
    return at;
  };
  const get = (at) => {
    const all = new Uint8Array(C.memory.buffer);
    return JSON.parse(decoder.decode(all.slice(at, all.indexOf(0, at))));
  };
  return {
    file: (name, text) => C.web_file(put(`${name}\0${text.replaceAll('\0', '')}`)),
    parse: (words) => get(C.web_parse(put(words.join('\n')))),
    open: (arm) => get(C.web_open(arm)),
    train: (step) => C.web_train(step),
    measured: (steps) => {
      const out = [0];
      while (out.at(-1) < steps) out.push(C.web_next(out.at(-1), steps));
      return out;
    },
    look: () => get(C.web_look()),
    inside: () => get(C.web_inside()),
    typed: (text) => get(C.web_typed(put(text))),
    tensors: () =>
      get(C.web_tensors()).map(({ name, shape, at, size }) => ({
        name,
        shape,
        data: new Float32Array(C.memory.buffer, at, size).slice(),
      })),
  };
}
