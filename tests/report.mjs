// The report in a real browser, with the network barred: what it shows is what the run's files say.
//
//     node tests/report.mjs TOOLS TRAIN [SHOTS [NAME,NAME]]
//
// Build TRAIN after `make playground`: its reports then answer sentences, and that is tested too.
// TOOLS: a directory where npm installed playwright-core and axe-core. TRAIN: the program. SHOTS: where
// screenshots go; a temporary directory if not given. NAME: only those of RUNS, below. CHROMIUM names another browser than Debian's.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { openFirefox } from './firefox.mjs';

const [tools, train, shots, only] = process.argv.slice(2);
const require = createRequire(join(resolve(tools), '/'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const work = mkdtempSync(join(tmpdir(), 'report-'));
const pictures = resolve(shots ?? join(work, 'shots'));
mkdirSync(pictures, { recursive: true });

let passed = 0,
  failed = 0;

function check(condition, sentence, detail = '') {
  if (condition) passed++;
  else {
    failed++;
    console.log(`FAILED ${sentence} ${detail}`);
  }
}

// ---- runs --------------------------------------------------------------------------------------

const hostile =
  ['a<b', '&amp;', '<script>injected=1</script>', '"\'', '<img/src=x/onerror=injected=1>', 'ß😀']
    .map(
      (word, i) => `${i + 1}\t${word}\tx\tNOUN\t_\t_\t${i ? 1 : 0}\t${i ? 'obj' : 'root'}\t_\t_\n`,
    )
    .join('') + '\n';
const long =
  Array.from(
    { length: 511 },
    (_, i) => `${i + 1}\tw${i % 50}\tx\tNOUN\t_\t_\t${i}\t${i ? 'obj' : 'root'}\t_\t_\n`,
  ).join('') + '\n';
writeFileSync(join(work, 'hostile.conllu'), hostile.repeat(3));
writeFileSync(join(work, 'long.conllu'), long);

const treebank = (name) => ['--conllu', join(work, name), '--dev', join(work, name)];
const RUNS = {
  pronoun: ['pronoun'],
  search: ['search'],
  recall: ['recall'],
  heads: ['heads'],
  coref: ['coref'],
  layers: [
    'pronoun',
    '--layers',
    '2',
    '--heads',
    '2',
    '--steps',
    '120',
    '--arms',
    'tied,sym,qkv',
    '--held-out',
    '64',
  ],
  text: ['text', '--text', 'README.md', '--steps', '80', '--held-out', '32'],
  own: ['pronoun', '--sentences', 'data/sentences.txt', '--steps', '200', '--arms', 'sym,qkv'],
  hostile: ['heads', ...treebank('hostile.conllu'), '--steps', '20', '--arms', 'xxt,qk'],
  long: [
    'heads',
    ...treebank('long.conllu'),
    '--max-words',
    '600',
    '--steps',
    '2',
    '--arms',
    'xxt,qk',
  ],
};

function makeRun(name) {
  const out = join(work, name);
  execFileSync(train, [...RUNS[name], '--quiet', '--out', out], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return out;
}

// NumPy's format 1.0: the shape and the floats.
function readNpy(path) {
  const bytes = readFileSync(path);
  const head = 10 + bytes.readUInt16LE(8);
  const shape = bytes
    .subarray(10, head)
    .toString('latin1')
    .match(/'shape': \(([^)]*)\)/)[1]
    .split(',')
    .map(Number)
    .filter(Boolean);
  const floats = [];
  for (let at = head; at < bytes.length; at += 4) floats.push(bytes.readFloatLE(at));
  return { shape, floats };
}

// The maps of the last layer's heads.
function attentionOf(out, arm) {
  const { shape, floats } = readNpy(join(out, `${arm}.attention.npy`));
  const [rows, columns] = shape.slice(-2),
    heads = shape.length === 3 ? shape[0] : 1;
  return Array.from({ length: heads }, (_, head) =>
    floats.slice(head * rows * columns, (head + 1) * rows * columns),
  );
}

const readMetrics = (out) => {
  const [head, ...lines] = readFileSync(join(out, 'metrics.csv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
};

// ---- a page ------------------------------------------------------------------------------------

async function open(browser, file, options = {}, hash = '') {
  const context = await browser.newContext({
    offline: true,
    acceptDownloads: true,
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce', // it rests at its end
    ...options,
  });
  const page = await context.newPage();
  const trouble = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) trouble.push(message.text());
  });
  page.on('pageerror', (error) => trouble.push(error.stack));
  page.on('dialog', (dialog) => {
    trouble.push('a dialog');
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url().replace(/#.*/, '') !== `file://${file}` && !/^(data|blob):/.test(request.url()))
      trouble.push(`request ${request.url()}`);
  });
  await page.goto(`file://${file}${hash}`);
  return { page, trouble, close: () => context.close() };
}

const cells = (page, side) =>
  page.$$eval(`[data-figure="attention-${side}"] [data-cell]`, (all) =>
    all.map((cell) => Number(cell.dataset.value)),
  );
const figureOf = (page, name) => page.locator(`[data-figure="${name}"]`);
// What is shown on each side.
const sidesOf = (page) =>
  page.evaluate(() =>
    (view.run.arms.length > 1 ? SIDES : ['right']).map((side) => ({
      side,
      arm: view[side].name,
      head: view.heads[side].split('.').map(Number),
    })),
  );

async function slide(page, at) {
  await page.$eval(
    '#step',
    (slider, to) => {
      slider.value = to;
      slider.dispatchEvent(new Event('input'));
    },
    at,
  );
}

async function checkSlider(page, out, name) {
  const shown = JSON.parse(readFileSync(join(out, 'snapshots.json'), 'utf8'));
  const last = shown.arms[0].steps.length - 1;
  const sides = await sidesOf(page);
  for (const at of [0, Math.floor(last / 3), last]) {
    await slide(page, at);
    const step = (await page.textContent('.player output')).match(/step ([\d,]+) of/)[1];
    check(
      step.replaceAll(',', '') === String(shown.arms[0].steps[at]),
      `${name}: the slider tells its step`,
      step,
    );
    for (const { side, arm, head } of sides) {
      const got = await cells(page, side),
        of = shown.arms.find((one) => one.name === arm);
      const kept = shown.heads.findIndex((one) => one.join() === head.join());
      const map = kept < 0 ? of.layers[head[0] - 1][head[1] - 1] : of.attention[at][kept];
      check(
        got.length === map.length && got.every((value, c) => Math.round(1e4 * value) === map[c]),
        `${name}: the map of ${arm}, head ${head} at ${at} is the snapshot's`,
      );
    }
  }
  if (shown.fold > 1) return;
  for (const { side, arm } of sides) {
    const files = attentionOf(out, arm);
    const layer = shown.arms[0].layers.length;
    for (const [k, file] of files.entries()) {
      if (files.length > 1 || layer > 1)
        await page.evaluate(
          ([on, head]) => {
            view.heads[on] = head;
            redrawAll();
          },
          [side, `${layer}.${k + 1}`],
        );
      const got = await cells(page, side);
      check(
        got.length === file.length && got.every((value, c) => Math.abs(value - file[c]) < 0.51e-4),
        `${name}: the last map of ${arm}, head ${k + 1} is ${arm}.attention.npy`,
      );
    }
  }
}

const saidOf = (page, name) => page.textContent(`[data-figure="${name}"] .said`);

async function checkHover(page, name) {
  const cell = page.locator('[data-figure="attention-right"] [data-cell="1,1"]');
  await cell.scrollIntoViewIfNeeded();
  await cell.hover({ force: true });
  const value = Number(await cell.getAttribute('data-value'));
  const said = await saidOf(page, 'attention-right');
  check(
    said.includes(value < 5e-5 ? '<0.0001' : value.toFixed(4)),
    `${name}: a cell tells its weight`,
    said,
  );
  await page.mouse.move(2, 2);
  check(
    !(await saidOf(page, 'attention-right')).includes('weight '),
    `${name}: the pointer gone, so is what it said`,
  );
}

// A word by mouse: its arcs alone are lit, in words and in the map too; a click pins it.
async function checkFocus(page, name) {
  const row = await page.evaluate(() => Math.max(view.run.targets.findIndex((j) => j >= 0), 0));
  const arcs = figureOf(page, 'arcs-right');
  const word = arcs.locator(`[data-word="${row},-1"] text`);
  await arcs.scrollIntoViewIfNeeded();
  const dark = () =>
    arcs
      .locator('.arc:not(.hit)')
      .evaluateAll((all) =>
        all.filter((arc) => Number(arc.getAttribute('opacity')) > 0.1).map((arc) => arc.dataset.at.split(',')[0]),
      );
  await word.hover({ force: true });
  check(
    (await dark()).every((from) => from === String(row)) && (await dark()).length > 0,
    `${name}: over a word its arcs alone stay`,
    String(await dark()),
  );
  check((await arcs.locator('.weight').count()) > 0, `${name}: its weights stand at the words`);
  const said = await saidOf(page, 'arcs-right');
  check(/attends most to .*\d\.\d{4}/.test(said), `${name}: in words`, said);
  check(
    (await figureOf(page, 'attention-right').locator('.lit').count()) === 1,
    `${name}: and its row of the map lights up`,
  );
  await word.click({ force: true });
  await page.mouse.move(2, 2);
  check((await saidOf(page, 'arcs-right')) === said, `${name}: a click pins it`);
  check(
    (await page.evaluate(() => location.hash)).includes(`word=${row + 1}`),
    `${name}: and the address has it`,
  );
  await page.keyboard.press('Escape');
  check((await saidOf(page, 'arcs-right')) !== said, `${name}: Escape lets it go`);
  // by keys
  const svg = arcs.locator('svg');
  await svg.focus();
  await page.keyboard.press('ArrowRight');
  check(
    (await page.textContent('#said')).includes('attends most to'),
    `${name}: arrow keys choose a word, and it is said`,
  );
  await page.keyboard.press('Enter');
  await page.evaluate(() => document.activeElement.blur());
  check((await arcs.locator('g.lit').count()) === 1, `${name}: Enter pins it`);
  await page.keyboard.press('Escape');
  const map = figureOf(page, 'attention-right').locator('svg');
  await map.focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  check(
    /the weight|gives/.test(await page.textContent('#said')),
    `${name}: arrow keys choose a cell of the map`,
    await page.textContent('#said'),
  );
  await map.blur();
}

async function checkTouch(browser, file, name) {
  const { page, trouble, close } = await open(browser, file, LOOKS.phone);
  const row = await page.evaluate(() => Math.max(view.run.targets.findIndex((j) => j >= 0), 0));
  const word = page.locator(`[data-figure="arcs-right"] [data-word="${row},-1"] text`);
  await word.scrollIntoViewIfNeeded();
  await word.tap({ force: true });
  check(
    /attends most to/.test(await saidOf(page, 'arcs-right')),
    `${name}: a tap on a word tells its weights`,
  );
  await page.locator('[data-figure="attention-right"] [data-cell="2,1"]').tap({ force: true });
  check(
    /the weight/.test(await saidOf(page, 'attention-right')),
    `${name}: a tap on a cell tells its weight`,
  );
  await page.locator('h1').tap();
  check(
    !/the weight/.test(await saidOf(page, 'attention-right')),
    `${name}: a tap beside it lets it go`,
  );
  const dots = page.locator('[data-figure="singular-values"] [data-told]').first();
  await dots.tap({ force: true });
  check(await page.isVisible('#tip'), `${name}: a tap on a bar shows its value`);
  check(!trouble.length, `${name}: touch: no trouble`, trouble.join('; '));
  await close();
}

// ---- what the reader types ---------------------------------------------------------------------

const plain = { ...process.env, QKV_KERNELS: 'plain', COLUMNS: '200' };

function run(args) {
  try {
    const stdio = ['ignore', 'pipe', 'pipe'];
    return { text: execFileSync(train, args, { env: plain, encoding: 'utf8', stdio }) };
  } catch (error) {
    return { error: error.stderr.trim() };
  }
}

// [word, answer, probability] of each line of the table that show prints.
function printedAnswers(text) {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => /answers +probability$/.test(line));
  const end = lines.findIndex((line, i) => i > head && !/ \d\.\d+$/.test(line));
  if (head < 0) return [];
  return lines.slice(head + 1, end).map((line) => {
    const [, word, answer, probability] = line.match(/^(\S+).* (\S+) +([\d.]+)$/);
    return [word, answer, Number(probability)].join(' ');
  });
}

// Sentences of each task; the last of them is refused.
const TYPED = {
  pronoun: ['the old queen gave the horse to the monk so she smiled .', 'boat the king', 'the kign slept'],
  search: ['bread:otter rivers:heron rivers? bread?', 'bread'],
  recall: ['ba:17 ko:4 mi:60 ko? mi? ba?', 'ba:17'],
  heads: ['The/DET train/NOUN stops/VERB here/ADV ./PUNCT', 'train/NOU'],
  coref: [
    'Lena/PROPN/nsubj/Sing guards/VERB/root the/DET/det/_ box/NOUN/obj/Sing and/CCONJ/cc/_ she/PRON/nsubj/Sing.Fem.3',
    'she/PRO',
  ],
  own: ['The boy gave the girl a ring, and she smiled. | she -> ?', 'she -> ?'],
  hostile: ['a<b/NOUN &amp;/NOUN <script>injected=1</script>/NOUN', 'a<b'],
};
TYPED.layers = TYPED.pronoun;

async function until(page, is, ms = 20e3) {
  for (const end = Date.now() + ms; Date.now() < end; await page.waitForTimeout(50))
    if (await is()) return true;
  return false;
}

// The sentence is typed, and each arm that is shown answers as ./train show does.
async function checkTyped(page, out, name) {
  const carries = (await page.locator('#weights').count()) > 0;
  const none = 'run make playground && make, then ./train report';
  check(
    carries || (await page.textContent('#made')).includes(none),
    `${name}: a page without weights says how to get some`,
  );
  if (!carries) return;
  if (name === 'text') return void (await checkWriting(page, out));
  if (!TYPED[name]) return;
  await page.locator('#typed').scrollIntoViewIfNeeded();
  const maps = mkdtempSync(join(tmpdir(), 'typed-'));
  const known = page.locator('#type .chips button').first();
  check(await until(page, () => known.count()), `${name}: known words are offered`);
  check(!(await page.textContent('#type .wrong')), `${name}: the first sentence is answered`);
  for (const sentence of TYPED[name]) {
    await page.fill('#typed', sentence);
    const arms = await page.evaluate(() => shownSides(view.run).map((side) => view[side].name));
    for (const arm of arms) {
      const file = join(out, `${arm}.safetensors`);
      const shown = run(['show', file, sentence, '--npy', maps]);
      const answer = (asked) =>
        page.evaluate(
          ([name, text]) => {
            const { answer } = view.run.arms.find((one) => one.name === name);
            return answer?.sentence === text ? answer : null;
          },
          [arm, asked],
        );
      check(await until(page, () => answer(sentence)), `${name}: ${arm} answers "${sentence}"`);
      const got = await answer(sentence);
      if (shown.error) {
        const told = await page.textContent('#type .wrong');
        check(`train: ${told}` === shown.error, `${name}: "${sentence}" is refused as by show`, told);
        continue;
      }
      const same = got.attention.every((heads, l) =>
        heads.every((map, h) => {
          const { floats } = readNpy(join(maps, `A.${l + 1}.${h + 1}.npy`));
          return floats.length === map.length && floats.every((x, i) => Number(x.toPrecision(4)) === map[i]);
        }),
      );
      check(same, `${name}: ${arm} attends in "${sentence}" as in ./train show`);
      const here = got.answers.map(({ row, word, probability }) =>
        [got.rows[row], word, Number(probability.toFixed(2))].join(' '),
      );
      check(
        here.join() === printedAnswers(shown.text).join(),
        `${name}: ${arm} answers "${sentence}" as ./train show`,
        `${here} and ${printedAnswers(shown.text)}`,
      );
    }
    if (name === 'pronoun' && sentence === TYPED.pronoun[0]) await checkTypedFocus(page);
  }
  if (name === 'pronoun') await checkChips(page);
}

async function checkTypedFocus(page) {
  check((await figureOf(page, 'typed-left').count()) === 1, 'typed: both panels at once');
  const svg = figureOf(page, 'typed-right').locator('svg');
  await svg.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  check(
    (await page.textContent('#said')).startsWith('old (adjective) attends most to queen: '),
    'typed: arrow keys choose a word',
    await page.textContent('#said'),
  );
  await page.keyboard.press('Escape');
  await svg.blur();
  await page.getByLabel('left').selectOption('tied');
  const title = () => figureOf(page, 'typed-left').locator('figcaption').textContent();
  check(
    await until(page, async () => /^tied.*old → /.test(await title())),
    'typed: another arm answers when it is chosen',
    await title(),
  );
}

async function checkChips(page) {
  await page.getByRole('button', { name: 'clear' }).click();
  check((await page.inputValue('#typed')) === '', 'typed: the box is cleared');
  for (const word of ['the', 'king', 'slept'])
    await page.locator('#type .chips').getByRole('button', { name: word, exact: true }).press('Enter');
  check((await page.inputValue('#typed')) === 'the king slept', 'typed: words are put in by keyboard');
  check(
    await until(page, async () => (await page.textContent('[data-figure="typed-right"]')).includes('slept')),
    'typed: and the sentence is answered',
  );
}

// A text that grows: that of ./train sample with the same prompt, temperature and seed.
async function checkWriting(page, out) {
  const ENOUGH = 40;
  const written = () => page.evaluate(() => view.right.text?.drawn ?? '');
  const press = (name) => page.locator('#type').getByRole('button', { name, exact: true }).click();
  for (const [prompt, temperature, seed] of [['The arms\n', '0.8', '1'], ['Ω', '0', '18446744073709551615']]) {
    await page.fill('#prompt', prompt);
    await page.fill('#temperature', temperature);
    await page.fill('#seed', seed);
    await press('write');
    check(await until(page, async () => [...(await written())].length >= ENOUGH), 'text: it grows');
    await press('stop');
    await page.waitForTimeout(200);
    const here = await written();
    check([...here].length < 500, 'text: and is stopped', here);
    const file = join(out, 'qkv.safetensors');
    const args = ['--prompt', prompt, '--temperature', temperature, '--seed', seed];
    const { text } = run(['sample', file, ...args, '--length', String([...here].length)]);
    check(text === `${prompt}${here}\n`, 'text: it is that of ./train sample', `${text} and ${here}`);
    check(
      (await figureOf(page, 'written-right').textContent()).includes(prompt + here) &&
        (await figureOf(page, 'written-right').textContent()).includes('never seen in training: Ω') === (prompt === 'Ω'),
      'text: it is shown, and characters that are new are told',
    );
  }
  check(
    (await page.textContent('#type .same')).endsWith("--prompt 'Ω' --temperature 0 --seed 18446744073709551615"),
    'text: the command is shown',
    await page.textContent('#type .same'),
  );
}

// The address says what is shown, and is what is shown.
async function checkAddress(browser, file) {
  const hash = '#left=tied&right=qk&step=100&word=3';
  const { page, trouble, close } = await open(browser, file, {}, hash);
  const state = () =>
    page.evaluate(() => ({
      left: view.left.name,
      right: view.right.name,
      step: stepNow(),
      lit: document.querySelectorAll('[data-figure="arcs-left"] g.lit').length,
      hash: location.hash,
    }));
  const now = await state();
  const near = await page.evaluate(() =>
    Math.min(...view.run.arms[0].frames.map(({ step }) => Math.abs(step - 100))),
  );
  check(
    now.left === 'tied' && now.right === 'qk' && Math.abs(now.step - 100) === near && now.lit === 1,
    'the address is shown',
    JSON.stringify(now),
  );
  await page.getByLabel('right').selectOption('qkv');
  check((await state()).hash.includes('right=qkv'), 'a choice is in the address');
  await slide(page, 0);
  check((await state()).hash.includes('step=0'), 'the step is in the address');
  await page.evaluate(() => (location.hash = '#left=sym&right=qkv&step=9999'));
  await page.waitForTimeout(100);
  check((await state()).left === 'sym' && (await state()).step === 1000, 'another address is followed');
  check(!trouble.length, 'address: no trouble', trouble.join('; '));
  await close();
}

// It plays once by itself unless motion is unwanted; the player stays in sight, and says what happens.
async function checkOpening(browser, file) {
  const { page, close } = await open(browser, file, { reducedMotion: 'no-preference' });
  const at = () => page.evaluate(() => view.at);
  const early = await at();
  await page.waitForTimeout(300);
  check(early < 40 && (await at()) > early, 'opened, it plays', `${early} ${await at()}`);
  await page.getByRole('button', { name: 'fast' }).click();
  await page.waitForFunction(() => view.at === view.run.arms[0].frames.length - 1, null, {
    polling: 100,
  }).catch(() => null);
  const end = await page.textContent('.caption');
  check(end.startsWith('The end: sym is right on'), 'and comes to its end', end);
  const pair = await sidesOf(page);
  check(
    pair.map(({ arm }) => arm).join() === 'sym,qkv',
    'the arms of the heading are pictured, the best symmetric one on the left',
  );
  await page.getByRole('button', { name: 'next event' }).click();
  await page.getByRole('button', { name: 'next event' }).click();
  const told = await page.textContent('.caption');
  check(/qkv/.test(told) && (await at()) < 70, 'the next event is told', told);
  await figureOf(page, 'attention-right').scrollIntoViewIfNeeded();
  const box = await page.locator('#step').boundingBox();
  check(box.y >= 0 && box.y < 200, 'the slider stays in sight', String(box.y));
  await close();
}

async function checkChart(page, out, name) {
  const key = (await page.locator('[data-figure="loss"]').count()) ? 'loss' : 'attention_nll';
  const svg = page.locator(`[data-figure="${key}"] svg`).last();
  await svg.scrollIntoViewIfNeeded();
  await svg.hover({ position: { x: 160, y: 90 } });
  const [step, ...values] = (await page.textContent('#tip')).split('\n');
  const at = step.replace(/\D/g, '');
  const points = readMetrics(out).filter((point) => point.step === at);
  check(
    points.length &&
      points.every((point) =>
        values.some(
          (line) =>
            line ===
            `${point.arm}  ${Number(point[key]) < 5e-4 && Number(point[key]) > 0 ? '<0.001' : Number(point[key]) ? Number(point[key]).toFixed(3) : '0'}`,
        ),
      ),
    `${name}: the ${key} under the pointer is that of metrics.csv`,
    `${step} ${values}`,
  );
  await svg.focus();
  await page.keyboard.press('ArrowLeft');
  check(
    (await page.textContent('#said')).startsWith('step '),
    `${name}: the arrow keys read the curves`,
  );
}

async function checkToggle(page, name) {
  const button = page.locator('#curves .arm').first();
  if (!(await button.count())) return;
  const arm = await button.textContent();
  const curve = page.locator(`#curves [data-figure] [data-series="${arm}"]`).first();
  check((await curve.count()) === 1, `${name}: ${arm} has a curve`);
  await button.click();
  check(
    (await curve.count()) === 0 && (await button.getAttribute('aria-pressed')) === 'false',
    `${name}: ${arm} is switched off`,
  );
  await button.press('Enter');
  check((await curve.count()) === 1, `${name}: and on again, by keyboard`);
  await page.getByRole('button', { name: 'logarithmic' }).click();
  await page.getByRole('button', { name: 'early steps' }).click();
  check(
    !/NaN|undefined/.test(await page.locator('#curves').innerHTML()),
    `${name}: logarithmic curves have no NaN`,
  );
}

async function checkPlayer(page, name) {
  await page.locator('#step').focus();
  const before = await page.textContent('.player output');
  await page.keyboard.press('ArrowLeft');
  check(
    (await page.textContent('.player output')) !== before,
    `${name}: arrow keys move the slider`,
  );
  await page.keyboard.press('End');
  const play = page.locator('.play');
  const during = await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    document.querySelector('.play').click();
    await frame();
    await frame();
    return document.querySelector('#step').value;
  });
  await play.click();
  check(
    Number(during) < Number(await page.getAttribute('#step', 'max')),
    `${name}: play begins at the first step`,
    during,
  );
}

async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return readFileSync(await download.path(), 'utf8');
}

async function checkSaving(page, out, name) {
  for (const figure of ['asymmetry', 'attention-right']) {
    if (!(await figureOf(page, figure).count())) continue;
    const svg = await saved(
      page,
      page.locator(`[data-figure="${figure}"] button`, { hasText: 'SVG' }),
    );
    const wellFormed = await page.evaluate(
      (text) =>
        !new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror'),
      svg,
    );
    check(
      wellFormed && svg.startsWith('<svg') && !svg.includes('var(') && !svg.includes(' class='),
      `${name}: ${figure}.svg stands by itself`,
    );
  }
  const csv = await saved(page, page.getByRole('button', { name: 'save metrics.csv' }));
  check(
    csv === readFileSync(join(out, 'metrics.csv'), 'utf8'),
    `${name}: metrics.csv is saved as it was`,
  );
  // A <details> tells that it opened in a task of its own, after the click: the table comes then.
  const row = page.locator('[data-figure="attention-right"] tbody tr');
  await page.locator('[data-figure="attention-right"] summary').click();
  await row.first().waitFor();
  check(
    (await row.count()) === JSON.parse(readFileSync(join(out, 'snapshots.json'), 'utf8')).rows.length,
    `${name}: a map has its table`,
  );
  await page.locator('[data-figure="attention-right"] summary').click();
}

async function checkAccess(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  check(
    !serious.length,
    `${name}: accessible`,
    JSON.stringify(
      serious.map(({ id, nodes }) => [
        id,
        nodes
          .slice(0, 3)
          .map(({ html, failureSummary }) => html.slice(0, 160) + failureSummary.slice(0, 200)),
      ]),
    ),
  );
}

// Lines that carry the message stand out of the card by 3:1 at least.
async function checkContrast(page, name) {
  const faint = await page.evaluate(() => {
    const light = (colour) => {
      const [r, g, b] = colour
        .match(/[\d.]+/g)
        .slice(0, 3)
        .map((x) => x / 255)
        .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = getComputedStyle(document.querySelector('figure')).backgroundColor;
    const parts = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map(Number);
    return [...document.querySelectorAll('.curve, .want, .arc.cycle, .arc.good, .arc.bad, .target')]
      .filter((line) => !line.matches('.within'))
      .map((line) => {
        const { stroke, opacity } = getComputedStyle(line);
        const seen = parts(stroke).map((x, i) => x * opacity + parts(ground)[i] * (1 - opacity));
        const [high, low] = [light(seen.join(' ')), light(ground)].sort((a, b) => b - a);
        return [line.getAttribute('class'), line.dataset.series, (high + 0.05) / (low + 0.05)];
      })
      .filter(([, , contrast]) => contrast < 3);
  });
  check(!faint.length, `${name}: lines of 3:1`, JSON.stringify(faint.slice(0, 4)));
}

const LOOKS = {
  light: {},
  dark: { colorScheme: 'dark' },
  tablet: { viewport: { width: 768, height: 1024 } },
  phone: {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  },
  narrow: { viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
};

// In every look: no trouble, nothing wider than the window, accessible; and a picture of it.
async function checkLooks(browser, file, name) {
  for (const [look, options] of Object.entries(LOOKS)) {
    const { page, trouble, close } = await open(browser, file, options);
    const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
    check(wide <= 0, `${name}, ${look}: it fits the window`, `${wide} too wide`);
    await checkAccess(page, `${name}, ${look}`);
    if (name === 'pronoun' || name === 'search') await checkContrast(page, `${name}, ${look}`);
    await page.screenshot({ path: join(pictures, `${name}-${look}.png`), fullPage: true });
    if (look === 'light') {
      await page.emulateMedia({ media: 'print' });
      await page.pdf({ path: join(pictures, `${name}.pdf`) });
    }
    check(!trouble.length, `${name}, ${look}: no error, no request`, trouble.join('; '));
    await close();
  }
}

async function checkRun(browser, name) {
  const out = makeRun(name),
    file = join(out, 'report.html');
  const html = readFileSync(file, 'utf8');
  const weights = html.match(/<script [^>]*id="weights">[^]*?<\/script>/)?.[0].length ?? 0;
  check(statSync(file).size - weights < 3e6, `${name}: under 3 MB, without weights`, String(statSync(file).size));
  const { page, trouble, close } = await open(browser, file);
  await checkSlider(page, out, name);
  await checkHover(page, name);
  await checkChart(page, out, name);
  await checkToggle(page, name);
  await checkPlayer(page, name);
  await checkSaving(page, out, name);
  await checkTyped(page, out, name);
  const text = await page.evaluate(() => document.body.innerText);
  check(
    !/NaN|undefined|\[object/.test(text),
    `${name}: no NaN, no undefined`,
    text.match(/.{40}(NaN|undefined|\[object).{20}/)?.[0],
  );
  if (name === 'layers' || name === 'text') {
    const side = name === 'layers' ? 'left' : 'right';
    await page.getByRole('button', { name: 'layer 1, head 2' }).first().click();
    check(
      (await page.textContent(`[data-figure="arcs-${side}"] figcaption`)).includes('layer 1, head 2'),
      `${name}: a head is enlarged on a click`,
    );
    check(
      (await page.evaluate(() => location.hash)).includes(`${side}-head=1.2`),
      `${name}: and the address has it`,
    );
  }
  if (name !== 'long') await checkFocus(page, name);
  const titles = await page.locator('figure h3').allTextContents();
  check(new Set(titles).size === titles.length, `${name}: no picture twice`, titles.join('; '));
  check(
    (await page.locator('.contents a').count()) === (await page.locator('main h2, footer h2').count()),
    `${name}: a list of contents`,
  );
  if (name === 'pronoun') {
    check(statSync(file).size < 1e6, 'pronoun: under 1 MB', String(statSync(file).size));
    await checkAddress(browser, file);
    await checkOpening(browser, file);
    await checkTouch(browser, file, name);
  }
  if (name === 'hostile') {
    check(await page.evaluate(() => globalThis.injected === undefined), 'hostile: no token runs');
    check(
      text.includes('<script>injected=1</script>') ||
        (await page.locator('svg text', { hasText: '<script>' }).count()) > 0,
      'hostile: tokens appear as themselves',
    );
    check(
      (await page.locator('svg text', { hasText: 'a<b' }).count()) > 0 &&
        (await page.locator('svg text', { hasText: '&amp;' }).count()) > 0,
      'hostile: a<b and &amp; appear as themselves',
    );
  }
  if (name === 'long') check(text.includes('stands for'), 'long: it says that the map is folded');
  check(!trouble.length, `${name}: no error, no request`, trouble.join('; '));
  await close();
  await checkLooks(browser, file, name);
}

async function checkSweep(browser) {
  const out = join(work, 'sweep');
  execFileSync(
    train,
    [
      'sweep',
      'pronoun',
      '--seeds',
      '1:2',
      '--d-k',
      '1,2,4',
      '--arms',
      'tied,qkv',
      '--steps',
      '60',
      '--held-out',
      '64',
      '--out',
      out,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  execFileSync(train, ['report', join(out, 'sweep.csv')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const file = join(out, 'sweep.html');
  const { page, trouble, close } = await open(browser, file);
  check((await page.locator('[data-dot]').count()) === 12, 'sweep: a dot for each run');
  await page.locator('[data-dot="qkv"]').first().dispatchEvent('pointermove');
  const [head, ...lines] = readFileSync(join(out, 'sweep.csv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const answered = lines.find((line) => line[1] === 'qkv' && line[3] === '1')[
    head.indexOf('cycle_attention_accuracy')
  ];
  const tip = await page.textContent('#tip');
  check(tip === `qkv at 1\n${Number(answered).toFixed(3)}`, 'sweep: a dot tells its figure', tip);
  check((await page.locator('svg .rule').count()) === 1, 'sweep: it opens on the bound');
  check(/%/.test(await page.textContent('h1')), 'sweep: the heading is a finding');
  await page.locator('.arm').first().click();
  check((await page.locator('[data-dot]').count()) === 6, 'sweep: an arm is switched off');
  await page.getByLabel('measure').selectOption('loss');
  check(
    (await page.textContent('[data-figure="sweep"]')).includes('loss against d_k'),
    'sweep: another measure',
  );
  check(!trouble.length, 'sweep: no error, no request', trouble.join('; '));
  await close();
  await checkLooks(browser, file, 'sweep');
  await checkTwoAxes(browser);
  await checkStrange(browser);
  await checkMade(browser);
}

// Two things vary: the one that isn't the axis has a selector, and the headline says what is seen.
async function checkTwoAxes(browser) {
  const out = join(work, 'two-axes');
  const line = (arm, d_k, lr, seed) =>
    `pronoun,${arm},${seed},${d_k},${lr},64,9,${d_k * lr * seed},0.5,0.9999\n`;
  const grid = [1, 2].flatMap((d_k) => [0.1, 0.3].map((lr) => [d_k, lr]));
  const rows = ['qkv', 'tied'].flatMap((arm) =>
    grid.flatMap(([d_k, lr]) => [1, 2].map((seed) => line(arm, d_k, lr, seed))),
  );
  mkdirSync(out);
  const csv = join(out, 'sweep.csv');
  writeFileSync(csv, `task,arm,seed,d_k,lr,parameters,steps,loss,attention_accuracy,accuracy\n${rows.join('')}`);
  execFileSync(train, ['report', csv], { stdio: ['ignore', 'ignore', 'inherit'] });
  const { page, trouble, close } = await open(browser, join(out, 'sweep.html'));
  const dots = page.locator('[data-dot]');
  const shown = (name) => page.locator('label', { hasText: RegExp(`^${name}`) }).isVisible();
  check((await dots.count()) === 8, 'two axes: the runs of one lr alone');
  check((await shown('lr')) && !(await shown('d_k')), 'two axes: a selector for lr, none for d_k');
  check((await page.textContent('.lede')).includes('2 seeds per point'), 'two axes: seeds a point');
  check((await page.locator('.arm').allTextContents()).join() === 'tied,qkv', 'two axes: in order');
  await page.getByLabel('measure').selectOption('loss');
  await page.getByRole('combobox', { name: 'against' }).selectOption('lr');
  check(
    (await page.textContent('h1')) === 'tied reaches the best loss, 0.150 at lr 0.1; next is qkv with 0.150 at lr 0.1.',
    'two axes: the headline',
    await page.textContent('h1'),
  );
  check((await shown('d_k')) && !(await shown('lr')), 'two axes: a selector for d_k, none for lr');
  check((await dots.count()) === 8, 'two axes: the runs of one d_k alone');
  check((await page.textContent('#made')).includes('>0.999'), 'two axes: below 1 is not 1');
  for (const arm of await page.locator('.arm').all()) await arm.click();
  check((await dots.count()) === 4, 'two axes: the last arm stays on');
  check(!trouble.length, 'two axes: no error, no request', trouble.join('; '));
  await close();
}

// Files of two runs, or damaged ones, which the program didn't look into: a sentence, and no figures.
async function checkStrange(browser) {
  const out = makeRun('layers'),
    file = join(out, 'report.html');
  const html = readFileSync(file, 'utf8');
  const strange = [
    ['{"name": "tied", "parameters"', '{"name": "qk", "parameters"', 'are of different runs'],
    ['\\u000a0,tied,', '\\u000a0,', 'metrics.csv, line 2: 9 columns; the first line has 10'],
    ['"random_asymmetry": [', '"random_asymmetry": ', 'summary.json is not JSON'],
  ];
  for (const [from, to, sentence] of strange) {
    check(html.includes(from), `strange: ${from} is in the page`);
    writeFileSync(file, html.replace(from, to));
    const { page, close } = await open(browser, file);
    const text = await page.textContent('body main');
    check(
      text.includes(sentence) && !(await page.locator('figure').count()),
      `strange: the page says "${sentence}" and draws nothing`,
      text,
    );
    await close();
  }
}

// Files that somebody else wrote: nothing in them runs, asks for an address, or holds the page up.
async function checkMade(browser) {
  const out = makeRun('layers'),
    names = ['summary.json', 'snapshots.json'];
  const whole = names.map((name) => JSON.parse(readFileSync(join(out, name), 'utf8')));
  const walk = (x, change, key) =>
    Array.isArray(x) ? x.map((y) => walk(y, change, key))
    : x === null || typeof x !== 'object' ? change(x, key)
    : Object.fromEntries(Object.entries(x).map(([k, y]) => [k, walk(y, change, k)]));
  const text = (to) => (x, key) => (typeof x === 'string' && !/^(format|name|colour)$/.test(key) ? to : x);
  const number = (to) => (x, key) =>
    typeof x === 'number' && !/^(fold|queries|keys|heads|pair)$/.test(key) ? to : x;
  const made = {
    markup: text('<img src=x onerror=injected=1></script><script>injected=1</script>"\'>'),
    direction: text('\u202Eabc\u2066'),
    'long words': text('x'.repeat(1e5)),
    colours: (x, key) => (key === 'colour' ? '#fff;background:url(http://127.0.0.1/x)' : x),
    'large numbers': number(1e308),
    'negative numbers': number(-1e308),
    'tiny numbers': number(5e-324),
    counts: (x, key) => (/^(fold|queries|keys|heads|pair|d_k|steps)$/.test(key) ? 1e9 : x),
  };
  for (const [name, change] of Object.entries(made)) {
    whole.forEach((x, i) =>
      writeFileSync(join(out, names[i]), `${JSON.stringify(walk(x, change), null, 2)}\n`));
    execFileSync(train, ['report', out], { stdio: ['ignore', 'ignore', 'inherit'] });
    const { page, trouble, close } = await open(browser, join(out, 'report.html'));
    const said = await page.textContent('body main');
    const asked = trouble.filter((line) => /request|dialog|Content Security/.test(line));
    check(await page.evaluate(() => globalThis.injected === undefined), `made, ${name}: nothing runs`);
    check(!asked.length, `made, ${name}: no request`, asked.join('; '));
    check(
      said.includes('This page cannot be drawn') || (await page.locator('figure').count()) > 3,
      `made, ${name}: a page, or a sentence`,
      said.slice(0, 200),
    );
    check(!/[\u202A-\u202E\u2066-\u2069]/.test(said), `made, ${name}: no line is turned`);
    await close();
  }
}

async function checkFirefox() {
  const firefox = await openFirefox(require);
  if (!firefox) return;
  const { browser, page, trouble } = firefox,
    out = makeRun('layers');
  await page.goto(`file://${join(out, 'report.html')}`, { timeout: 180e3 });
  check(await page.evaluate(() => view.run.arms.length === 3), 'Firefox: it opens');
  if (await page.evaluate(() => Boolean(byId('weights')))) {
    await page.evaluate(() => byId('type').scrollIntoView());
    const answers = () => page.evaluate(() => view.right.answer?.answers);
    check(await until(page, answers), 'Firefox: a sentence is answered');
    const got = (await answers()).map(({ word, probability }) => `${word} ${Number(probability.toFixed(2))}`);
    const { text } = run(['show', join(out, 'qkv.safetensors'), await page.$eval('#typed', (box) => box.value)]);
    const printed = printedAnswers(text).map((line) => line.replace(/^\S+ /, ''));
    check(
      got.join() === printed.join(),
      'Firefox: as by ./train show',
      `${got} and ${printed}`,
    );
  }
  check(!trouble.length, 'Firefox: no error, no request', trouble.join('; '));
  await browser.close();
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
for (const name of only?.split(',') ?? [...Object.keys(RUNS), 'sweep', 'firefox'])
  await (name === 'sweep' ? checkSweep(browser) : name === 'firefox' ? checkFirefox() : checkRun(browser, name));
await browser.close();
console.log(`screenshots in ${pictures}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
