// Curves over the steps of training, bars and dots.

const measure = document.createElement('canvas').getContext('2d');
const FONT = '12.5px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

const widths = new Map(); // font and text: how wide it is

function textWidth(text, font = FONT) {
  const key = `${font}\n${text}`;
  if (widths.has(key)) return widths.get(key);
  if (measure.font !== font) measure.font = font;
  const { width } = measure.measureText(text);
  widths.set(key, width);
  return width;
}

// Round numbers from `low` to `high`, about `count` of them.
function ticks(low, high, count = 4) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 2.5, 5, 10].find((x) => x * power >= rough * 0.999);
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-6; i++)
    out.push(i * step + 0); // never -0
  return out;
}

function decades(low, high) {
  const out = [];
  for (let e = Math.ceil(Math.log10(low) - 1e-9); e <= Math.log10(high) + 1e-9; e++)
    out.push(10 ** e);
  return out;
}

function tickText(x) {
  for (const [size, unit] of [[1e6, 'M'], [1e4, 'k']])
    if (Math.abs(x) >= size) return tickText(x / (unit === 'k' ? 1e3 : size)) + unit;
  return plainTick(x);
}

const plainTick = (x) =>
  (x !== 0 && Math.abs(x) < 1e-3 ? x.toExponential(0) : String(+x.toPrecision(4))).replace(
    '-',
    '−',
  );

// The 95th percentile of a curve's values.
function usual({ points }) {
  const sorted = points
    .map(([, y]) => y)
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  return sorted[Math.floor(0.95 * (sorted.length - 1))] ?? 0;
}

// The y axis: from 0 (or `low`; if `close`, from just below the curves) to a top that includes where the curves begin and end, and that a short
// spike cannot raise; or decades.
function valueScale({ series, rules = [], band, log, low = 0, top, close }, y0, y1) {
  const values = series.flatMap(({ points }) => points.map(([, y]) => y)).filter(Number.isFinite);
  const starts = series.map(({ points }) => points[0]?.[1]).filter(Number.isFinite);
  const ends = series.map(({ points }) => points.at(-1)?.[1]).filter(Number.isFinite);
  const marks = [...rules.map((rule) => rule.value), ...(band ? [band.high] : [])];
  let high = top ?? Math.max(...values, 1e-9);
  if (top === undefined && starts.length)
    high = Math.min(high, 2 * Math.max(...starts, ...ends, ...marks, ...series.map(usual), 1e-9));
  if (top === undefined) high = Math.max(high, ...marks.map((mark) => 1.2 * mark)) * 1.03;
  if (close) low = Math.max(0, 0.9 * Math.min(...values)); // a little below the curves, not 0
  const over = Math.max(...values, 0) > high ? Math.max(...values) : null; // a spike that the top cuts off
  if (!log) {
    return {
      over,
      at: (y) => y1 - (y1 - y0) * Math.min(Math.max((y - low) / (high - low), 0), 1),
      ticks: ticks(low, high),
    };
  }
  const least = Math.max(Math.min(...values.filter((y) => y > 0), high / 10) * 0.9, 1e-6);
  const part = (y) => Math.log(Math.max(y, least) / least) / Math.log(high / least);
  const marked = decades(least, high);
  return {
    over,
    at: (y) => y1 - (y1 - y0) * Math.min(Math.max(part(y), 0), 1),
    ticks:
      marked.length > 1
        ? marked
        : [least, Math.sqrt(least * high), high].map((y) => +y.toPrecision(2)),
  };
}

// The names of the curves at their ends, moved apart where they would overlap, and above the axis. A
// thin line joins a name that was moved with its curve.
function endLabels(series, at, x, y0, y1) {
  const line = 16;
  const ends = series
    .filter(({ points, unnamed }) => points.length && !unnamed)
    .map((one) => ({ one, end: at(one.points.at(-1)[1]), y: at(one.points.at(-1)[1]) }))
    .sort((a, b) => a.y - b.y);
  ends.forEach((end, i) => {
    if (i) end.y = Math.max(end.y, ends[i - 1].y + line);
  });
  let limit = y1 - 5;
  for (const end of ends.toReversed()) {
    end.y = Math.min(end.y, limit);
    limit = end.y - line;
  }
  return ends.map(({ one, end, y }) =>
    s(
      'g',
      {},
      Math.abs(end - y) > 3
        ? s('path', { class: 'leader', d: `M${x + 1} ${tenth(end)}L${x + 5} ${tenth(y)}` })
        : null,
      s('circle', { cx: x + 9, cy: tenth(y), r: 4, fill: one.colour }),
      s('text', { x: x + 18, y: tenth(y + 4) }, one.name),
    ),
  );
}

function curvePath(points, atX, atY) {
  return points
    .filter(([, y]) => Number.isFinite(y))
    .map(([x, y], i) => `${i ? 'L' : 'M'}${tenth(atX(x))} ${tenth(atY(y))}`)
    .join('');
}

const stepsOf = (series) =>
  [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);

// Shows the values of all curves at the step nearest to the pointer. The arrow keys move the step.
//   chart(), box(): what is drawn now, and where
function addCursor(svg, chart, atX, box) {
  const cursor = s('line', { class: 'cursor', visibility: 'hidden', 'data-cursor': '' });
  let at = Infinity; // a step; at first the last
  const text = () => {
    const { series, format = (y) => figure(y) } = chart();
    const values = series.map(({ name, points }) => {
      const point = points.find(([x]) => x === at);
      return point ? `${name}  ${format(point[1])}` : null;
    });
    return [`step ${whole(at)}`, ...values.filter(Boolean)].join('\n');
  };
  const place = (left, top) => {
    const { y0, y1 } = box(),
      x = atX(at),
      corner = svg.getBoundingClientRect();
    putAttributes(cursor, { x1: x, x2: x, y1: y0, y2: y1, visibility: 'visible' });
    showTip(text(), left ?? corner.left + x, top ?? corner.top + 20);
  };
  const leave = () => {
    cursor.setAttribute('visibility', 'hidden');
    hideTip();
  };
  fill(
    svg,
    {
      tabindex: 0,
      onpointermove: (event) => {
        const x = event.clientX - svg.getBoundingClientRect().left,
          xs = stepsOf(chart().series);
        if (!xs.length) return;
        at = xs.reduce((best, one) => (Math.abs(atX(one) - x) < Math.abs(atX(best) - x) ? one : best));
        place(event.clientX, event.clientY);
      },
      onpointerleave: (event) => event.pointerType === 'touch' || leave(),
      onblur: leave,
      onkeydown: (event) => {
        const xs = stepsOf(chart().series);
        const move = { ArrowLeft: -1, ArrowRight: 1, Home: -xs.length, End: xs.length }[event.key];
        if (!move || !xs.length) return;
        event.preventDefault();
        const now = xs.findLastIndex((x) => x <= at);
        at = xs[Math.min(Math.max(now + move, 0), xs.length - 1)];
        place();
        say(text().replaceAll('\n', ', '));
      },
    },
    [cursor],
  );
}

// Areas under the curves: the band of random starts, and what no symmetric score can reach.
function grounds({ band, rules = [] }, at, { x0, x1, y1 }) {
  const strip = (name, y, height) => s('rect', { class: name, x: x0, y, width: x1 - x0, height });
  return [
    ...(band ? [strip('band', at(band.high), at(band.low) - at(band.high))] : []),
    ...rules.flatMap(({ value, below }) => {
      const y = tenth(at(value));
      return [
        ...(below ? [strip('forbidden', y, y1 - y)] : []),
        s('line', { class: 'rule', x1: x0, x2: x1, y1: y, y2: y }),
      ];
    }),
  ];
}

// The labels of these areas; in a narrow chart only the part before the colon.
function groundTexts({ band, rules = [] }, at, { x0, x1 }) {
  const written = (name, y, text) =>
    s('text', { class: `${name} over-curves`, x: x1 - 6, y, 'text-anchor': 'end' }, text);
  const fits = (text) => textWidth(text, `600 ${FONT}`) < x1 - x0 - 12;
  const short = (text) => (fits(text) ? text : text.split(':')[0]);
  return [
    ...(band ? [written('soft', at(band.high) - 5, short(band.text))] : []),
    ...rules.map(({ value, text }) => written('rule-text', tenth(at(value)) - 6, short(text))),
  ];
}

const spikeText = (most, { x1, y0 }) =>
  s(
    'text',
    { class: 'soft over-curves', x: x1 - 6, y: y0 + 10, 'text-anchor': 'end' },
    `cut off: a spike to ${tickText(most)}`,
  );

// The axes with their numbers.
function axes({ steps, early }, scale, atX, { x0, x1, y1 }, few) {
  const text = (x, y, anchor, said) => s('text', { class: 'soft', x, y, 'text-anchor': anchor }, said);
  const across = early
    ? [0, ...decades(1, steps)]
    : ticks(0, steps, few ? 2 : 4).filter(Number.isInteger);
  return [
    ...scale.ticks.flatMap((tick) => {
      const y = tenth(scale.at(tick));
      return [
        s('line', { class: 'grid-line', x1: x0, x2: x1, y1: y, y2: y }),
        text(x0 - 8, y + 4, 'end', tickText(tick)),
      ];
    }),
    ...across.map((tick) => text(tenth(atX(tick)), y1 + 20, 'middle', whole(tick))),
    s('line', { class: 'axis', x1: x0, x2: x1, y1, y2: y1 }),
  ];
}

// Where a chart has its lines: at its right the names of the curves.
function chartBox(width, height, { series }) {
  const named = series.filter(({ unnamed }) => !unnamed);
  const names = Math.max(0, ...named.map(({ name }) => textWidth(name)));
  return { x0: 44, x1: width - names - 24, y0: 10, y1: height - 30 };
}

// chart: { label, series: [{ name, colour, points: [[step, y], ...], dashed, unnamed: without a label at
//          its end }], low, top, log, steps, close,
//          early: the axis is log(1 + step), so that the first steps have more room,
//          rules: [{ value, tick, text, below }], band: { low, high, text }, format }
// Returns an <svg>; its `refresh` draws what now() gives: the same arms, with more points. The axes are
// drawn again only if they differ.
function drawChart(width, first, now = () => first) {
  const height = Math.round(Math.min(Math.max(width * 0.6, 210), 320));
  const svg = drawing(width, height, first.label);
  const [below, lines, above, ends] = Array.from({ length: 4 }, () => s('g', {}));
  const paths = new Map();
  let chart = first,
    box = null,
    grounded = '';
  const atX = (x) => {
    const share = chart.early ? Math.log1p(x) / Math.log1p(chart.steps) : x / chart.steps;
    return box.x0 + (box.x1 - box.x0) * (chart.steps ? share : 0);
  };
  const pathOf = ({ name, colour, dashed, points }, at) => {
    if (!paths.has(name)) paths.set(name, s('path', { class: `curve${dashed ? ' dashed' : ''}` }));
    const d = curvePath(points, atX, at);
    putAttributes(paths.get(name), { stroke: colour, 'data-series': name, d });
    return paths.get(name);
  };
  svg.refresh = () => {
    chart = now();
    box = chartBox(width, height, chart);
    const scale = valueScale(chart, box.y0, box.y1);
    const places = [...scale.ticks, ...(chart.rules ?? []).map(({ value }) => value)];
    const ground = JSON.stringify([box, chart.steps, scale.over, places, places.map(scale.at)]);
    if (ground !== grounded) {
      below.replaceChildren(
        ...axes(chart, scale, atX, box, width < 400),
        ...grounds(chart, scale.at, box),
      );
      above.replaceChildren(
        ...(scale.over === null ? [] : [spikeText(scale.over, box)]),
        ...groundTexts(chart, scale.at, box),
      );
      grounded = ground;
    }
    putChildren(lines, chart.series.map((one) => pathOf(one, scale.at)));
    ends.replaceChildren(...endLabels(chart.series, scale.at, box.x1, box.y0, box.y1));
  };
  svg.append(below, lines, above, ends);
  svg.refresh();
  addCursor(svg, () => chart, atX, () => box);
  return svg;
}

function chartRows({ series }) {
  const xs = stepsOf(series);
  const at = series.map(({ points }) => new Map(points));
  return [
    ['step', ...series.map(({ name }) => name)],
    ...xs.map((x) => [x, ...at.map((points) => points.get(x) ?? null)]),
  ];
}

// ---- bars --------------------------------------------------------------------------------------

// Groups of thin bars from 0 to 1, one bar per series, with marks to compare with.
//   groups: [{ name, note, values: [...], marks: [{ value, text }] }]
function drawBars(width, { label, series, groups }) {
  const thick = 7,
    apart = 14;
  const names = Math.min(Math.max(...groups.map(({ name }) => textWidth(name))) + 8, width * 0.3);
  const notes = width < 480 ? 0 : 52;
  const tall = series.length * thick + apart;
  const height = groups.length * tall + 34;
  const x0 = names + 8,
    x1 = width - notes - 16;
  const at = (value) => tenth(x0 + (x1 - x0) * value);
  const svg = drawing(width, height, label);
  for (const tick of [0, 0.25, 0.5, 0.75, 1])
    svg.append(
      s('line', { class: 'grid-line', x1: at(tick), x2: at(tick), y1: 20, y2: height - 8 }),
      s('text', { class: 'soft', x: at(tick), y: 12, 'text-anchor': 'middle' }, String(tick)),
    );
  groups.forEach(({ name, note, values, marks }, g) => {
    const y = 24 + g * tall,
      middle = y + (tall - apart) / 2;
    const told = [
      name,
      ...series.map((one, k) => `${one.name}  ${figure(values[k])}`),
      ...marks.map((mark) => `${mark.text}  ${figure(mark.value)}`),
    ].join('\n');
    svg.append(s('text', { x: x0 - 10, y: middle + 4, 'text-anchor': 'end' }, name));
    if (notes)
      svg.append(
        s('text', { class: 'soft', x: width - 2, y: middle + 4, 'text-anchor': 'end' }, note),
      );
    values.forEach((value, k) =>
      svg.append(
        s('rect', {
          x: x0,
          y: y + k * thick,
          height: thick - 2,
          rx: 1.5,
          width: Math.max(at(value ?? 0) - x0, 1),
          fill: series[k].colour,
        }),
      ),
    );
    marks.forEach(({ value }, k) =>
      svg.append(
        s('line', {
          class: k ? 'mark next' : 'mark',
          x1: at(value),
          x2: at(value),
          y1: y - 4,
          y2: y + tall - apart + 2,
        }),
      ),
    );
    svg.append(
      s('rect', {
        class: 'hit',
        x: 0,
        y: y - apart / 2,
        width,
        height: tall,
        'data-told': told,
      }),
    );
  });
  tipsOf(svg, (event) => event.target.dataset.told);
  return svg;
}

// Singular values as bars, the largest first, with a line after the first d_k.
function drawSpectrum(width, { label, values, rank, colour }) {
  const height = 230,
    x0 = 44,
    x1 = width - 12,
    y0 = 24,
    y1 = height - 30;
  const shown = values.slice(0, Math.min(values.length, Math.max(2 * rank, 24)));
  const high = Math.max(...shown, 1e-9) * 1.04,
    wide = (x1 - x0) / shown.length;
  const at = (value) => y1 - (y1 - y0) * (value / high);
  const svg = drawing(width, height, label);
  for (const tick of ticks(0, high))
    svg.append(
      s('line', { class: 'grid-line', x1: x0, x2: x1, y1: at(tick), y2: at(tick) }),
      s(
        'text',
        { class: 'soft', x: x0 - 8, y: at(tick) + 4, 'text-anchor': 'end' },
        tickText(tick),
      ),
    );
  shown.forEach((value, i) =>
    svg.append(
      s('rect', {
        x: tenth(x0 + i * wide + 1),
        y: tenth(at(value)),
        rx: 1.5,
        width: tenth(Math.max(wide - 2, 1)),
        height: tenth(Math.max(y1 - at(value), 0.5)),
        fill: colour,
        'data-told': `number ${i + 1}\n${figure(value)}`,
      }),
    ),
  );
  svg.append(s('line', { class: 'axis', x1: x0, x2: x1, y1, y2: y1 }));
  if (rank <= shown.length) {
    const x = x0 + rank * wide,
      left = x > width * 0.6;
    svg.append(
      s('line', { class: 'rule', x1: x, x2: x, y1: y0 - 12, y2: y1 }),
      s(
        'text',
        {
          class: 'rule-text',
          x: x + (left ? -7 : 7),
          y: y0 - 2,
          'text-anchor': left ? 'end' : 'start',
        },
        `d_k = ${rank}`,
      ),
    );
  }
  svg.append(
    s('text', { class: 'soft', x: x0, y: y1 + 20 }, '1'),
    s(
      'text',
      { class: 'soft', x: x1, y: y1 + 20, 'text-anchor': 'end' },
      `${shown.length}${shown.length < values.length ? ` of ${values.length}` : ''}`,
    ),
  );
  tipsOf(svg, (event) => event.target.dataset.told);
  return svg;
}
