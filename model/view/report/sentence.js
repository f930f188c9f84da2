// One sentence as two heads see it, at one step of the training: arcs and maps. The report and the
// playground draw these; `view` says what is drawn.
//
// A run has arms with frames: { step, layers: a list of heads for each layer, each a map of weights, row by
// row, or null where a snapshot has not kept that head }.

const SIDES = ['left', 'right'];
// at: which snapshot, and between two of them; heads: "layer.head" on each side
const view = { run: null, at: 0, left: null, right: null, heads: { left: '1.1', right: '1.1' } };

const headNames = (run) =>
  run.arms[0].frames[0].layers.flatMap((heads, l) => heads.map((_, k) => `${l + 1}.${k + 1}`));
const headText = (name) => `layer ${name.replace('.', ', head ')}`;

// The map of a head in a snapshot. One that was not kept is shown as it is at the end.
function mapOf(arm, k, name) {
  const [l, head] = name.split('.').map((x) => x - 1);
  return arm.frames[k].layers[l][head] ?? arm.frames.at(-1).layers[l][head];
}
function isKept(arm, name) {
  const [l, head] = name.split('.').map((x) => x - 1);
  return arm.frames[0].layers[l][head] !== null;
}

const mixed = { left: {}, right: {} }; // the map on each side as it was asked for last

// The map on a side, between two snapshots.
function mapNow(side) {
  const { run, at } = view,
    [arm, head] = [view[side], view.heads[side]],
    last = Math.max((run.count ?? arm.frames.length) - 1, 0),
    mix = mixed[side];
  if (mix.arm === arm && mix.head === head && mix.at === at && mix.last === last) return mix.map;
  const before = Math.min(Math.floor(at), last),
    after = Math.min(before + 1, last);
  const [from, to] = [before, after].map((k) => mapOf(arm, k, head));
  const map = from.map((weight, cell) => weight + (to[cell] - weight) * (at - Math.floor(at)));
  mixed[side] = { arm, head, at, last, map };
  return map;
}
const weightNow = (side, i, j) => mapNow(side)[i * view.run.columns.length + j];

const rowOf = (map, i, columns) => Array.from({ length: columns }, (_, j) => map[i * columns + j]);
const mostOf = (row) => row.indexOf(Math.max(...row));

// How many questions a map is right on, and how many there are.
function rightOf(run, map) {
  const asked = run.targets.map((target, i) => [target, i]).filter(([target]) => target >= 0);
  const right = asked.filter(
    ([target, i]) => mostOf(rowOf(map, i, run.columns.length)) === target,
  );
  return [right.length, asked.length];
}

// The head that is right most often at the end; of equals, or without questions, the one whose weights
// are the largest.
function bestHead(run, arm) {
  const end = arm.frames.length - 1;
  const worth = (name) => {
    const map = mapOf(arm, end, name);
    const most = run.rows.map((_, i) => Math.max(...rowOf(map, i, run.columns.length)));
    return rightOf(run, map)[0] + most.reduce((sum, x) => sum + x, 0) / (2 * most.length);
  };
  return headNames(run).reduce((best, name) => (worth(name) > worth(best) ? name : best));
}

function foundText(side) {
  const map = mapOf(view[side], Math.round(view.at), view.heads[side]);
  const [right, asked] = rightOf(view.run, map);
  return asked ? `${right} of ${asked} correct` : null;
}

const stepNow = () => view.run.arms[0].frames[Math.round(view.at)]?.step ?? 0;

// ---- in words ----------------------------------------------------------------------------------

const weightIn = (weight) => weightText(Math.round(1e4 * weight));

// What a word attends to, or what a cell says. said: { rows, columns, relations, targets, contents }
function tellFocus({ row, column }, said, value, word = 'word') {
  const { rows, columns, relations = [], targets = [], contents } = said;
  if (row < 0 && column < 0) return null;
  if (row < 0) {
    const most = mostOf(rows.map((_, i) => value(i, column)));
    return `${columns[column]} gets most from ${rows[most]}: ${weightIn(value(most, column))}.`;
  }
  const name = relations[row] ? `${rows[row]} (${relations[row]})` : rows[row];
  const target = targets[row] ?? -1;
  const asks = target >= 0 && column !== target;
  const of = (j) => `${columns[j]}${contents ? ` (${contents[j]})` : ''}`;
  const right = `The right ${word} is ${of(target)}: ${weightIn(value(row, target))}.`;
  const yes = target >= 0 ? `, the right ${word}` : '';
  if (column >= 0)
    return `${name} gives ${of(column)} the weight ${weightIn(value(row, column))}${column === target ? yes : ''}.${asks ? ` ${right}` : ''}`;
  const most = mostOf(columns.map((_, j) => value(row, j)));
  return `${name} attends most to ${of(most)}: ${weightIn(value(row, most))}${most === target ? yes : ''}.${target >= 0 && most !== target ? ` ${right}` : ''}`;
}

const HINT = 'Point at a word, or tap it, to see what it attends to.';

const armTitle = (arm) => [
  dot(arm.colour),
  arm.name,
  h('span', { class: 'soft', style: 'font-weight:400' }, `  ${arm.formula ?? ''}`),
];

function arcKey(run) {
  const line = (kind, text) =>
    h(
      'span',
      {},
      s(
        'svg',
        { width: 30, height: 14, 'aria-hidden': true },
        s('path', {
          class: kind === 'want' ? 'want' : `arc ${kind}`,
          d: 'M2 13C4 1 26 1 28 13',
          'stroke-width': kind === 'want' ? 1.5 : 3,
        }),
      ),
      text,
    );
  if (!run.targets.some((target) => target >= 0)) return null;
  const word = wordOf(run);
  return h(
    'p',
    { class: 'key' },
    run.has_cycle ? line('cycle', 'correct, in the cycle') : null,
    line('good', run.has_cycle ? 'correct, not in the cycle' : 'correct'),
    line('bad', `largest weight, on a wrong ${word}`),
    line('part', `the right ${word}, but another has more weight`),
    line('want', `the right ${word}`),
  );
}

// ---- pictures ----------------------------------------------------------------------------------

const columnWords = (run) =>
  run.contents ? run.titles.map((title, j) => `${title}: ${run.contents[j]}`) : run.columns;

// Arcs and map of the sentence on one side.
function sentencePictures(side, focus, { note = () => null } = {}) {
  const arm = () => view[side];
  const value = (i, j) => weightNow(side, i, j);
  const words = () => ({ ...view.run, columns: view.run.titles ?? view.run.columns });
  const said = () => tellFocus(focus, words(), value, wordOf(view.run));
  const common = () => ({
    rows: view.run.rows,
    columns: columnWords(view.run),
    targets: view.run.targets,
    separate: view.run.separate,
    kind: (i) => (view.run.cycle_relations.includes(view.run.relations[i]) ? 'cycle' : 'good'),
    value,
    focus,
    said: () => `${arm().name}: ${said() ?? ''}`,
  });
  const rows = () => mapRows({ ...common(), value: (i, j) => +value(i, j).toFixed(4) });
  const several = () => headNames(view.run).length > 1;
  const arcs = frame({
    name: `arcs-${side}`,
    file: () => `arcs-${arm().name}`,
    title: () => armTitle(arm()),
    rows,
    note: () =>
      [
        `step ${whole(stepNow())}`,
        foundText(side),
        several() ? headText(view.heads[side]) : null,
        several() && !isKept(arm(), view.heads[side]) ? 'of this head only the end is kept' : null,
      ]
        .filter(Boolean)
        .join(' · '),
    said: () => said() ?? HINT,
    draw: (width) =>
      drawArcs(width, {
        ...common(),
        columns: words().columns,
        label: `What each word attends to, as arcs: ${arm().name}. Arrow keys choose a word, Enter pins it`,
        possible: (i, j) => !view.run.text || j <= i,
      }),
  });
  const map = frame({
    name: `attention-${side}`,
    file: () => `attention-${arm().name}`,
    title: () => `${arm().name}, as a map`,
    rows,
    note,
    said: () => said() ?? `A row shows what one ${wordOf(view.run)} attends to.`,
    draw: (width) =>
      drawMap(width, {
        ...common(),
        colour: weightColour,
        low: 0,
        high: 1,
        label: `What each word attends to, as a map: ${arm().name}. Arrow keys choose a cell, Enter pins it`,
        legend: view.run.targets.some((target) => target >= 0)
          ? `frame: the right ${wordOf(view.run)}`
          : '',
      }),
  });
  return { arcs, map };
}

// ---- heads -------------------------------------------------------------------------------------

// A small map of each head on a side, at the step that is drawn. A click draws that head large.
function headStrip(side, onchoose) {
  const element = h('div', { class: 'heads', role: 'group' });
  let buttons = [];
  const paint = (canvas, map) => {
    const context = canvas.getContext('2d'),
      wide = view.run.columns.length;
    map.forEach((weight, cell) => {
      context.fillStyle = weightColour(weight);
      context.fillRect(cell % wide, Math.floor(cell / wide), 1, 1);
    });
  };
  const refresh = () => {
    for (const { name, button, canvas } of buttons) {
      button.setAttribute('aria-pressed', String(name === view.heads[side]));
      const map = mapOf(view[side], Math.round(view.at), name);
      if (canvas.painted === map) continue;
      canvas.painted = map;
      paint(canvas, map);
    }
  };
  const redraw = () => {
    const { run } = view,
      layers = run.arms[0].frames[0].layers;
    element.hidden = headNames(run).length < 2;
    element.setAttribute('aria-label', `layers and heads of ${view[side].name}`);
    element.style.gridTemplateColumns = `repeat(${Math.max(...layers.map((heads) => heads.length))}, minmax(0, 68px))`;
    buttons = element.hidden
      ? []
      : headNames(run).map((name) => {
          const canvas = h('canvas', {
            width: run.columns.length,
            height: run.rows.length,
            'aria-hidden': true,
          });
          const button = h(
            'button',
            {
              type: 'button',
              style: name.endsWith('.1') ? 'grid-column-start:1' : null,
              'aria-label': `${name}: ${headText(name)}`,
              onclick: () => {
                view.heads[side] = name;
                onchoose();
              },
            },
            canvas,
            name,
          );
          return { name, button, canvas };
        });
    element.replaceChildren(
      h('span', { class: 'whose' }, dot(view[side].colour), view[side].name),
      ...buttons.map(({ button }) => button),
    );
    refresh();
  };
  frames.push({ redraw });
  return { element, redraw, refresh };
}
