// The curves: what was measured during training. The report and the playground draw these charts.

const hidden = new Set(); // arms that are switched off in the curves
const scales = { log: false, early: false };
const visible = (run) => run.arms.filter((arm) => !hidden.has(arm.name));

// Of all charts, those are drawn that a run has figures for; none twice.
const CHARTS = [
  {
    key: 'cycle',
    title: 'Attention accuracy on the cycle',
    note: 'How often the largest weight is on the right word. Only questions of the cycle',
    low: 0,
    top: 1,
    rules: (run) =>
      run.bound
        ? [{ value: run.bound, text: `${boundText(run)}: no symmetric score gets above` }]
        : [],
    only: (run) => run.has_cycle,
  },
  {
    key: 'attention_nll',
    title: (run) => (run.has_cycle ? 'Attention NLL on the cycle' : 'Attention NLL'),
    note: (run) => `−log of the attention weight on the right ${wordOf(run)}, in nats`,
    scaled: true,
    rules: (run) =>
      run.bound
        ? [{ value: Math.LN2, text: 'ln 2: no symmetric score gets below', below: true }]
        : [],
  },
  {
    key: 'loss',
    title: 'Loss',
    note: (run) =>
      run.text
        ? 'In nats per character. Solid: on held-out text; dotted: in training'
        : `In nats; what training lowers. On questions that the model was ${run.measured_on_training ? 'trained on' : 'not trained on'}`,
    scaled: true,
    only: (run) => !run.points_at_answer, // there it is the NLL
  },
  {
    key: 'asymmetry',
    title: 'Asymmetry of the scores',
    note: '|S − Sᵀ| / 2|S|. 0 means symmetric, 1 antisymmetric',
    low: 0,
    top: 1,
    band: (run) => {
      const [low, high] = run.summary?.random_asymmetry ?? [null];
      return low === null ? null : { low, high, text: 'random starts' };
    },
  },
  {
    key: 'circulation',
    title: 'Circulation',
    note: 'The part of the asymmetry that no symmetric score can imitate, even with a bias for each key',
    low: 0,
    top: 1,
  },
  {
    key: 'attention_accuracy',
    title: 'Attention accuracy',
    note: (run) => `How often the largest weight is on the right ${wordOf(run)}. All questions`,
    low: 0,
    top: 1,
  },
  {
    key: 'accuracy',
    title: 'Accuracy',
    note: (run) =>
      run.text
        ? 'How often the most probable character is the right one'
        : 'How often the answer is right. All questions',
    low: 0,
    top: (run) => (run.text ? undefined : 1),
  },
];

const boundText = (run) => (Math.abs(run.bound - 2 / 3) < 1e-6 ? '2/3' : figure(run.bound));
const ofRun = (what, run) => (typeof what === 'function' ? what(run) : what);

// Of the playground only what is a point of ./train's own curve.
const curvePoints = (run, arm, key) =>
  arm.curve
    .filter(({ step }) => run.scheduled?.has(step) ?? true)
    .map((point) => [point.step, point[key] ?? null])
    .filter(([, y]) => y !== null);

function seriesOf(run, key) {
  const of = (arm) => ({ name: arm.name, colour: arm.colour, points: curvePoints(run, arm, key) });
  const training = (arm) => ({
    name: `${arm.name} in training`,
    colour: arm.colour,
    dashed: true,
    unnamed: true,
    points: arm.frames.map(({ step }, k) => [step, arm.training_loss[k]]).filter(([, y]) => y !== null),
  });
  const arms = visible(run);
  return [
    ...arms.map(of),
    ...(run.text && key === 'loss' ? arms.filter((arm) => arm.training_loss).map(training) : []),
  ].filter(({ points }) => points.length);
}

// The charts of the run that `current()` gives, each with suits(run): whether it has figures for it.
function curveFrames(current, keys = CHARTS.map(({ key }) => key)) {
  return CHARTS.filter(({ key }) => keys.includes(key)).map(
    ({ key, title, note, scaled, only, ...more }) => {
      const chart = () => ({
        low: more.low,
        top: ofRun(more.top, current()),
        rules: more.rules?.(current()) ?? [],
        band: more.band?.(current()),
        series: seriesOf(current(), key),
        steps: current().steps,
        log: scales.log && scaled,
        early: scales.early,
        close: Boolean(current().text && scaled),
        label: `${ofRun(title, current())} of each arm over the steps of training`,
      });
      const made = frame({
        name: key,
        title: () => ofRun(title, current()),
        note: () => ofRun(note, current()),
        draw: (width) => drawChart(width, chart(), chart),
        rows: () => chartRows(chart()),
      });
      made.suits = (run) =>
        (!only || only(run)) &&
        run.arms.some((arm) => (arm.curve[0]?.[key] ?? null) !== null);
      return made;
    },
  );
}

function scaleChoice(redraw) {
  return choice('scale of loss and NLL', ['linear', 'logarithmic'], 'linear', (to) => {
    scales.log = to !== 'linear';
    redraw();
  });
}

function curves(run) {
  const charts = curveFrames(() => run).filter((chart) => chart.suits(run));
  const redraw = () => drawInRoom(charts);
  const several = run.arms.length > 1;
  return section(
    'curves',
    'During training',
    several ? 'Click the name of an arm to hide or show its curves.' : null,
    h(
      'div',
      { class: 'bar' },
      several ? armToggles(run.arms, hidden, redraw) : [],
      scaleChoice(redraw),
      choice('scale of the steps', ['all steps', 'early steps'], 'all steps', (to) => {
        scales.early = to !== 'all steps';
        redraw();
      }),
    ),
    h(
      'div',
      { class: 'grid charts' },
      charts.map((chart) => chart.element),
    ),
  );
}
