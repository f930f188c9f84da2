'use strict';
// What the run left, as it stands in this file. Nothing here draws.

function embedded(id) {
  const element = document.getElementById(id);
  return element && JSON.parse(element.textContent);
}

// A CSV (RFC 4180) as objects, one a line; what looks like a number is one, an empty field is null.
function readCsv(text) {
  const lines = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,"\n]*))(,|\n|$)/g)) {
    lines.at(-1).push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    if (end === '\n') lines.push([]);
    if (end === '') break;
  }
  const [names, ...rest] = lines;
  const value = (field) =>
    field === '' ? null : Number.isNaN(Number(field)) ? field : Number(field);
  return rest
    .filter((fields) => fields.length === names.length)
    .map((fields) => Object.fromEntries(names.map((name, i) => [name, value(fields[i])])));
}

function writeCsv(rows) {
  const field = (x) => {
    const text = x === null || x === undefined || Number.isNaN(x) ? '' : String(x);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(field).join(',') + '\n').join('');
}

// Files of two runs would make a page that is false.
function checkSameRun(summary, shown) {
  const names = ({ arms }) => arms.map(({ name }) => name).join(', ');
  const tell = (what, a, b) => {
    throw new Error(`summary.json and snapshots.json are of different runs: ${what} ${a} and ${b}`);
  };
  if (shown.task && shown.task !== summary.task) tell('tasks', summary.task, shown.task);
  if (names(summary) !== names(shown)) tell('arms', names(summary), names(shown));
  const isText = summary.task === 'text';
  if (isText !== shown.text) tell('tasks', summary.task, shown.text ? 'text' : 'no text');
  const steps = Math.max(...shown.arms.flatMap((arm) => arm.steps));
  const ended = Math.max(...summary.arms.map((arm) => arm.steps));
  if (steps > ended) tell('steps', ended, steps);
}

// The run: each arm with its figures at the end (summary.json), its curve (metrics.csv), the symmetry of its
// heads, and its snapshots.
function readRun() {
  const summary = embedded('summary');
  if (!summary) return null;
  const shown = embedded('snapshots');
  const metrics = embedded('metrics');
  const symmetry = embedded('symmetry');
  checkSameRun(summary, shown);
  const points = readCsv(metrics);
  const heads = readCsv(symmetry);
  const arms = summary.arms.map((end, k) => ({
    ...shown.arms[k],
    colour: armColour(shown.arms[k].colour),
    end,
    M: { ...end.M, roles: shown.arms[k].M },
    curve: points.filter((point) => point.arm === end.name),
    heads: heads.filter((point) => point.arm === end.name),
  }));
  return { ...shown, summary, metrics, symmetry, arms, steps: shown.steps };
}

// ---- figures -----------------------------------------------------------------------------------

// So many decimals; 0 only where it is 0 exactly, and 1.00 only where it isn't below.
function figure(x, decimals = 3) {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const least = 10 ** -decimals;
  if (Math.abs(x) < least / 2) return (x < 0 ? '>−' : '<') + least.toFixed(decimals);
  if (decimals > 1 && Math.abs(x) < 1 && Math.abs(x) >= 1 - least / 2)
    return (x < 0 ? '<−' : '>') + (1 - least).toFixed(decimals);
  return x.toFixed(decimals).replace('-', '−');
}

const whole = (x) => (Math.round(x) + 0).toLocaleString('en-US');
const weightText = (ten_thousandths) =>
  ten_thousandths === 0 ? '<0.0001' : (ten_thousandths / 1e4).toFixed(4);
const bytesText = (n) => (n < 1e6 ? `${Math.round(n / 1e3)} kB` : `${(n / 1e6).toFixed(1)} MB`);

function norm(values) {
  return Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  return n ? (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2 : null;
}
