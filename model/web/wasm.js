'use strict';
// The C as an object. Used by the playground, by the report, by their workers, and by the tests.

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

// compiled: a WebAssembly.Module, or its bytes
async function openModule(compiled) {
  const told = [];
  let C = null;
  const opened = await WebAssembly.instantiate(compiled, {
    wasi_snapshot_preview1: system(() => C.memory, told),
  });
  C = (opened.instance ?? opened).exports;
  C._initialize();
  const encoder = new TextEncoder(),
    decoder = new TextDecoder();
  const put = (...parts) => {
    const all = parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part));
    const size = all.reduce((sum, part) => sum + part.length, 0);
    let at = C.exchange_room(size);
    const begin = at;
    for (const part of all) {
      new Uint8Array(C.memory.buffer, at, part.length).set(part);
      at += part.length;
    }
    return [begin, size];
  };
  const text = (words) => put(words, '\0')[0];
  const get = (at) => {
    const all = new Uint8Array(C.memory.buffer);
    return JSON.parse(decoder.decode(all.slice(at, all.indexOf(0, at))));
  };
  return {
    // bytes: or a text
    file: (name, bytes) => C.exchange_file(...put(name, '\0', bytes)),
    // the playground's (web.h)
    parse: (words) => get(C.web_parse(text(words.join('\n')))),
    open: (arm) => get(C.web_open(arm)),
    train: (step) => C.web_train(step),
    measured: (steps) => {
      const out = [0];
      while (out.at(-1) < steps) out.push(C.web_next(out.at(-1), steps));
      return out;
    },
    look: () => get(C.web_look()),
    inside: () => get(C.web_inside()),
    typed: (sentence) => get(C.web_typed(text(sentence))),
    tensors: () =>
      get(C.web_tensors()).map(({ name, shape, at, size }) => ({
        name,
        shape,
        data: new Float32Array(C.memory.buffer, at, size).slice(),
      })),
    // a report's (answer.h)
    saved: (name) => get(C.answer_open(text(name))),
    asked: (sentence) => get(C.answer_typed(text(sentence))),
    prompt: (words, temperature, seed) =>
      get(C.answer_prompt(text(words), temperature, BigInt.asIntN(64, BigInt(seed)))),
    more: (characters) => get(C.answer_more(characters)),
  };
}

// ---- for a page --------------------------------------------------------------------------------

// fromBase64 came to browsers in 2025.
const bytesOf = (base64) =>
  Uint8Array.fromBase64?.(base64) ?? Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));

// The bytes of what stands packed in this file. Not by way of a Blob, which another process keeps.
async function unpack(id) {
  const { readable, writable } = new DecompressionStream('gzip'),
    writer = writable.getWriter();
  writer.write(bytesOf(document.getElementById(id).textContent));
  writer.close();
  return new Uint8Array(await new Response(readable).arrayBuffer());
}

// Where a worker of that script is, which begins with openModule.
function urlOfWorker(id) {
  const text = `${system}\n${openModule}\n${document.getElementById(id).textContent}`;
  return URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
}

const SIMD = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
  253, 98, 11,
];

// What this browser lacks, or null.
function lacking() {
  const newer = 'Chrome 91, Firefox 113, Safari 16.4 or newer have it';
  if (typeof WebAssembly !== 'object') return `WebAssembly; ${newer}`;
  if (!WebAssembly.validate(new Uint8Array(SIMD))) return `WebAssembly’s vectors (SIMD); ${newer}`;
  if (typeof DecompressionStream !== 'function') return `DecompressionStream; ${newer}`;
  return null;
}
