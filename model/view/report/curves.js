// The curves: what was measured during training.

const hidden = new Set(); // arms that are switched off in the curves
const visible = (run) => run.arms.filter((arm) => !hidden.has(arm.name));

function series(run, key) {
  return visible(run)
    .map((arm) => ({
      name: arm.name,
      colour: arm.colour,
      points: arm.curve.map((point) => [point.step, point[key]]).filter(([, y]) => y !== null),
    }))
    .filter(({ points }) => points.length);
}

function curves(run) {
  let log = false,
    early = false;
  const has = (key) => run.arms.some((arm) => arm.curve.some((point) => point[key] !== null));
  const share = run.text ? 'Share of held-out characters' : 'Share of all questions';
  const [low, high] = run.summary.random_asymmetry;
  const charts = [
    { key: 'loss', title: 'Loss', note: run.text ? 'In nats per character, on held-out text' : `In nats, on questions that the model was ${run.measured_on_training ? 'trained on' : 'not trained on'}`, scaled: true },
    {
      key: 'attention_nll',
      title: run.has_cycle ? 'Attention NLL on the cycle' : 'Attention NLL',
      scaled: true,
      note: `−log of the attention weight on the right ${wordOf(run)}, in nats`,
      rules: run.has_bound
        ? [{ value: Math.LN2, text: 'ln 2: no symmetric score gets below', below: true }]
        : [],
    },
    {
      key: 'asymmetry',
      title: 'Asymmetry of the scores',
      note: '|S − Sᵀ| / 2|S|. 0 means symmetric, 1 antisymmetric',
      low: 0,
      top: 1,
      band: low === null ? null : { low, high, text: 'random starts' },
    },
    {
      key: 'circulation',
      title: 'Circulation',
      low: 0,
      top: 1,
      note: 'The part of the asymmetry that no symmetric score can imitate, even with a bias for each key',
    },
    { key: 'attention_accuracy', title: 'Attention accuracy', low: 0, top: 1, note: share },
    {
      key: 'accuracy',
      title: 'Accuracy',
      low: 0,
      top: 1,
      note: share,
    },
  ]
    .filter(({ key }) => has(key))
    .map(({ key, title, note, scaled, ...more }) => {
      const chart = () => ({
        ...more,
        series: series(run, key),
        steps: run.steps,
        log: log && scaled,
        early,
        label: `${title} of each arm over the training steps`,
      });
      return {
        scaled,
        frame: frame({
          name: key,
          title,
          note: () => note,
          draw: (width) => drawChart(width, chart()),
          rows: () => chartRows(chart()),
        }),
      };
    });
  const redraw = () => charts.forEach((chart) => chart.frame.redraw());
  const toggles = armToggles(run.arms, hidden, redraw);
  return section(
    'curves',
    'During training',
    run.arms.length > 1 ? 'Click the name of an arm to hide or show its curves.' : null,
    h(
      'div',
      { class: 'bar' },
      run.arms.length > 1 ? toggles : [],
      choice('scale of loss and attention NLL', ['linear', 'logarithmic'], 'linear', (to) => {
        log = to !== 'linear';
        redraw();
      }),
      choice('scale of the steps', ['all steps', 'early steps'], 'all steps', (to) => {
        early = to !== 'all steps';
        redraw();
      }),
    ),
    h(
      'div',
      { class: 'grid' },
      charts.map((chart) => chart.frame.element),
    ),
  );
}
