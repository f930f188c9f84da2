// What was measured while it trained.

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
  const share = run.text ? 'share of characters' : 'share of the questions, all of them';
  const [low, high] = run.summary.random_asymmetry;
  const charts = [
    { key: 'loss', title: 'Loss', note: run.text ? 'nats a character, on held-out text' : `nats, on questions that were ${run.seen ? 'trained on' : 'held out'}`, scaled: true },
    {
      key: 'surprise',
      title: run.cycle ? 'Surprise on the cycle' : 'Surprise',
      scaled: true,
      note: '−log of the weight on the right word, nats',
      rules: run.bound
        ? [{ value: Math.LN2, text: 'ln 2: no symmetric score passes below', below: true }]
        : [],
    },
    {
      key: 'asymmetry',
      title: 'Asymmetry of the scores',
      note: '|S − Sᵀ| / 2|S|: 0 is symmetric, 1 antisymmetric',
      low: 0,
      top: 1,
      band: low === null ? null : { low, high, text: 'random starts' },
    },
    {
      key: 'circulation',
      title: 'Circulation',
      low: 0,
      top: 1,
      note: 'the part of it that nothing symmetric can imitate, not even with a bias on each key',
    },
    { key: 'found', title: 'Found', low: 0, top: 1, note: share },
    {
      key: 'answered',
      title: 'Answered',
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
        label: `${title} of each arm over the steps of training`,
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
    'While it trained',
    run.arms.length > 1 ? 'An arm’s name switches its curves off and on.' : null,
    h(
      'div',
      { class: 'bar' },
      run.arms.length > 1 ? toggles : [],
      choice('scale of loss and surprise', ['linear', 'logarithmic'], 'linear', (to) => {
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
