// The report in a real browser, with the network barred: what it shows is what the run's files say.
//
//     node tests/report.mjs TOOLS TRAIN [SHOTS [NAME,NAME]]
//
// TOOLS: a directory where npm installed playwright-core and axe-core. TRAIN: the program. SHOTS: where
// screenshots go; a temporary directory if not given. NAME: only those of RUNS, below. CHROMIUM names another browser than Debian's.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

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
  heads: ['heads'],
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

// Mean over heads, where there are several.
function attentionOf(out, arm) {
  const { shape, floats } = readNpy(join(out, `${arm}.attention.npy`));
  const [rows, columns] = shape.slice(-2),
    heads = shape.length === 3 ? shape[0] : 1;
  return Array.from({ length: rows * columns }, (_, cell) => {
    let sum = 0;
    for (let head = 0; head < heads; head++) sum += floats[head * rows * columns + cell];
    return sum / heads;
  });
}

const readMetrics = (out) => {
  const [head, ...lines] = readFileSync(join(out, 'metrics.csv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
};

// ---- a page ------------------------------------------------------------------------------------

async function open(browser, file, options = {}) {
  const context = await browser.newContext({
    offline: true,
    acceptDownloads: true,
    viewport: { width: 1280, height: 900 },
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
    if (request.url() !== `file://${file}` && !/^(data|blob):/.test(request.url()))
      trouble.push(`request ${request.url()}`);
  });
  await page.goto(`file://${file}`);
  return { page, trouble, close: () => context.close() };
}

const cells = (page, k) =>
  page.$$eval(`[data-figure="attention-${k}"] [data-cell]`, (all) =>
    all.map((cell) => Number(cell.dataset.value)),
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
  const arms = shown.arms.length > 1 ? [shown.arms[0], shown.arms.at(-1)] : [shown.arms[0]];
  const last = arms[0].steps.length - 1;
  for (const at of [0, Math.floor(last / 3), last]) {
    await slide(page, at);
    check(
      (await page.textContent('.player output')).replace(/\D/g, '') === String(arms[0].steps[at]),
      `${name}: the slider tells its step`,
    );
    for (const [k, arm] of arms.entries()) {
      const got = await cells(page, k);
      check(
        got.length === arm.attention[at].length &&
          got.every((value, c) => Math.round(1e4 * value) === arm.attention[at][c]),
        `${name}: the map of ${arm.name} at ${at} is the snapshot's`,
      );
    }
  }
  if (shown.fold > 1) return;
  for (const [k, arm] of arms.entries()) {
    const file = attentionOf(out, arm.name),
      got = await cells(page, k);
    check(
      got.length === file.length && got.every((value, c) => Math.abs(value - file[c]) < 0.51e-4),
      `${name}: the last map of ${arm.name} is ${arm.name}.attention.npy`,
    );
  }
}

async function checkHover(page, name) {
  const cell = page.locator('[data-figure="attention-0"] [data-cell="1,1"]');
  await cell.scrollIntoViewIfNeeded();
  await cell.hover({ force: true });
  const value = Number(await cell.getAttribute('data-value'));
  const tip = await page.textContent('#tip');
  check(
    (await page.isVisible('#tip')) && tip.includes(value < 5e-5 ? '<0.0001' : value.toFixed(4)),
    `${name}: a cell tells its weight`,
    tip,
  );
}

async function checkChart(page, out, name) {
  const svg = page.locator('[data-figure="loss"] svg').last();
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
            `${point.arm}  ${Number(point.loss) < 5e-4 && Number(point.loss) > 0 ? '<0.001' : Number(point.loss) ? Number(point.loss).toFixed(3) : '0'}`,
        ),
      ),
    `${name}: the loss under the pointer is that of metrics.csv`,
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
  const curve = page.locator(`[data-figure="loss"] [data-series="${arm}"]`);
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
  for (const figure of ['loss', 'attention-0']) {
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
  const row = page.locator('[data-figure="attention-0"] tbody tr');
  await page.locator('[data-figure="attention-0"] summary').click();
  await row.first().waitFor();
  check(
    (await row.count()) === JSON.parse(readFileSync(join(out, 'snapshots.json'), 'utf8')).rows.length,
    `${name}: a map has its table`,
  );
  await page.locator('[data-figure="attention-0"] summary').click();
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

const LOOKS = {
  light: {},
  dark: { colorScheme: 'dark' },
  phone: {
    viewport: { width: 375, height: 760 },
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
  check(statSync(file).size < 2e6, `${name}: under 2 MB`, String(statSync(file).size));
  const { page, trouble, close } = await open(browser, file);
  await checkSlider(page, out, name);
  await checkHover(page, name);
  await checkChart(page, out, name);
  await checkToggle(page, name);
  await checkPlayer(page, name);
  await checkSaving(page, out, name);
  const text = await page.evaluate(() => document.body.innerText);
  check(
    !/NaN|undefined|\[object/.test(text),
    `${name}: no NaN, no undefined`,
    text.match(/.{40}(NaN|undefined|\[object).{20}/)?.[0],
  );
  if (name === 'layers' || name === 'text') {
    await page.locator('.heads button').nth(1).click();
    check(
      (await page.textContent('[data-figure="one-head"]')).includes('head 2'),
      `${name}: a head is enlarged on a click`,
    );
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
    head.indexOf('accuracy')
  ];
  const tip = await page.textContent('#tip');
  check(tip === `qkv at 1\n${Number(answered).toFixed(3)}`, 'sweep: a dot tells its figure', tip);
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
  check((await page.textContent('h1')).endsWith('loss against lr'), 'two axes: the headline');
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
    ['\\u000a0,tied,', '\\u000a0,', 'metrics.csv, line 2: 8 columns; the first line has 9'],
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

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
for (const name of only?.split(',') ?? [...Object.keys(RUNS), 'sweep'])
  await (name === 'sweep' ? checkSweep(browser) : checkRun(browser, name));
await browser.close();
console.log(`screenshots in ${pictures}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
