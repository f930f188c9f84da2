// One sentence during training: the slider and the play button.

// The attention weight of an arm at the time `at`, in snapshots; between two snapshots it is interpolated.
function weightAt(run, arm, at, i, j) {
  const last = arm.attention.length - 1;
  const before = Math.min(Math.floor(at), last),
    after = Math.min(before + 1, last);
  const cell = i * run.columns.length + j;
  const [from, to] = [arm.attention[before][cell], arm.attention[after][cell]];
  return (from + (to - from) * (at - Math.floor(at))) / 1e4;
}

function correctNow(run, arm, at) {
  const asked = run.targets.map((target, i) => [target, i]).filter(([target]) => target >= 0);
  const right = asked.filter(([target, i]) => {
    const row = run.columns.map((_, j) => weightAt(run, arm, at, i, j));
    return row.indexOf(Math.max(...row)) === target;
  });
  return asked.length ? `${right.length} of ${asked.length} correct` : null;
}

function tellWeight(run, arm, at, i, j) {
  const relation = run.relations[i];
  const target = run.targets[i];
  return [
    `${run.rows[i]} → ${run.columns[j]}`,
    weightText(Math.round(1e4 * weightAt(run, arm, at, i, j))),
    run.contents ? `the content of this page is ${run.contents[j]}` : null,
    relation && target >= 0
      ? `${relation}: ${target === j ? `the right ${wordOf(run)}` : `the right ${wordOf(run)} is ${run.columns[target]}`}`
      : null,
  ]
    .filter(Boolean)
    .join('\n');
}

const playIcon = () =>
  s(
    'svg',
    { width: 18, height: 18, viewBox: '0 0 18 18', 'aria-hidden': true },
    s('path', { d: 'M4 2.5v13l11.5-6.5z' }),
  );
const pauseIcon = () =>
  s(
    'svg',
    { width: 18, height: 18, viewBox: '0 0 18 18', 'aria-hidden': true },
    s('path', { d: 'M3.5 2.5h4v13h-4zM10.5 2.5h4v13h-4z' }),
  );

// The slider and its play button. `show(at)` draws the time `at`, from 0 to `last`, in snapshots.
function player(run, steps, show) {
  const SECONDS = 10;
  const last = steps.length - 1;
  let at = last,
    playing = 0,
    before = 0;
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  const output = h('output', { for: 'step' });
  const slider = h('input', {
    id: 'step',
    type: 'range',
    min: 0,
    max: last,
    step: 1,
    value: last,
    'aria-label': 'training step',
    oninput: () => {
      stop();
      set(Number(slider.value));
    },
  });
  const button = h('button', {
    class: 'play',
    type: 'button',
    onclick: () => (playing ? stop() : play()),
  });
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
  return h(
    'p',
    { class: 'key' },
    run.has_cycle ? line('cycle', 'correct, and part of the cycle') : null,
    line('good', run.has_cycle ? 'correct, not part of the cycle' : 'correct'),
    line('part', `right ${wordOf(run)}, but another has more weight`),
    line('bad', `wrong ${wordOf(run)}`),
    line('want', `the right ${wordOf(run)}`),
  );
}

const TO = 'An arc goes to the word that it attends to: above the words if that word comes later, below if it comes earlier.';
const ARCS = `Each word in bold asks for another word of the sentence. ${TO}`;
const SENTENCE = {
  pronoun:
    `${ARCS} The giver asks for the gift, the gift for the receiver, and the receiver for the giver. This is a cycle ` +
    'of three; no single head with a symmetric score can answer all of it. The rule is artificial: it is here because it is a cycle.',
  user_sentences: ARCS,
  user_cycles: `${ARCS} Some questions form a cycle; no single head with a symmetric score can answer all of a cycle.`,
  search:
    'Queries are below, pages above. Each query asks for the page with its title. The model answers with the content of that page.',
  heads: `Each word in bold asks which word it depends on (its head). ${TO}`,
  text: 'Each character may attend only to itself and to earlier characters. The model predicts the next character from what it attends to.',
};

function sentence(run) {
  const steps = run.arms[0].steps;
  if (!steps.length) return null;
  const chosen = run.arms.length > 1 ? [run.arms[0], run.arms.at(-1)] : [run.arms[0]];
  let at = steps.length - 1;
  const columns = run.contents
    ? run.titles.map((title, j) => `${title}: ${run.contents[j]}`)
    : run.columns;
  const folded =
    run.fold > 1
      ? `The sentence has ${Math.max(run.queries, run.keys)} words, so each cell stands for ${run.fold} × ${run.fold} of them. It shows the attention that a query gives to these keys together, averaged over these queries.`
      : null;
  const common = (k) => ({
    rows: run.rows,
    columns,
    targets: run.targets,
    separate: run.separate,
    value: (i, j) => weightAt(run, chosen[k], at, i, j),
    tell: (i, j) => tellWeight(run, chosen[k], at, i, j),
  });
  const wheres =
    run.arms[0].layers.length > 1 || run.arms[0].layers[0].length > 1
      ? ` · last layer${run.arms[0].layers.at(-1).length > 1 ? ', mean over heads' : ''}`
      : '';
  const pictures = chosen.flatMap((_, k) => {
    const rows = () =>
      mapRows({ ...common(k), value: (i, j) => Math.round(1e4 * common(k).value(i, j)) / 1e4 });
    const arcs = frame({
      name: `arcs-${k}`,
      file: () => `arcs-${chosen[k].name}`,
      title: () => armTitle(chosen[k]),
      rows,
      note: () =>
        [`step ${whole(steps[Math.round(at)])}`, correctNow(run, chosen[k], Math.round(at))]
          .filter(Boolean)
          .join(' · ') + wheres,
      draw: (width) =>
        drawArcs(width, {
          ...common(k),
          columns: run.separate ? run.titles : run.columns,
          label: `Attention of ${chosen[k].name}, as arcs`,
          kind: (i) => (run.cycle_relations.includes(run.relations[i]) ? 'cycle' : 'good'),
        }),
    });
    const map = frame({
      name: `attention-${k}`,
      file: () => `attention-${chosen[k].name}`,
      title: () => `${chosen[k].name}, as a map`,
      rows,
      note: () => folded,
      draw: (width) =>
        drawMap(width, {
          ...common(k),
          colour: weightColour,
          low: 0,
          high: 1,
          label: `Attention of ${chosen[k].name}, as a map`,
          legend: run.targets.some((target) => target >= 0) ? `frame: the right ${wordOf(run)}` : '',
        }),
    });
    return [arcs, map];
  });
  if (run.fold > 1) pictures.splice(0, pictures.length, ...pictures.filter((_, n) => n % 2));
  const { element, begin } = player(run, steps, (to) => {
    at = to;
    pictures.forEach((picture) => picture.refresh());
  });
  const names = run.arms.map((arm) => arm.name);
  const selects =
    chosen.length > 1
      ? chosen.map((arm, k) =>
          select(k ? 'right' : 'left', names, arm.name, (name) => {
            chosen[k] = run.arms.find((one) => one.name === name);
            pictures.forEach((picture) => picture.redraw());
          }),
        )
      : [];
  const order = pictures.length === 4 ? [0, 2, 1, 3] : pictures.map((_, n) => n);
  const out = section(
    'sentence',
    run.text ? 'Attention between characters, during training' : `Attention in one ${run.contents ? 'search' : 'sentence'}, during training`,
    SENTENCE[!run.user_sentences ? run.summary.task : run.has_cycle ? 'user_cycles' : 'user_sentences'] ?? '',
    h('div', { class: 'bar' }, selects),
    element,
    run.fold > 1 ? null : arcKey(run),
    h(
      'div',
      { class: 'grid' },
      order.map((n) => pictures[n].element),
    ),
  );
  out.begin = begin;
  return out;
}
