// The sections of a run's page, from top to bottom. Each gives an element, or null where the run has no such
// thing.

const hidden = new Set();  // arms that are switched off in the curves
const visible = (run) => run.arms.filter((arm) => !hidden.has(arm.name));

// The most frequent relations first.
function relationNames(run) {
  const questions = Object.entries(run.arms[0].end.relations).map(([name, of]) => [name, of.questions]);
  return questions.sort(([, a], [, b]) => b - a).map(([name]) => name);
}

// ---- the claim and the table -------------------------------------------------------------------

function head(run) {
  const [first, ...rest] = (run.claim || `A run of ${run.summary.task}.`).split(/(?<=[.;]) (?=[A-Za-z])/);
  return [
    h('p', { class: 'over' }, h('b', {}, 'qkv'), ` · ${run.summary.task} · ${run.asked ?? ''} · seed `,
      String(run.summary.seed)),
    h('h1', {}, first.replace(/;$/, '.')),
    rest.length ? h('p', { class: 'lede' }, rest.join(' ').replace(/^./, (c) => c.toUpperCase())) : null,
  ];
}

// name, decimals, which end is better
const COLUMNS = [
  ['parameters', 'parameters', 0, null], ['loss', 'loss', 3, 'low'], ['found', 'found', 3, 'high'],
  ['answered', 'answered', 3, 'high'], ['cycle_found', 'cycle found', 3, 'high'],
  ['cycle_answered', 'cycle answered', 3, 'high'], ['surprise', 'surprise', 3, 'low'],
  ['asymmetry', 'asymmetry', 3, null], ['circulation', 'circulation', 3, null], ['seconds', 'seconds', 1, null],
];

function armName(arm, formula = true) {
  return h('th', { scope: 'row' }, h('span', { class: 'dot', style: `background:${arm.colour};border-color:${arm.colour}` }),
    arm.name, formula ? h('span', { class: 'formula' }, arm.formula ?? '') : null);
}

function scrolling(label, table) {
  return h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': label }, table);
}

function armsTable(run) {
  const columns = COLUMNS.filter(([key]) => run.arms.some((arm) => arm.end[key] !== null));
  const best = ([key, , , better]) => {
    const values = run.arms.map((arm) => arm.end[key]).filter((x) => x !== null);
    return better && run.arms.length > 1 ? (better === 'low' ? Math.min : Math.max)(...values) : null;
  };
  const baselines = Object.entries(run.summary.baselines ?? {});
  return h('table', {},
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'arm'),
      columns.map(([, name]) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, run.arms.map((arm) => h('tr', {}, armName(arm), columns.map((column) => {
      const [key, , decimals] = column;
      const value = arm.end[key];
      return h('td', { class: value !== null && value === best(column) ? 'best' : null },
        key === 'parameters' ? whole(value) : figure(value, decimals));
    }))), baselines.map(([name, found]) => h('tr', {}, h('th', { scope: 'row', class: 'soft' }, `“${name}”`),
      columns.map(([key]) => h('td', { class: 'soft' }, key === 'found' ? figure(found) : ''))))));
}

function relationsTable(run) {
  const names = relationNames(run);
  if (names.length < 2) return null;
  const share = (relation) => [relation.found, relation.answered].filter((x) => x !== null)
    .map((x) => figure(x, 2)).join(' / ');
  const answered = run.arms.some((arm) => arm.end.answered !== null);
  return [h('h3', { style: 'margin-top:34px' }, answered ? 'Found / answered, by question' : 'Found, by question'),
    scrolling('by question', h('table', {},
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'question of the'), h('th', { scope: 'col' }, 'questions'),
        run.arms.map((arm) => h('th', { scope: 'col' }, arm.name)))),
      h('tbody', {}, names.map((name) => h('tr', {},
        h('th', { scope: 'row' }, name, run.cycle_relations.includes(name) ? h('span', { class: 'tag' }, 'cycle') : null),
        h('td', { class: 'soft' }, whole(run.arms[0].end.relations[name].questions)),
        run.arms.map((arm) => h('td', {}, arm.end.relations[name] ? share(arm.end.relations[name]) : '–'))))))),
  ];
}

function arms(run) {
  const text = run.text
    ? 'Loss is in nats a character, on text that was held out; answered: how often the likeliest character is the right one.'
    : 'Found: the largest weight of the attention is on the right word. '
      + (run.points ? '' : 'Answered: what is read out is the right word. ')
      + `Surprise: −log of the weight on the right word${run.cycle ? ', over the cycle' : ''}. All on questions that were held out.`;
  return section('arms', 'What each arm learned', text, scrolling('the arms', armsTable(run)), relationsTable(run));
}

// ---- the sentence as it learns -----------------------------------------------------------------

// The weights of an arm at a time `at` between two snapshots, counted in snapshots.
function weightAt(run, arm, at, i, j) {
  const last = arm.attention.length - 1;
  const before = Math.min(Math.floor(at), last), after = Math.min(before + 1, last);
  const cell = i * run.columns.length + j;
  const [from, to] = [arm.attention[before][cell], arm.attention[after][cell]];
  return (from + (to - from) * (at - Math.floor(at))) / 1e4;
}

function foundNow(run, arm, at) {
  const asked = run.targets.map((target, i) => [target, i]).filter(([target]) => target >= 0);
  const right = asked.filter(([target, i]) => {
    const row = run.columns.map((_, j) => weightAt(run, arm, at, i, j));
    return row.indexOf(Math.max(...row)) === target;
  });
  return asked.length ? `${right.length} of ${asked.length} found` : null;
}

function tellWeight(run, arm, at, i, j) {
  const relation = run.relations[i];
  const target = run.targets[i];
  return [`${run.rows[i]} → ${run.columns[j]}`, weightText(Math.round(1e4 * weightAt(run, arm, at, i, j))),
    run.contents ? `this page says ${run.contents[j]}` : null,
    relation && target >= 0 ? `${relation}: ${target === j ? 'the right one' : `asks for ${run.columns[target]}`}` : null,
  ].filter(Boolean).join('\n');
}

const playIcon = () => s('svg', { width: 18, height: 18, viewBox: '0 0 18 18', 'aria-hidden': true },
  s('path', { d: 'M4 2.5v13l11.5-6.5z' }));
const pauseIcon = () => s('svg', { width: 18, height: 18, viewBox: '0 0 18 18', 'aria-hidden': true },
  s('path', { d: 'M3.5 2.5h4v13h-4zM10.5 2.5h4v13h-4z' }));

// The slider, and what plays it: `show(at)` draws a time between 0 and `last`, in snapshots.
function player(run, steps, show) {
  const SECONDS = 10;
  const last = steps.length - 1;
  let at = last, playing = 0, before = 0;
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  const output = h('output', { for: 'step' });
  const slider = h('input', { id: 'step', type: 'range', min: 0, max: last, step: 1, value: last,
    'aria-label': 'step of training', oninput: () => { stop(); set(Number(slider.value)); } });
  const button = h('button', { class: 'play', type: 'button', onclick: () => (playing ? stop() : play()) });
  const set = (to) => {
    at = to;
    const step = steps[Math.round(at)];
    slider.value = Math.round(at);
    slider.setAttribute('aria-valuetext', `step ${step} of ${run.steps}`);
    output.textContent = `step ${whole(step)}`;
    show(still.matches ? Math.round(at) : at);
  };
  const face = () => {
    button.replaceChildren(playing ? pauseIcon() : playIcon());
    button.setAttribute('aria-label', playing ? 'pause' : 'play the training');
  };
  const stop = () => {
    cancelAnimationFrame(playing);
    playing = 0;
    face();
  };
  const frameAt = (now) => {
    const next = Math.min(at + (Math.max(now - before, 0) / 1000) * (last / SECONDS), last);
    before = now;
    set(next);
    if (next < last) playing = requestAnimationFrame(frameAt);
    else stop();
  };
  const play = () => {
    if (at >= last) at = 0;
    before = performance.now();
    playing = requestAnimationFrame(frameAt);
    face();
  };
  face();
  return { element: h('div', { class: 'player' }, button, slider, output), begin: () => set(last) };
}

function arcKey(run) {
  const line = (kind, text) => h('span', {}, s('svg', { width: 30, height: 14, 'aria-hidden': true },
    s('path', { class: kind === 'want' ? 'want' : `arc ${kind}`, d: 'M2 13C4 1 26 1 28 13',
      'stroke-width': kind === 'want' ? 1.5 : 3 })), text);
  if (!run.targets.some((target) => target >= 0)) return null;
  return h('p', { class: 'key' }, run.cycle ? line('cycle', 'right, and part of the cycle') : null,
    line('good', run.cycle ? 'right, another question' : 'right'), line('bad', 'attended to, but wrong'),
    line('want', 'where the answer is'));
}

const SENTENCE = {
  pronoun: 'Each word in bold asks for another word of the sentence; an arc goes to what it attends to. The gift is '
    + 'asked for by the giver, the receiver by the gift, and the giver by the receiver: a circle, which no '
    + 'symmetric score can go round. What lies ahead is reached above the words, what lies behind below them.',
  search: 'Queries stand below, pages above. Each query wants the page that has its title, and what that page says.',
  heads: 'Each word in bold asks which word it depends on; an arc goes to what it attends to.',
  text: 'Each character attends to those before it, whatever tells what comes next.',
};

function sentence(run) {
  const steps = run.arms[0].steps;
  if (!steps.length) return null;
  const chosen = run.arms.length > 1 ? [run.arms[0], run.arms.at(-1)] : [run.arms[0]];
  let at = steps.length - 1;
  const columns = run.contents ? run.titles.map((title, j) => `${title}: ${run.contents[j]}`) : run.columns;
  const folded = run.fold > 1 ? `The sentence has ${Math.max(run.queries, run.keys)} words. Each cell stands for ${run.fold} × ${run.fold} of them: what the queries gave on average to the keys together.` : null;
  const common = (k) => ({
    rows: run.rows, columns, targets: run.targets, separate: run.separate,
    value: (i, j) => weightAt(run, chosen[k], at, i, j), tell: (i, j) => tellWeight(run, chosen[k], at, i, j),
  });
  const wheres = run.arms[0].layers.length > 1 || run.arms[0].layers[0].length > 1
    ? ` · last layer${run.arms[0].layers.at(-1).length > 1 ? ', mean of its heads' : ''}` : '';
  const pictures = chosen.flatMap((_, k) => {
    const rows = () => mapRows({ ...common(k), value: (i, j) => Math.round(1e4 * common(k).value(i, j)) / 1e4 });
    const arcs = frame({ name: `arcs-${k}`, title: `Arm ${k + 1}`, rows,
      note: () => [`step ${whole(steps[Math.round(at)])}`, foundNow(run, chosen[k], Math.round(at))].filter(Boolean).join(' · ') + wheres,
      draw: (width) => drawArcs(width, { ...common(k), columns: run.separate ? run.titles : run.columns,
        label: `What each word attends to, as arcs: ${chosen[k].name}`,
        kind: (i) => (run.cycle_relations.includes(run.relations[i]) ? 'cycle' : 'good') }) });
    const map = frame({ name: `attention-${k}`, title: 'The same as a map', rows, note: () => folded,
      draw: (width) => drawMap(width, { ...common(k), colour: weightColour, low: 0, high: 1,
        label: `What each word attends to, as a map: ${chosen[k].name}`,
        legend: run.targets.some((target) => target >= 0) ? 'framed: the right one' : '' }) });
    const name = arcs.element.querySelector('h3');
    const title = () => name.replaceChildren(h('span', { class: 'dot', style: `background:${chosen[k].colour};border-color:${chosen[k].colour}` }),
      chosen[k].name, h('span', { class: 'soft', style: 'font-weight:400' }, `  ${chosen[k].formula ?? ''}`));
    title();
    return [{ frame: arcs, title }, { frame: map, title: () => {} }];
  });
  if (run.fold > 1) pictures.splice(0, pictures.length, ...pictures.filter((_, n) => n % 2));
  const { element, begin } = player(run, steps, (to) => {
    at = to;
    pictures.forEach((picture) => picture.frame.refresh());
  });
  const names = run.arms.map((arm) => arm.name);
  const selects = chosen.length > 1 ? chosen.map((arm, k) => select(k ? 'right' : 'left', names, arm.name, (name) => {
    chosen[k] = run.arms.find((one) => one.name === name);
    pictures.forEach((picture) => { picture.title(); picture.frame.redraw(); });
  })) : [];
  const order = pictures.length === 4 ? [0, 2, 1, 3] : pictures.map((_, n) => n);
  const out = section('sentence', run.text ? 'What each character attends to, as it learns' : 'One sentence, as it learns',
    SENTENCE[run.summary.task] ?? '', h('div', { class: 'bar' }, selects), element,
    run.fold > 1 ? null : arcKey(run), h('div', { class: 'grid' }, order.map((n) => pictures[n].frame.element)));
  out.begin = begin;
  return out;
}

// ---- curves ------------------------------------------------------------------------------------

function series(run, key) {
  return visible(run).map((arm) => ({ name: arm.name, colour: arm.colour,
    points: arm.curve.map((point) => [point.step, point[key]]).filter(([, y]) => y !== null) }))
    .filter(({ points }) => points.length);
}

function curves(run) {
  let log = false, early = false;
  const has = (key) => run.arms.some((arm) => arm.curve.some((point) => point[key] !== null));
  const [low, high] = run.summary.random_asymmetry;
  const charts = [
    { key: 'loss', title: 'Loss', note: 'nats, on questions that were held out', scaled: true },
    { key: 'surprise', title: run.cycle ? 'Surprise on the cycle' : 'Surprise', scaled: true,
      note: '−log of the weight on the right word, nats',
      rules: run.cycle ? [{ value: Math.LN2, text: 'ln 2: no symmetric score passes below', below: true }] : [] },
    { key: 'asymmetry', title: 'Asymmetry of the scores', note: '|S − Sᵀ| / 2|S|: 0 is symmetric, 1 antisymmetric',
      low: 0, top: 1, band: low === null ? null : { low, high, text: 'random starts' } },
    { key: 'circulation', title: 'Circulation', low: 0, top: 1,
      note: 'the part of it that nothing symmetric can imitate, not even with a bias on each key' },
    { key: 'found', title: 'Found', low: 0, top: 1, note: 'share of the questions, all of them' },
    { key: 'answered', title: 'Answered', low: 0, top: 1, note: 'share of the questions, all of them' },
  ].filter(({ key }) => has(key)).map(({ key, title, note, scaled, ...more }) => {
    const chart = () => ({ ...more, series: series(run, key), steps: run.steps, log: log && scaled, early,
      label: `${title} of each arm over the steps of training` });
    return { scaled, frame: frame({ name: key, title, note: () => note, draw: (width) => drawChart(width, chart()),
      rows: () => chartRows(chart()) }) };
  });
  const redraw = () => charts.forEach((chart) => chart.frame.redraw());
  const toggles = run.arms.map((arm) => h('button', { class: 'button arm', type: 'button', 'aria-pressed': 'true',
    onclick: (event) => {
      if (!hidden.delete(arm.name)) hidden.add(arm.name);
      event.currentTarget.setAttribute('aria-pressed', String(!hidden.has(arm.name)));
      redraw();
    } }, h('span', { class: 'dot', style: `background:${arm.colour};border-color:${arm.colour}` }), arm.name));
  return section('curves', 'While it trained', run.arms.length > 1 ? 'An arm’s name switches its curves off and on.' : null,
    h('div', { class: 'bar' }, run.arms.length > 1 ? toggles : [], 
      choice('scale of loss and surprise', ['linear', 'logarithmic'], 'linear', (to) => { log = to !== 'linear'; redraw(); }),
      choice('scale of the steps', ['all steps', 'early steps'], 'all steps', (to) => { early = to !== 'all steps'; redraw(); })),
    h('div', { class: 'grid' }, charts.map((chart) => chart.frame.element)));
}

// ---- inside the scores -------------------------------------------------------------------------

function inside(run) {
  let arm = run.arms.at(-1), head = 0;
  const n = run.rows.length, m = run.columns.length;
  const S = (i, j) => arm.scores[head][i * m + j];
  const most = () => Math.max(...arm.scores[head].map(Math.abs), 1e-9);
  const halves = [
    { name: 'scores', title: 'S, the scores', value: S, note: () => 'before mask and softmax' },
    { name: 'symmetric', title: '(S + Sᵀ)/2, what is mutual', value: (i, j) => (S(i, j) + S(j, i)) / 2 },
    { name: 'antisymmetric', title: '(S − Sᵀ)/2, what has a direction', value: (i, j) => (S(i, j) - S(j, i)) / 2 },
  ].slice(0, run.separate ? 1 : 3);
  const part = (value) => norm(run.rows.flatMap((_, i) => run.columns.map((__, j) => value(i, j))));
  const maps = halves.map(({ name, title, value, note }) => {
    const map = () => ({ rows: run.rows, columns: run.columns, value, low: -most(), high: most(),
      colour: (x) => scoreColour(x, most()), label: `${title} of ${arm.name}`,
      tell: (i, j) => `${run.rows[i]} → ${run.columns[j]}\n${figure(value(i, j))}` });
    return frame({ name, title, draw: (width) => drawMap(width, map()), rows: () => mapRows(map()),
      note: note ?? (() => `norm ${figure(part(value))}, ${figure(part(value) / (part(S) || 1))} of S’s`) });
  });
  // What a query adds to all of its scores alike, the softmax doesn't see: so that is left out.
  const M = (i, j) => {
    const row = arm.M.roles.slice(i * arm.answering.length, (i + 1) * arm.answering.length);
    return row[j] - row.reduce((sum, x) => sum + x, 0) / row.length;
  };
  const rolesMap = () => {
    const high = Math.max(...arm.asking.flatMap((_, i) => arm.answering.map((__, j) => Math.abs(M(i, j)))), 1e-9);
    return { rows: arm.asking, columns: arm.answering, low: -high, high, value: M,
      colour: (x) => scoreColour(x, high), label: `M of ${arm.name}: which asks which`,
      tell: (i, j) => `${arm.asking[i]} → ${arm.answering[j]}\n${figure(M(i, j))}` };
  };
  const roles = frame({ name: 'roles', title: 'M: which asks which', rows: () => mapRows(rolesMap()),
    note: () => 'mean x of each kind of token, x M xᵀ / √d_k, each row less its mean',
    draw: (width) => drawMap(width, rolesMap()) });
  const spectrum = frame({ name: 'singular-values', title: 'Singular values of M',
    note: () => `symmetry ${figure(arm.M.symmetry)}: 1 symmetric, 0 unrelated to its mirror image, −1 antisymmetric`,
    draw: (width) => drawSpectrum(width, { label: `Singular values of M, ${arm.name}`, colour: arm.colour,
      values: arm.M.singular_values, rank: arm.d_k }),
    rows: () => [['number', 'singular value'], ...arm.M.singular_values.map((x, i) => [i + 1, x])] });
  const redraw = () => [...maps, roles, spectrum].forEach((one) => one.redraw());
  const heads = arm.scores.map((_, k) => String(k + 1));
  return section('inside', 'Inside the scores', run.separate
    ? 'Blue draws a query to a page, orange drives it away. Queries and pages are different things, so S has no mirror image.'
    : 'Blue is attraction, orange its opposite. The softmax sees the sum of both halves; X Xᵀ has the first alone.',
    h('div', { class: 'bar' }, run.arms.length > 1 ? select('arm', run.arms.map(({ name }) => name), arm.name, (name) => {
      arm = run.arms.find((one) => one.name === name);
      redraw();
    }) : null, heads.length > 1 ? select('head of the last layer', heads, '1', (k) => { head = k - 1; redraw(); }) : null),
    h('div', { class: 'grid three' }, maps.map((one) => one.element)),
    h('div', { class: 'grid', style: 'margin-top:28px' }, roles.element, spectrum.element));
}

// ---- layers and heads --------------------------------------------------------------------------

function smallMap(run, weights) {
  const canvas = h('canvas', { width: run.columns.length, height: run.rows.length, 'aria-hidden': true });
  const context = canvas.getContext('2d');
  canvas.paint = () => weights.forEach((weight, cell) => {
    context.fillStyle = weightColour(weight / 1e4);
    context.fillRect(cell % run.columns.length, Math.floor(cell / run.columns.length), 1, 1);
  });
  canvas.paint();
  return canvas;
}

function layers(run) {
  if (run.arms[0].layers.flat().length < 2) return null;
  let arm = run.arms.at(-1), layer = 0, head = 0;
  const grid = h('div', { class: 'heads' });
  const large = frame({ name: 'one-head', title: 'One of them, enlarged',
    note: () => `${arm.name}, layer ${layer + 1}, head ${head + 1}`,
    draw: (width) => drawMap(width, { rows: run.rows, columns: run.columns, targets: run.targets, low: 0, high: 1,
      value: (i, j) => arm.layers[layer][head][i * run.columns.length + j] / 1e4, colour: weightColour,
      label: `Attention of ${arm.name}, layer ${layer + 1}, head ${head + 1}`,
      tell: (i, j) => `${run.rows[i]} → ${run.columns[j]}\n${weightText(arm.layers[layer][head][i * run.columns.length + j])}` }),
    rows: () => mapRows({ rows: run.rows, columns: run.columns,
      value: (i, j) => arm.layers[layer][head][i * run.columns.length + j] / 1e4 }) });
  const show = () => {
    const most = Math.max(...arm.layers.map((heads) => heads.length));
    grid.style.gridTemplateColumns = `repeat(${most}, minmax(0, 1fr))`;
    grid.replaceChildren(...arm.layers.flatMap((heads, i) => heads.map((weights, k) => h('button', { type: 'button',
      style: k ? null : 'grid-column-start:1', 'aria-pressed': String(i === layer && k === head),
      onclick: () => { layer = i; head = k; show(); large.redraw(); } }, smallMap(run, weights),
    `layer ${i + 1}, head ${k + 1}`))));
  };
  show();
  frames.push({ redraw: show });
  return section('layers', 'All layers and heads', 'The same sentence at the end of training. Click one to enlarge it.',
    h('div', { class: 'bar' }, run.arms.length > 1 ? select('arm', run.arms.map(({ name }) => name), arm.name, (name) => {
      arm = run.arms.find((one) => one.name === name);
      [layer, head] = [0, 0];
      show();
      large.redraw();
    }) : null), h('div', { class: 'grid' }, grid, large.element));
}

function headSymmetry(run) {
  if (!run.text && run.arms[0].layers.flat().length < 2) return null;
  let arm = run.arms.at(-1);
  const chart = () => {
    const keys = [...new Set(arm.heads.map((point) => `${point.layer}.${point.head}`))];
    const count = Math.max(...arm.heads.map((point) => point.layer));
    return { steps: run.steps, low: -1, top: 1, label: `Symmetry of each head of ${arm.name}`,
      series: keys.map((key) => {
        const points = arm.heads.filter((point) => `${point.layer}.${point.head}` === key);
        return { name: key, colour: ramp(ramps().weight, 0.25 + 0.75 * points[0].layer / count),
          points: points.map((point) => [point.step, point.symmetry]) };
      }) };
  };
  const picture = frame({ name: 'symmetry', title: 'Symmetry of M over training', rows: () => chartRows(chart()),
    note: () => 'layer.head; tr(M M) / |M|²: 1 symmetric, 0 unrelated to its mirror image, −1 antisymmetric',
    draw: (width) => drawChart(width, chart()) });
  return section('heads', 'How symmetric each head is', 'All start at W_Q = W_K, where M is symmetric, unless they were told to start anywhere.',
    run.arms.length > 1 ? h('div', { class: 'bar' }, select('arm', run.arms.map(({ name }) => name), arm.name, (name) => {
      arm = run.arms.find((one) => one.name === name);
      picture.redraw();
    })) : null, h('div', { class: 'grid', style: 'grid-template-columns:minmax(0,1fr)' }, picture.element));
}

// ---- what only one task has --------------------------------------------------------------------

function pages(run) {
  if (!run.contents) return null;
  const answers = run.arms.map((arm) => run.rows.map((_, i) => {
    const row = run.columns.map((__, j) => arm.attention.at(-1)[i * run.columns.length + j]);
    return row.indexOf(Math.max(...row));
  }));
  return section('pages', 'Queries and pages', 'Each query, the page that has its title, what that page says, and the page that each arm attends to most.',
    scrolling('queries and pages', h('table', {},
      h('thead', {}, h('tr', {}, ['query', 'its page', 'says', ...run.arms.map(({ name }) => name)]
        .map((name) => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, run.rows.map((row, i) => h('tr', {}, h('th', { scope: 'row' }, row),
        h('td', {}, run.titles[run.targets[i]]), h('td', {}, run.contents[run.targets[i]]),
        answers.map((answer) => h('td', { class: answer[i] === run.targets[i] ? 'best' : 'soft' },
          `${run.titles[answer[i]]}${answer[i] === run.targets[i] ? ' ✓' : ''}`))))))));
}

function relations(run) {
  if (!run.points) return null;
  const names = relationNames(run);
  const groups = () => names.map((name) => {
    const [questions, previous, next] = run.baselines[name] ?? [0, 0, 0];
    return { name, note: whole(run.arms[0].end.relations[name].questions),
      values: run.arms.map((arm) => arm.end.relations[name]?.found ?? null),
      marks: questions ? [{ text: 'the previous word', value: previous / questions },
        { text: 'the next word', value: next / questions }] : [] };
  });
  const bars = frame({ name: 'relations', title: 'Found, by relation',
    note: () => 'right: how many questions; thin line: what “the previous word” would find; thick line: “the next word”',
    draw: (width) => drawBars(width, { label: 'Found by relation, each arm and two baselines', series: run.arms, groups: groups() }),
    rows: () => [['relation', 'questions', ...run.arms.map(({ name }) => name), 'previous word', 'next word'],
      ...groups().map(({ name, note, values, marks }) => [name, note.replaceAll(',', ''), ...values, marks[0]?.value, marks[1]?.value])] });
  return section('relations', 'Which relations are found', 'Beside two baselines that look at no word at all.',
    h('p', { class: 'key' }, run.arms.map((arm) => h('span', {}, h('span', { class: 'dot', style: `background:${arm.colour};border-color:${arm.colour}` }), arm.name))),
    h('div', { class: 'grid', style: 'grid-template-columns:minmax(0,1fr);margin-top:14px' }, bars.element));
}

function text(run) {
  if (!run.text) return null;
  const chart = () => ({ steps: run.steps, label: 'Loss in training and on held-out text', series: run.arms.flatMap((arm) => [
    { name: run.arms.length > 1 ? `${arm.name} held out` : 'held out', colour: arm.colour,
      points: arm.curve.map((point) => [point.step, point.loss]) },
    { name: run.arms.length > 1 ? `${arm.name} training` : 'training', colour: arm.colour, dashed: true,
      points: arm.steps.map((step, k) => [step, arm.trained_loss[k]]).filter(([, y]) => y !== null) }]) });
  const losses = frame({ name: 'losses', title: 'Loss in training and on held-out text',
    note: () => `nats a character; at the end ${run.arms.map((arm) => figure(arm.end.loss / Math.LN2)).join(', ')} bits`,
    draw: (width) => drawChart(width, chart()), rows: () => chartRows(chart()) });
  const samples = run.arms.filter((arm) => arm.sample).map((arm) => {
    const [given, drawn] = arm.sample.split('\u0001');
    return [h('h3', { style: 'margin:28px 0 10px' }, `${arm.name} goes on`),
      h('pre', {}, h('span', { class: 'given' }, given), drawn)];
  });
  return section('text', 'What it makes of the text', 'The first characters are from the held-out part; the model goes on from there, each character drawn at a temperature of 0.8.',
    h('div', { class: 'grid' }, losses.element, h('div', {}, samples)));
}

// ---- how it was made ---------------------------------------------------------------------------

function made(run, bytes) {
  const rows = [['seed', run.summary.seed], ['version', run.version], ['threads', run.threads],
    ['seconds', `${figure(run.seconds, 1)}, with all measurements`], ['snapshots', run.arms[0].steps.length],
    ['this page', `${bytesText(bytes)}, one file, no network`]];
  const copied = h('button', { class: 'small', type: 'button', onclick: async () => {
    await navigator.clipboard?.writeText(run.summary.command);
    copied.textContent = 'copied';
  } }, 'copy');
  return section('made', 'How it was made', null, h('pre', {}, run.summary.command), copied,
    h('dl', {}, rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, String(value))])),
    h('div', { class: 'bar' }, [['metrics.csv', run.metrics], ['symmetry.csv', run.symmetry]].map(([name, text]) =>
      h('button', { class: 'button', type: 'button', onclick: () => download(name, 'text/csv', text) }, `save ${name}`))));
}
