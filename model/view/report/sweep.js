// The page of a sweep: a measure against a swept option. Each run is a dot; the line joins the medians
// over seeds.

// The first that a sweep has is shown first.
const SWEEP_MEASURES = [
  'cycle_attention_accuracy',
  'attention_accuracy',
  'accuracy',
  'cycle_accuracy',
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

// What no symmetric score of one head can pass: of what, and from which side.
const SWEEP_BOUNDS = {
  cycle_attention_accuracy: { value: 2 / 3, name: '2/3', text: 'no single symmetric head gets above' },
};

// Dots of all seeds over the places of the swept values and, if `joined`, a line through their medians.
function drawSweep(width, { label, axis, places, arms, at, shares, joined, bound }) {
  const height = Math.round(Math.min(Math.max(width * 0.5, 240), 420));
  const names = Math.max(0, ...arms.map((arm) => textWidth(arm)));
  const box = { x0: 50, x1: width - names - 26, y0: 12, y1: height - 52 };
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
  svg.append(
    s(
      'text',
      { class: 'soft', x: tenth((box.x0 + box.x1) / 2), y: box.y1 + 42, 'text-anchor': 'middle' },
      axis,
    ),
  );
  const rules = bound ? [{ value: bound.value, text: `${bound.name}: ${bound.text}` }] : [];
  svg.append(...grounds({ rules }, y, box));
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
            'data-told': `${arm} at ${place}\n${figure(value)}`,
          }),
        ),
      ),
    );
    return { name: arm, colour, points };
  });
  svg.append(...groundTexts({ rules }, y, box));
  svg.append(...endLabels(lines, y, box.x1, box.y0, box.y1));
  tipsOf(svg, (event) => event.target.dataset.told);
  return svg;
}

const sweepColour = (arm) => armColour(ARM_COLOURS[arm] ?? '#8A8A8A');
const spoken = (name) =>
  name.startsWith('cycle_') ? `${spoken(name.slice(6))} on the cycle` : name.replaceAll('_', ' ').replace('nll', 'NLL');

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

// ---- the heading -------------------------------------------------------------------------------

// The best of seeds would be luck: along them there is one median, of all.
const spots = (view) => (view.axis === 'seed' ? ['all'] : view.places());
const medianAt = (view, arm, place) =>
  median(place === 'all' ? view.places().flatMap((seed) => view.at(arm, seed)) : view.at(arm, place));

// The best median of an arm, and where.
function bestOf(view, arm) {
  const high = !/loss|nll/.test(view.measure);
  const medians = spots(view)
    .map((place) => ({ arm, place, value: medianAt(view, arm, place) }))
    .filter(({ value }) => value !== null);
  return medians.reduce(
    (best, one) => (!best || (high ? one.value > best.value : one.value < best.value) ? one : best),
    null,
  );
}

const share = (view, x) => (/accuracy/.test(view.measure) ? `${+(100 * x).toFixed(1)} %` : figure(x));

// Where one arm is past the bound, and the best of those that never are.
function boundFinding(view, all, bound) {
  const passes = ({ arm }) =>
    spots(view).filter((place) => medianAt(view, arm, place) > bound.value + 1e-6);
  const past = all.find((one) => passes(one).length),
    stays = all.find((one) => !passes(one).length);
  if (!past) return null;
  const places = passes(past),
    every = spots(view).length;
  const where =
    places.length === every
      ? ''
      : ` at ${view.axis} ${places.length > 1 ? `${places[0]} to ${places.at(-1)}` : places[0]}`;
  const other = stays ? `; ${stays.arm} stops at ${share(view, stays.value)}` : '';
  return `${past.arm} passes ${bound.name} of the cycle${where}, which no symmetric head can${other}.`;
}

// What is seen, in one sentence.
function finding(view) {
  const compared = /accuracy|loss|nll/.test(view.measure);
  const all = view
    .arms()
    .map((arm) => bestOf(view, arm))
    .filter(Boolean)
    .sort((a, b) => (/loss|nll/.test(view.measure) ? a.value - b.value : b.value - a.value));
  if (!compared || !all.length) return `${spoken(view.measure)} against ${view.axis}`;
  const bound = SWEEP_BOUNDS[view.measure];
  const passed = bound && boundFinding(view, all, bound);
  if (passed) return passed;
  const where = ({ place }) => (view.axis === 'seed' ? '' : ` at ${view.axis} ${place}`);
  const [first, second] = all;
  return `${first.arm} reaches the best ${spoken(view.measure)}, ${share(view, first.value)}${where(first)}${
    second ? `; next is ${second.arm} with ${share(view, second.value)}${where(second)}` : ''
  }.`;
}

function sweepHead(sweep, view) {
  const held = sweep.varied.filter((name) => name !== view.axis);
  const at = held.map((name) => `${name} ${view.fixed[name]}`).join(', ');
  const arms = sweep.values('arm').join(', '),
    tasks = sweep.values('task').join(', ');
  return [
    h('p', { class: 'over' }, h('b', {}, 'qkv'), ` · a sweep of ${tasks}`),
    h('h1', {}, finding(view)),
    h(
      'p',
      { class: 'lede' },
      `${whole(sweep.rows.length)} runs of ${arms}; ${runsText(sweep, view)}${at ? `, at ${at}` : ''}. Figures are medians${view.axis === 'seed' ? '' : ' over seeds'}.`,
    ),
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
        axis: view.axis,
        bound: SWEEP_BOUNDS[view.measure],
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
      'details',
      { class: 'long', open: sweep.rows.length <= 12 },
      h('summary', {}, `the ${whole(sweep.rows.length)} runs`),
      h(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'all runs' },
        runsTable(sweep),
      ),
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
