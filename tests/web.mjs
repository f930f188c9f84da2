// The modules of the pages under node. The trainer: configurations end with the weights and the curve of
// QKV_KERNELS=plain ./train, bit for bit and digit for digit. A saved model: it answers as ./train show and
// writes as ./train sample.
//
//     node tests/web.mjs WEB TRAIN        WEB: the directory of web.wasm and answer.wasm
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [web, train] = process.argv.slice(2);
const bytes = readFileSync(join(web, 'web.wasm')),
  answers = readFileSync(join(web, 'answer.wasm'));
const plain = { ...process.env, QKV_KERNELS: 'plain' };
const openModule = new Function(
  `${readFileSync('model/web/wasm.js', 'utf8')}; return openModule;`,
)();
const work = mkdtempSync(join(tmpdir(), 'web-'));
let passed = 0,
  failed = 0;

function check(condition, sentence, detail = '') {
  if (condition) passed++;
  else {
    failed++;
    console.log(`FAILED ${sentence} ${detail}`);
  }
}

const arms = (name, steps, ...more) => ['pronoun', '--arms', name, '--steps', steps, ...more];
const small = ['--held-out', '64'];
const COMMANDS = [
  ...['xxt', 'xxt-v', 'tied', 'sym', 'qk', 'kv', 'qkv'].map((name) => arms(name, '120', ...small)),
  ...[2, 3, 4, 5, 6].map((seed) => arms('qkv', '60', '--seed', String(seed), ...small)),
  arms('sym,qkv', '1000'),
  arms('qkv', '40', '--layers', '1', ...small),
  arms('tied,qkv', '24', '--layers', '2', '--heads', '4', ...small),
  arms('qkv', '60', '--positions', 'sinusoidal', ...small),
  arms('qkv', '60', '--init', 'random', '--relative', '3', ...small),
  arms('qkv', '60', '--optimizer', 'sgd', '--lr', '0.1', ...small),
  arms('qkv', '60', '--d-model', '37', '--d-k', '5', '--batch', '7', '--clip', '1', ...small),
  arms('qkv', '50', '--accumulate', '2', '--schedule', 'constant', '--readout', 'own', ...small),
  arms('qkv', '50', '--mask-self', '--no-scale', ...small),
  arms('sym,qkv', '60', '--sentences', 'data/sentences.txt'),
  ['search', '--arms', 'kv,qkv', '--steps', '200'],
  ['recall', '--arms', 'kv,qkv', '--steps', '200'],
  ['recall', '--separate', '--layers', '2', '--arms', 'qkv', '--steps', '20', '--pairs', '5', ...small],
  ['heads', '--arms', 'tied,qk', '--steps', '40'],
  ['heads', '--arms', 'qkv', '--layers', '1', '--steps', '8', '--suffixes', '--capitals'],
  ['coref', '--arms', 'tied,qk', '--steps', '40'],
  ['coref', '--arms', 'qkv', '--layers', '1', '--steps', '8', '--antecedent', 'nearest'],
  ['coref', '--arms', 'qk', '--steps', '40', '--shared'],
  ['text', '--text', 'data/sentences.txt', '--steps', '3', '--layers', '1', '--held-out', '8'],
  [
    'text',
    '--text',
    'data/sentences.txt',
    '--steps',
    '3',
    '--layers',
    '1',
    '--held-out',
    '8',
    '--objective',
    'masked',
  ],
];

// The tensors of a .safetensors file, as bytes.
function readTensors(file) {
  const all = readFileSync(file);
  const size = Number(all.readBigUInt64LE(0));
  const head = JSON.parse(all.subarray(8, 8 + size).toString('utf8'));
  return (name) => {
    const [from, to] = head[name].data_offsets;
    return all.subarray(8 + size + from, 8 + size + to);
  };
}

// The curve of an arm: the lines of metrics.csv without the seconds, each number as JavaScript
// writes it.
function readCurve(file, arm) {
  const [head, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const seconds = head.split(',').indexOf('seconds');
  return lines
    .map((line) => line.split(','))
    .filter((line) => line[1] === arm)
    .map((line) => line.filter((_, i) => i !== 1 && i !== seconds))
    .map((line) => line.map((x) => x && String(Number(x))).join(','));
}

async function trainHere(words, k) {
  const module = await openModule(bytes);
  const parsed = module.parse(words);
  const { sentences, text, conllu } = parsed.options;
  const file = sentences ?? text ?? conllu;
  if (file) module.file(file, readFileSync(file, 'utf8'));
  const { steps, attention: opened } = module.open(k);
  const curve = [];
  let step = 0;
  for (const next of module.measured(steps)) {
    while (step < next) step = module.train(next);
    const { point, attention } = module.look();
    if (!step)
      check(
        JSON.stringify(attention) === JSON.stringify(opened),
        `${words.join(' ')}: an arm opens with the attention of step 0`,
      );
    curve.push([step, ...point.slice(0, 6), point[7]].map((x) => String(x ?? '')).join(','));
  }
  return { name: parsed.arms[k], curve, tensors: module.tensors() };
}

async function compare(words) {
  const out = join(work, 'out'),
    title = words.join(' ');
  execFileSync(train, [...words, '--quiet', '--no-report', '--save-every', '0', '--out', out], {
    env: plain,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const module = await openModule(bytes);
  const { arms: names } = module.parse(words);
  for (let k = 0; k < names.length; k++) {
    const { name, curve, tensors } = await trainHere(words, k);
    const native = readTensors(join(out, `${name}.safetensors`));
    const other = tensors.filter(
      ({ name: tensor, data }) => !native(tensor).equals(Buffer.from(data.buffer)),
    );
    check(
      !other.length,
      `${title}: ${name} has native plain's weights`,
      other.map((x) => x.name).join(),
    );
    const lines = readCurve(join(out, 'metrics.csv'), name);
    const at = lines.findIndex((line, i) => line !== curve[i]);
    check(
      lines.length === curve.length && at < 0,
      `${title}: ${name} has native plain's curve`,
      `${lines.length} and ${curve.length} points; ${lines[at]} and ${curve[at]}`,
    );
  }
  await compareAnswers(words, names, out);
  rmSync(out, { recursive: true });
}

// ---- a saved model -----------------------------------------------------------------------------

// What is typed in each task; with what is refused, in the program's words.
const TYPED = {
  pronoun: ['the tired king gave the boat to the nun so he smiled .', 'boat king the', 'the kign slept', 'the', ''],
  search: ['bread:otter rivers:heron rivers? bread?', 'bread:otter rivers?', 'bread', ''],
  recall: ['ba:17 ko:4 ko? ba?', 'ba:17 ko? ba?', 'ba:17', ''],
  heads: ['The/DET train/NOUN stops/VERB here/ADV ./PUNCT', 'train/NOUN', 'train/NOU', ''],
  text: ['The king', 'a', 'Ω, she', ''],
  coref: ['Lena/PROPN/nsubj/Sing guards/VERB/root the/DET/det/_ box/NOUN/obj/Sing and/CCONJ/cc/_ she/PRON/nsubj/Sing.Fem.3', 'she/PRO', ''],
  own: ['The king gave the queen a crown, and she smiled. | she -> ?', 'she wept', 'she -> ?', ''],
};

// NumPy's format 1.0, of floats.
function readNpy(file) {
  const all = readFileSync(file);
  const floats = [];
  for (let at = 10 + all.readUInt16LE(8); at < all.length; at += 4) floats.push(all.readFloatLE(at));
  return floats;
}

// The words and the probabilities that show prints as answers, in their order.
function printedAnswers(text) {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => /answers +probability$/.test(line));
  const end = lines.findIndex((line, i) => i > head && !/ \d\.\d+$/.test(line));
  if (head < 0) return [];
  return lines.slice(head + 1, end).map((line) => line.match(/(\S+) +([\d.]+)$/).slice(1).join(' '));
}

function compareTyped(module, file, sentence, title) {
  let shown = '',
    refused = '';
  try {
    const options = { env: { ...plain, COLUMNS: '200' }, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' };
    shown = execFileSync(train, ['show', file, sentence, '--npy', work], options);
  } catch (error) {
    refused = error.stderr.trim();
  }
  const got = module.asked(sentence);
  if (refused || got.error)
    return check(
      refused === `train: ${got.error?.replaceAll('\n', ' ')}`,
      `${title}: "${sentence}" is refused as by show`,
      `${refused} and ${got.error}`,
    );
  for (const [l, heads] of got.attention.entries())
    for (const [h, map] of heads.entries()) {
      const floats = readNpy(join(work, `A.${l + 1}.${h + 1}.npy`));
      check(
        floats.length === map.length && floats.every((x, i) => Number(x.toPrecision(4)) === map[i]),
        `${title}: "${sentence}": layer ${l + 1}, head ${h + 1} attends as show says`,
      );
    }
  const printed = printedAnswers(shown);
  const here = got.answers.map(({ word, probability }) => `${word.replace(/^ $/, '␣')} ${probability.toFixed(2)}`);
  check(
    printed.join() === here.join(),
    `${title}: "${sentence}" is answered as by show`,
    `${printed} and ${here}`,
  );
  return null;
}

async function compareAnswers(words, names, out) {
  const task = words.includes('--sentences') ? 'own' : words[0];
  for (const name of names) {
    const file = join(out, `${name}.safetensors`),
      module = await openModule(answers),
      title = `${words.join(' ')}: ${name}`;
    module.file(file, readFileSync(file));
    const { error } = module.saved(file);
    check(!error, `${title} is opened`, error);
    for (const sentence of TYPED[task]) compareTyped(module, file, sentence, title);
    if (task === 'text' && !words.includes('masked')) compareSamples(module, file, title);
  }
}

function compareSamples(module, file, title) {
  for (const [prompt, temperature, seed] of [['The king ', 0.8, '1'], ['Ω\n', 0, '7'], ['', 1.5, '18446744073709551615']]) {
    const args = ['--temperature', String(temperature), '--seed', seed, '--length', '90'];
    if (prompt) args.push('--prompt', prompt);
    const text = execFileSync(train, ['sample', file, ...args], {
      env: plain,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { unknown } = module.prompt(prompt, temperature, seed);
    const here = module.more(30).text + module.more(60).text;
    check(text === `${prompt}${here}\n`, `${title}: the text of ./train sample`, `${text} and ${here}`);
    check(unknown.join() === (prompt.startsWith('Ω') ? 'Ω' : ''), `${title}: characters that are new`, unknown);
  }
}

// What is refused is refused in the program's words.
async function checkRefusals() {
  const module = await openModule(bytes);
  const says = (words) => module.parse(words).error;
  check(
    says(['pronoun', '--d-k', '-3']) === '--d-k -3: it must be from 1 to 16384',
    'a bad number is refused',
  );
  check(says(['pronun'])?.includes('did you mean pronoun?'), 'a wrong task is refused');
  module.parse(['pronoun', '--sentences', 'page']);
  module.file('page', 'a b c\n  a -> zzz\n');
  check(
    module.open(0).error?.startsWith('page:2:8: '),
    'a bad line is refused with its place',
    module.open(0).error,
  );
  module.parse(['pronoun', '--sentences', 'elsewhere']);
  check(module.open(0).error?.startsWith('elsewhere: '), 'a file that is missing is refused');
  const alone = await openModule(bytes);
  alone.parse(['pronoun', '--mask-self']);
  alone.open(0);
  check(alone.typed('the').error?.startsWith('one word, which'), 'a word alone is refused');
  check(!alone.typed('the king').error, 'and two are not');
  const saved = await openModule(answers);
  saved.file('a', 'no weights');
  check(saved.saved('a').error?.startsWith('a: a header of '), 'a file without weights is refused');
  check(saved.saved('b').error?.startsWith('b: No such file'), 'a missing one too');
  const big = await openModule(bytes);
  big.parse(['pronoun', '--d-model', '16384', '--arms', 'sym']);
  let message = '';
  try {
    big.open(0);
  } catch (error) {
    message = error.message;
  }
  check(/out of memory|can be addressed/.test(message), 'memory that runs out is said', message);
}

await checkRefusals();
for (const words of COMMANDS) await compare(words);
rmSync(work, { recursive: true });
console.log(`${COMMANDS.length} configurations`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
