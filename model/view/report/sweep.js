// The page of a sweep: a measure against a swept option. Each run is a dot; the line joins the medians
// over seeds.

const SWEEP_MEASURES = [
  'accuracy',
  'attention_accuracy',
  'cycle_accuracy',
  'cycle_attention_accuracy',
  'loss',
  'attention_nll',
  'asymmetry',
  'circulation',
  'symmetry',
];
const ARM_COLOURS = embedded('arms') ?? {}; // in the order of the program's table

// Numbers in their order, also those that are text; words in that of the alphabet.
const inOrder = (a, b) =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), undefined, { numeric: true });

// Arms in that order; unknown names come last.
function armOrder(a, b) {
  const names = Object.keys(ARM_COLOURS);
  const place = (arm) => (names.includes(arm) ? names.indexOf(arm) : names.length);
  return place(a) - place(b) || inOrder(a, b);
}

function readSweep() {
  const csv = embedded('sweep');
  if (!csv) return null;
  const rows = readCsv(csv, 'the sweep');
  const names = Object.keys(rows[0] ?? {});
  const swept = names.slice(names.indexOf('seed') + 1, names.indexOf('parameters'));
  const measures = SWEEP_MEASURES.filter((name) =>
    rows.some((row) => typeof row[name] === 'number'),
  );
  if (!measures.length) throw new Error('the sweep has no figures');
  const values = (name) =>
    [...new Set(rows.map((row) => row[name]))].sort(name === 'arm' ? armOrder : inOrder);
  const varied = ['task', ...swept].filter((name) => values(name).length > 1);
  return { csv, rows, names, varied, measures, values };
}

// Dots of all seeds over the places of the swept values and, if `joined`, a line through their medians.
function drawSweep(width, { label, places, arms, at, shares, joined }) {
  const height = Math.round(Math.min(Math.max(width * 0.5, 240), 420));
  const names = Math.max(0, ...arms.map((arm) => textWidth(arm)));
  const box = { x0: 50, x1: width - names - 26, y0: 12, y1: height - 32 };
  const dots = arms.flatMap((arm) => places.flatMap((place) => at(arm, place)));
  const high = shares ? 1 : Math.max(...dots, 1e-9) * 1.04,
    low = Math.min(0, ...dots);
  const inset = Math.min(28, (box.x1 - box.x0) / 8);
  const x = (i) =>
    places.length < 2
      ? (box.x0 + box.x1) / 2
      : box.x0 + inset + ((box.x1 - box.x0 - 2 * inset) * i) / (places.length - 1);
  const y = (value) => tenth(box.y1 - ((box.y1 - box.y0) * (value - low)) / (high - low));
  const svg = drawing(width, height, label);
  for (const tick of ticks(low, high))
    svg.append(
      s('line', { class: 'grid-line', x1: box.x0, x2: box.x1, y1: y(tick), y2: y(tick) }),
      s(
        'text',
        { class: 'soft', x: box.x0 - 8, y: y(tick) + 4, 'text-anchor': 'end' },
        tickText(tick),
      ),
    );
  svg.append(s('line', { class: 'axis', x1: box.x0, x2: box.x1, y1: box.y1, y2: box.y1 }));
  places.forEach((place, i) =>
    svg.append(
      s(
        'text',
        { class: 'soft', x: tenth(x(i)), y: box.y1 + 20, 'text-anchor': 'middle' },
        String(place),
      ),
    ),
  );
  const lines = arms.map((arm) => {
    const colour = sweepColour(arm);
    const points = places
      .map((place, i) => [x(i), median(at(arm, place))])
      .filter(([, value]) => value !== null);
    if (joined)
      svg.append(
        s('path', {
          class: 'curve',
          stroke: colour,
          'data-series': arm,
          d: curvePath(points, (at_x) => at_x, y),
        }),
      );
    places.forEach((place, i) =>
      at(arm, place).forEach((value) =>
        svg.append(
          s('circle', {
            cx: tenth(x(i)),
            cy: y(value),
            r: 4,
            fill: colour,
            opacity: 0.6,
            'data-dot': arm,
            onpointermove: (event) =>
              showTip(`${arm} at ${place}\n${figure(value)}`, event.clientX, event.clientY),
            onpointerleave: hideTip,
          }),
        ),
      ),
    );
    return { name: arm, colour, points };
  });
  svg.append(...endLabels(lines, y, box.x1, box.y0, box.y1));
  return svg;
}

const sweepColour = (arm) => armColour(ARM_COLOURS[arm] ?? '#8A8A8A');
const spoken = (name) => name.replaceAll('_', ' ');

// What is shown: a measure against an axis. Everything else that varies is fixed at one value.
function sweepView(sweep) {
  const { rows, varied, measures, values } = sweep;
  const off = new Set();
  const fixed = Object.fromEntries(varied.map((name) => [name, String(values(name)[0])]));
  const view = {
    off,
    fixed,
    measure: measures[0],
    axis: varied.includes('d_k') ? 'd_k' : (varied[0] ?? 'seed'),
  };
  const chosen = (row) =>
    varied.every((name) => name === view.axis || String(row[name]) === fixed[name]);
  view.arms = () => values('arm').filter((arm) => !off.has(arm));
  view.places = () => values(view.axis);
  view.title = () => `${spoken(view.measure)} against ${view.axis}`;
  view.at = (arm, place) =>
    rows
      .filter((row) => row.arm === arm && row[view.axis] === place && chosen(row))
      .map((row) => row[view.measure])
      .filter((value) => typeof value === 'number');
  return view;
}

// A line through seeds, or through values without an order, would mean nothing.
const isJoined = (view) =>
  view.axis !== 'seed' && view.places().every((place) => typeof place === 'number');

function sweepTable(view) {
  const kinds = ['median', 'min', 'max', 'runs'];
  const figures = (all) =>
    all.length
      ? [median(all), Math.min(...all), Math.max(...all), all.length]
      : [null, null, null, 0];
  return [
    [view.axis, ...view.arms().flatMap((arm) => kinds.map((kind) => `${arm} ${kind}`))],
    ...view.places().map((place) => [
      place,
      ...view.arms().flatMap((arm) => figures(view.at(arm, place))),
    ]),
  ];
}

// How many seeds each point has: one number, or a range.
function runsText(sweep, view) {
  if (view.axis === 'seed') return 'one dot per run';
  const counts = sweep
    .values('arm')
    .flatMap((arm) => view.places().map((place) => view.at(arm, place).length));
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const number = least === most ? String(most) : `${least}–${most}`;
  return `${number} ${most === 1 ? 'seed' : 'seeds'} per point`;
}

function sweepHead(sweep, view) {
  const held = sweep.varied.filter((name) => name !== view.axis);
  const at = held.map((name) => `${name} ${view.fixed[name]}`).join(', ');
  const arms = sweep.values('arm').join(', '),
    tasks = sweep.values('task').join(', ');
  return [
    h('p', { class: 'over' }, h('b', {}, 'qkv'), ` · a sweep of ${tasks}`),
    h('h1', {}, `${whole(sweep.rows.length)} runs: ${view.title()}`),
    h('p', { class: 'lede' }, `${arms}; ${runsText(sweep, view)}${at ? `, at ${at}` : ''}.`),
  ];
}

function sweepChart(view) {
  return frame({
    name: 'sweep',
    title: 'The sweep',
    note: () =>
      `${view.title()}. Each dot is a run${isJoined(view) ? '; the line joins the medians over seeds' : ''}.`,
    draw: (width) =>
      drawSweep(width, {
        label: view.title(),
        places: view.places(),
        arms: view.arms(),
        at: view.at,
        shares: /accuracy/.test(view.measure),
        joined: isJoined(view),
      }),
    rows: () => sweepTable(view),
    cell: (x, column) => (column && typeof x === 'number' && x % 1 ? figure(x) : x),
  });
}

// A selector for each thing that varies; that of the axis is hidden.
function sweepPickers({ varied, values }, view, update) {
  return varied.map((name) => {
    const picker = select(name, values(name).map(String), view.fixed[name], (value) => {
      view.fixed[name] = value;
      update();
    });
    return { name, picker };
  });
}

// Measured figures are rounded; swept values and whole numbers stay exact.
function runsTable({ rows, names }) {
  const measured = names.indexOf('parameters');
  const body = rows.map((row) => names.map((name) => row[name]));
  return tableOf([names, ...body], (x, column) =>
    column > measured && typeof x === 'number' && x % 1 ? figure(x) : x,
  );
}

function allRuns(sweep) {
  return section(
    'made',
    'All runs',
    null,
    h(
      'div',
      { class: 'bar' },
      h(
        'button',
        {
          class: 'button',
          type: 'button',
          onclick: () => download('sweep.csv', 'text/csv', sweep.csv),
        },
        'save the sweep as CSV',
      ),
    ),
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'all runs' },
      runsTable(sweep),
    ),
  );
}

function sweepPage(sweep) {
  const { varied, measures, values } = sweep;
  const view = sweepView(sweep);
  const chart = sweepChart(view);
  const update = () => {
    pickers.forEach(({ name, picker }) => (picker.hidden = name === view.axis));
    byId('head').replaceChildren(...sweepHead(sweep, view));
    document.title = `qkv · ${view.title()}`;
    chart.redraw();
  };
  const pickers = sweepPickers(sweep, view, update);
  const change = (what) => (to) => {
    view[what] = to;
    update();
  };
  const colours = values('arm').map((name) => ({ name, colour: sweepColour(name) }));
  byId('main').replaceChildren(
    h(
      'section',
      { 'aria-label': 'the sweep', style: 'margin-top:28px' },
      h(
        'div',
        { class: 'bar' },
        select('measure', measures, view.measure, change('measure')),
        varied.length > 1 ? select('against', varied, view.axis, change('axis')) : null,
        pickers.map(({ picker }) => picker),
      ),
      h('div', { class: 'bar' }, colours.length > 1 ? armToggles(colours, view.off, update) : []),
      h('div', { class: 'grid', style: 'grid-template-columns:minmax(0,1fr)' }, chart.element),
    ),
    allRuns(sweep),
  );
  update();
}
