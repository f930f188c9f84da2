// Reads what a run of `pronoun` left and recomputes its attention, with nothing but JavaScript:
//
//     node tests/recipes/load_the_weights.mjs [DIRECTORY [ARM]]        (out, qkv)
//
// As load_the_weights.py, which says more of the two formats. In a browser, fetch() the files instead.
import {readFileSync} from 'node:fs';

const stop = message => { console.error(message); process.exit(1); };

// An ArrayBuffer of its own, so that its floats begin at a multiple of 4.
const read = path => new Uint8Array(readFileSync(path)).buffer;
const textOf = (buffer, begin, n) => new TextDecoder().decode(new Uint8Array(buffer, begin, n));

// name -> {shape, numbers} of the float32 tensors, and the metadata
function loadSafetensors(path) {
  const file = read(path), n = Number(new DataView(file).getBigUint64(0, true));
  const {__metadata__: metadata, ...header} = JSON.parse(textOf(file, 8, n));
  const tensors = {};
  for (const [name, {dtype, shape, data_offsets: [begin, end]}] of Object.entries(header))
    if (dtype === 'F32')
      tensors[name] = {shape, numbers: new Float32Array(file, 8 + n + begin, (end - begin) / 4)};
  return {tensors, metadata};
}

function loadNpy(path) {
  const file = read(path), n = new DataView(file).getUint16(8, true);
  if (!textOf(file, 10, n).includes('<f4')) stop(`${path}: expected little-endian floats`);
  return new Float32Array(file.slice(10 + n));
}

const matrix = ({shape: [rows, columns], numbers}) =>
  Array.from({length: rows}, (_, i) => numbers.subarray(i * columns, (i + 1) * columns));
const transpose = A => Array.from(A[0], (_, j) => A.map(row => row[j]));
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const matmul = (A, B) => { const columns = transpose(B); return A.map(row => columns.map(c => dot(row, c))); };
const softmax = row => {
  const most = Math.max(...row), exps = row.map(x => Math.exp(x - most));
  const sum = exps.reduce((a, b) => a + b, 0);
  return exps.map(e => e / sum);
};

// softmax(Q K^T / sqrt(d_k)) of a bare head, whose token i is E[word] + P[i]
function attention(tensors, metadata, words) {
  const vocabulary = metadata['vocabulary.word'].split('\n');
  const E = matrix(tensors.E), P = matrix(tensors.P);
  const X = words.map((word, i) => Array.from(E[vocabulary.indexOf(word)], (e, k) => e + P[i][k]));
  const Q = matmul(X, matrix(tensors.W_Q)), K = matmul(X, matrix(tensors.W_K));
  return matmul(Q, transpose(K)).map(row => softmax(row.map(s => s / Math.sqrt(Q[0].length))));
}

const [directory = 'out', arm = 'qkv'] = process.argv.slice(2);
const {tensors, metadata} = loadSafetensors(`${directory}/${arm}.safetensors`);
if (metadata.task !== 'pronoun' || metadata['--layers'] !== '0' || !tensors.W_K)
  stop(`${directory}: expected a bare head of pronoun with W_Q and W_K, as in --arms qk,qkv`);
const words = JSON.parse(textOf(read(`${directory}/snapshots.json`), 0)).columns;
const A = attention(tensors, metadata, words), written = loadNpy(`${directory}/${arm}.attention.npy`);
A.forEach((row, i) => {
  const most = Math.max(...row);
  console.log(`${words[i].padStart(10)} -> ${words[row.indexOf(most)].padEnd(10)} ${most.toFixed(2)}`);
});
const apart = Math.max(...A.flat().map((a, i) => Math.abs(a - written[i])));
console.log(`${written.length} weights, at most ${apart.toExponential(0)} from what the program wrote`);
process.exit(apart < 1e-4 && written.length === words.length ** 2 ? 0 : 1);  // a NaN fails
