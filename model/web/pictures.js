// What is drawn of a run: the sentence as arcs and maps, the curves, M. All with the report's own
// pictures; `view` says which run, which snapshot, which arms.

const view = { run: null, at: 0, left: null, right: null, head: '1.1', log: false, inside: null };

// ---- the sentence ------------------------------------------------------------------------------

const headNames = (run) =>
  run.arms[0].frames[0].layers.flatMap((heads, l) => heads.map((_, h) => `${l + 1}.${h + 1}`));

function headText() {
  const [layer, head] = view.head.split('.');
  return headNames(view.run).length > 1 ? `layer ${layer}, head ${head}` : null;
}

// The map of one head in a snapshot.
function mapOf(frame) {
  const [layer, head] = view.head.split('.').map((x) => x - 1);
  return frame.layers[layer]?.[head] ?? frame.layers.at(-1)[0];
}

// The weight of an arm between two snapshots.
function weightNow(arm, i, j) {
  const { run, at } = view;
  const last = Math.max(run.count - 1, 0),
    before = Math.min(Math.floor(at), last),
    after = Math.min(before + 1, last);
  const cell = i * run.columns.length + j;
  const [from, to] = [before, after].map((k) => mapOf(arm.frames[k])[cell]);
  return from + (to - from) * (at - Math.floor(at));
}

const rowOf = (arm, i) => view.run.columns.map((_, j) => weightNow(arm, i, j));
const mostOf = (row) => row.indexOf(Math.max(...row));

function foundText(arm) {
  const { run } = view;
  const asked = run.targets.map((target, i) => [target, i]).filter(([target]) => target >= 0);
  const right = asked.filter(([target, i]) => mostOf(rowOf(arm, i)) === target);
  return asked.length ? `${right.length} of ${asked.length} correct` : null;
}

const stepNow = () => view.run.arms[0].frames[Math.round(view.at)]?.step ?? 0;

function tellNow(arm, i, j) {
  const { run } = view;
  const [relation, target] = [run.relations[i], run.targets[i]];
  const asks =
    target === j
      ? `the right ${wordOf(run)}`
      : `the right ${wordOf(run)} is ${run.columns[target]}`;
  return [
    `${run.rows[i]} → ${run.columns[j]}`,
    weightText(Math.round(1e4 * weightNow(arm, i, j))),
    run.contents ? `the content of this page is ${run.contents[j]}` : null,
    relation && target >= 0 ? `${relation}: ${asks}` : null,
  ]
    .filter(Boolean)
    .join('\n');
}

const columnWords = (run) =>
  run.contents ? run.titles.map((title, j) => `${title}: ${run.contents[j]}`) : run.columns;

function sentencePictures(side) {
  const arm = () => view[side];
  const common = () => ({
    rows: view.run.rows,
    columns: columnWords(view.run),
    targets: view.run.targets,
    separate: view.run.separate,
    value: (i, j) => weightNow(arm(), i, j),
    tell: (i, j) => tellNow(arm(), i, j),
  });
  const rows = () => mapRows({ ...common(), value: (i, j) => +weightNow(arm(), i, j).toFixed(4) });
  const arcs = frame({
    name: `arcs-${side}`,
    file: () => `arcs-${arm().name}`,
    title: () => armTitle(arm()),
    rows,
    note: () =>
      [`step ${whole(stepNow())}`, foundText(arm()), headText()].filter(Boolean).join(' · '),
    draw: (width) =>
      drawArcs(width, {
        ...common(),
        columns: view.run.separate ? view.run.titles : view.run.columns,
        label: `What each word attends to, as arcs: ${arm().name}`,
        kind: (i) => (view.run.cycle_relations.includes(view.run.relations[i]) ? 'cycle' : 'good'),
      }),
  });
  const map = frame({
    name: `attention-${side}`,
    file: () => `attention-${arm().name}`,
    title: () => `${arm().name}, as a map`,
    rows,
    draw: (width) =>
      drawMap(width, {
        ...common(),
        colour: weightColour,
        low: 0,
        high: 1,
        label: `What each word attends to, as a map: ${arm().name}`,
        legend: view.run.targets.some((target) => target >= 0)
          ? `frame: the right ${wordOf(view.run)}`
          : '',
      }),
  });
  return { arcs, map };
}

// ---- curves ------------------------------------------------------------------------------------

const CHARTS = [
  {
    key: 'cycle',
    title: 'Attention accuracy on the cycle',
    note: 'Share of its questions whose largest weight is on the right word',
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
    note: '−log of the attention weight on the right word, in nats',
    scaled: true,
    rules: (run) =>
      run.bound
        ? [{ value: Math.LN2, text: 'ln 2: no symmetric score gets below', below: true }]
        : [],
  },
  {
    key: 'loss',
    title: 'Loss',
    note: 'In nats; what training lowers',
    scaled: true,
    only: (run) => !run.points, // there it is the NLL
  },
  {
    key: 'asymmetry',
    title: 'Asymmetry of the scores',
    note: '|S − Sᵀ| / 2|S|. 0 means symmetric, 1 antisymmetric',
    low: 0,
    top: 1,
  },
  {
    key: 'attention_accuracy',
    title: 'Attention accuracy',
    note: 'Share of all questions',
    low: 0,
    top: 1,
  },
  {
    key: 'accuracy',
    title: 'Accuracy',
    note: 'Share of all questions that are answered by the right word',
    low: 0,
    top: 1,
  },
];

const boundText = (run) => (Math.abs(run.bound - 2 / 3) < 1e-6 ? '2/3' : figure(run.bound));

// Only what is a point of ./train's own curve.
const curvePoints = (run, arm, key) =>
  arm.curve
    .filter(({ step }) => run.schedule.includes(step))
    .map((point) => [point.step, point[key]])
    .filter(([, y]) => y !== null);

function curveFrames() {
  return CHARTS.map(({ key, title, note, scaled, rules, only, ...more }) => {
    const chart = () => ({
      ...more,
      rules: rules?.(view.run) ?? [],
      series: view.run.arms.map((arm) => ({
        name: arm.name,
        colour: arm.colour,
        points: curvePoints(view.run, arm, key),
      })),
      steps: view.run.steps,
      log: view.log && scaled,
      label: `${key} of each arm over the steps of training`,
    });
    const made = frame({
      name: key,
      title: () => (typeof title === 'function' ? title(view.run) : title),
      note: () => note,
      draw: (width) => drawChart(width, chart()),
      rows: () => chartRows(chart()),
    });
    made.suits = (run) =>
      (!only || only(run)) && run.arms.some((arm) => arm.curve[0]?.[key] !== null);
    return made;
  });
}

// ---- M -----------------------------------------------------------------------------------------

function insideFrames() {
  const M = () => view.inside?.M ?? null;
  // The softmax ignores what a query adds to all of its scores, so each row is shown less its mean.
  const cell = (i, j) => {
    const n = M().answering.length,
      row = M().M.slice(i * n, (i + 1) * n);
    return row[j] - row.reduce((sum, x) => sum + x, 0) / n;
  };
  const map = () => {
    const high = Math.max(
      ...M().M.map((_, k) =>
        Math.abs(cell(Math.floor(k / M().answering.length), k % M().answering.length)),
      ),
      1e-9,
    );
    return {
      rows: M().asking,
      columns: M().answering,
      low: -high,
      high,
      value: cell,
      colour: (x) => scoreColour(x, high),
      label: `M of ${view.inside.name}: which kind asks which`,
      tell: (i, j) => `${M().asking[i]} → ${M().answering[j]}\n${figure(cell(i, j))}`,
    };
  };
  const waits = (width) => drawing(width, 40, 'not measured yet');
  const roles = frame({
    name: 'roles',
    file: () => `roles-${view.inside.name}`,
    title: () => `M of ${view.inside?.name}: which kind asks which`,
    rows: () => (M() ? mapRows(map()) : [['']]),
    note: () =>
      `Step ${whole(M()?.step ?? 0)}${headNames(view.run).length > 1 ? ', last layer, head 1' : ''}. x M xᵀ / √d_k, with x the mean over tokens of each kind; each row less its mean`,
    draw: (width) => (M() ? drawMap(width, map()) : waits(width)),
  });
  const spectrum = frame({
    name: 'singular-values',
    file: () => `singular-values-${view.inside.name}`,
    title: () => `Singular values of M, ${view.inside?.name}`,
    note: () =>
      `Symmetry of M: ${figure(M()?.symmetry)}. 1 means symmetric, 0 unrelated to its transpose, −1 antisymmetric`,
    draw: (width) =>
      M()
        ? drawSpectrum(width, {
            label: `Singular values of M, ${view.inside.name}`,
            colour: view.inside.colour,
            values: M().singular,
            rank: M().d_k || M().singular.length,
          })
        : waits(width),
    rows: () => [['number', 'singular value'], ...(M()?.singular ?? []).map((x, i) => [i + 1, x])],
  });
  return [roles, spectrum];
}
