'use strict';
// Reads the run's files, which this page carries and somebody else may have written. Nothing here draws.

// Characters that turn the direction of a line would turn what stands beside them, too.
const unturned = (json) => json.replace(/[\u202A-\u202E\u2066-\u2069]|\\u20(2[a-e]|6[6-9])/gi, '\\ufffd');

function embedded(id) {
  const element = document.getElementById(id);
  try {
    return element && JSON.parse(unturned(element.textContent));
  } catch (error) {
    throw new Error(`${id}.json is not JSON (${error.message})`, { cause: error });
  }
}

// A CSV (RFC 4180) as one object a line. A field that looks like a number becomes a number, unless it
// is a whole one that would be rounded, as seeds above 2^53 would; an empty field becomes null.
function readCsv(text, file) {
  const lines = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,"\n]*))(,|\n|$)/g)) {
    lines.at(-1).push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    if (end === '\n') lines.push([]);
    if (end === '') break;
  }
  const [names, ...rest] = lines;
  rest.pop(); // past the last line's end
  const value = (field) => {
    const number = Number(field);
    const rounded = /^\d+$/.test(field) && !Number.isSafeInteger(number);
    return field === '' ? null : Number.isNaN(number) || rounded ? field : number;
  };
  return rest.map((fields, i) => {
    if (fields.length !== names.length)
      throw new Error(
        `${file}, line ${i + 2}: ${fields.length} columns; the first line has ${names.length}`,
      );
    return Object.fromEntries(names.map((name, k) => [name, value(fields[k])]));
  });
}

function writeCsv(rows) {
  const field = (x) => {
    const text = x === null || x === undefined || Number.isNaN(x) ? '' : String(x);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(field).join(',') + '\n').join('');
}

// Files of two runs would make a false page.
function checkSameRun(summary, shown) {
  const names = ({ arms }) => arms.map(({ name }) => name).join(', ');
  const same = (what, a, b) => {
    if (a !== b)
      throw new Error(
        `summary.json and snapshots.json are of different runs: ${what} ${a} and ${b}`,
      );
  };
  same('commands', summary.command, shown.command);
  same('arms', names(summary), names(shown));
}

// Snapshots as sentence.js wants them: of each head that was kept, and at the end of all.
function framesOf(arm, heads) {
  const share = (map) => Float32Array.from(map, (x) => x / 1e4);
  const end = arm.layers.map((layer) => layer.map(share));
  return arm.steps.map((step, k) => {
    if (k + 1 === arm.steps.length) return { step, layers: end };
    const layers = end.map((layer) => layer.map(() => null));
    heads.forEach(([layer, head], n) => {
      layers[layer - 1][head - 1] = share(arm.attention[k][n]);
    });
    return { step, layers };
  });
}

// The run. Each arm has its figures at the end (summary.json), its curve (metrics.csv), the symmetry
// of its heads (symmetry.csv), and its snapshots (snapshots.json); weights.h says what `weights` are.
function readRun() {
  const summary = embedded('summary');
  if (!summary) return null;
  const shown = embedded('snapshots');
  const metrics = embedded('metrics');
  const symmetry = embedded('symmetry');
  checkSameRun(summary, shown);
  const points = readCsv(metrics, 'metrics.csv');
  const heads = readCsv(symmetry, 'symmetry.csv');
  const arms = summary.arms.map((end, k) => ({
    ...shown.arms[k],
    frames: framesOf(shown.arms[k], shown.heads),
    colour: armColour(shown.arms[k].colour),
    end,
    M: { ...end.M, roles: shown.arms[k].M },
    curve: points
      .filter((point) => point.arm === end.name)
      .map((point) => ({ ...point, cycle: point.cycle_attention_accuracy })),
    heads: heads.filter((point) => point.arm === end.name),
  }));
  const weights = embedded('weights'); // null where the page answers nothing that is typed
  return { ...shown, summary, metrics, symmetry, arms, weights, steps: shown.steps };
}

// ---- figures -----------------------------------------------------------------------------------

// A number with that many decimals. It reads 0 only if it is exactly 0, and 1.000 only if it is not
// below 1.
function figure(x, decimals = 3) {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const least = 10 ** -decimals;
  if (Math.abs(x) < least / 2) return (x < 0 ? '>−' : '<') + least.toFixed(decimals);
  if (decimals > 1 && Math.abs(x) < 1 && Math.abs(x) >= 1 - least / 2)
    return (x < 0 ? '<−' : '>') + (1 - least).toFixed(decimals);
  return x.toFixed(decimals).replace('-', '−');
}

const whole = (x) => String(Math.round(x) + 0).replace(/\B(?=(\d{3})+$)/g, ',');
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
