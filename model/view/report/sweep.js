// The page of a sweep: a measure against what was swept, each seed a dot, their median a line.

const SWEEP_MEASURES = [
  'answered',
  'found',
  'cycle_answered',
  'cycle_found',
  'loss',
  'surprise',
  'asymmetry',
  'circulation',
  'symmetry',
];
const ARM_COLOURS = {
  xxt: '#8A8A8A',
  'xxt-x': '#B8A000',
  'xxt-v': '#56B4E9',
  tied: '#E69F00',
  sym: '#CC79A7',
  qk: '#0072B2',
  kv: '#009E73',
  qkv: '#D55E00',
};

function readSweep() {
  const csv = embedded('sweep');
  if (!csv) return null;
  const rows = readCsv(csv);
  const names = Object.keys(rows[0] ?? {});
  const swept = names.slice(names.indexOf('seed') + 1, names.indexOf('parameters'));
  const measures = SWEEP_MEASURES.filter((name) =>
    rows.some((row) => typeof row[name] === 'number'),
  );
  const values = (name) =>
    [...new Set(rows.map((row) => row[name]))].sort((a, b) =>
      typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)),
    );
  return { csv, rows, swept: swept.filter((name) => values(name).length), measures, values };
}

// Dots of all seeds over the places of the swept values, and a line through their medians.
function drawSweep(width, { label, places, arms, at, shares }) {
  const height = Math.round(Math.min(Math.max(width * 0.5, 240), 420));
  const names = Math.max(...arms.map((arm) => textWidth(arm)));
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
  const svg = s('svg', {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
    'aria-label': label,
  });
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
    const colour = ARM_COLOURS[arm] ?? '#8A8A8A';
    const points = places
      .map((place, i) => [x(i), median(at(arm, place))])
      .filter(([, value]) => value !== null);
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

function sweepPage(sweep) {
  const { rows, swept, measures, values } = sweep;
  const varied = swept.filter((name) => values(name).length > 1);
  let axis = varied.includes('d_k') ? 'd_k' : (varied[0] ?? swept[0] ?? 'seed');
  let measure = measures[0];
  const fixed = {}; // of the other swept options, which value is shown
  const chosen = (row) =>
    Object.entries(fixed).every(([name, value]) => name === axis || String(row[name]) === value);
  const off = new Set();
  const arms = () => values('arm').filter((arm) => !off.has(arm));
  const at = (arm, place) =>
    rows
      .filter(
        (row) =>
          row.arm === arm && row[axis] === place && chosen(row) && typeof row[measure] === 'number',
      )
      .map((row) => row[measure]);
  const title = () => `${measure.replaceAll('_', ' ')} against ${axis}`;
  const chart = frame({
    name: 'sweep',
    title: 'The sweep',
    note: () => `${title()}; a dot a seed, the line their median`,
    draw: (width) =>
      drawSweep(width, {
        label: title(),
        places: values(axis),
        arms: arms(),
        at,
        shares: /found|answered/.test(measure),
      }),
    rows: () => [
      [
        axis,
        ...arms().flatMap((arm) => [
          `${arm} median`,
          `${arm} least`,
          `${arm} most`,
          `${arm} seeds`,
        ]),
      ],
      ...values(axis).map((place) => [
        place,
        ...arms().flatMap((arm) => {
          const all = at(arm, place);
          return all.length
            ? [median(all), Math.min(...all), Math.max(...all), all.length]
            : [null, null, null, 0];
        }),
      ]),
    ],
  });
  const others = varied.filter((name) => name !== axis);
  for (const name of others) fixed[name] = String(values(name)[0]);
  const toggles = values('arm').map((arm) =>
    h(
      'button',
      {
        class: 'button arm',
        type: 'button',
        'aria-pressed': 'true',
        onclick: (event) => {
          if (!off.delete(arm)) off.add(arm);
          event.currentTarget.setAttribute('aria-pressed', String(!off.has(arm)));
          chart.redraw();
        },
      },
      h('span', {
        class: 'dot',
        style: `background:${ARM_COLOURS[arm] ?? '#8A8A8A'};border-color:${ARM_COLOURS[arm] ?? '#8A8A8A'}`,
      }),
      arm,
    ),
  );
  const seeds = values('seed');
  byId('head').append(
    h('p', { class: 'over' }, h('b', {}, 'qkv'), ` · a sweep of ${values('task').join(', ')}`),
    h('h1', {}, `${whole(rows.length)} runs: ${measure.replaceAll('_', ' ')} against ${axis}`),
    h(
      'p',
      { class: 'lede' },
      `${values('arm').join(', ')}; ${seeds.length} ${seeds.length === 1 ? 'seed' : 'seeds'} each.`,
    ),
  );
  byId('main').replaceChildren(
    h(
      'section',
      { 'aria-label': 'the sweep', style: 'margin-top:28px' },
      h(
        'div',
        { class: 'bar' },
        select('measure', measures, measure, (name) => {
          measure = name;
          chart.redraw();
        }),
        varied.length > 1
          ? select('against', varied, axis, (name) => {
              axis = name;
              chart.redraw();
            })
          : null,
        others.map((name) =>
          select(name, values(name).map(String), fixed[name], (value) => {
            fixed[name] = value;
            chart.redraw();
          }),
        ),
      ),
      h('div', { class: 'bar' }, values('arm').length > 1 ? toggles : []),
      h('div', { class: 'grid', style: 'grid-template-columns:minmax(0,1fr)' }, chart.element),
    ),
    section(
      'made',
      'All figures',
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
        tableOf([Object.keys(rows[0]), ...rows.map((row) => Object.values(row))]),
      ),
    ),
  );
}
