// The theorem by hand: three words, nine scores, and three kinds of score. No model, no data.

const THREE = ['giver', 'gift', 'receiver'];
const MOST = 6; // of a score, either way
const next3 = (i) => (i + 1) % 3;

const KINDS = {
  free: 'Each of the nine scores is free. Separate queries and keys can make any nine scores. The NLL goes to 0.',
  symmetric:
    'S_ij = S_ji. The loss of row i is at least log(1 + e^d): d is its score for the wrong word minus its score ' +
    'for the right word. Around the cycle the three d sum to 0. So the mean loss is at least log(1 + 1) = ln 2.',
  square:
    'S_ij = k_i · k_j: each word has one key, and a score is the product of two keys. Now the score of a word for ' +
    'itself counts too. Around the cycle the three S_ii − S_ij sum to half the squared distances between the keys, ' +
    'which is never below 0. So the mean loss is at least log(1 + 1 + 1) = ln 3.',
};

// S_ij and e^d as they are set.
const set = (text) =>
  text
    .split(/(_[a-z]+|\^[a-z])/)
    .map((part) =>
      part[0] === '_'
        ? h('sub', {}, part.slice(1))
        : part[0] === '^'
          ? h('sup', {}, part.slice(1))
          : part,
    );

const softmax3 = (row) => {
  const e = row.map((x) => Math.exp(x - Math.max(...row))),
    sum = e.reduce((a, b) => a + b);
  return e.map((x) => x / sum);
};
const nll3 = (S) => S.reduce((sum, row, i) => sum - Math.log(softmax3(row)[next3(i)]) / 3, 0);

// Eigenvalues and, as columns, eigenvectors of a symmetric matrix, by Jacobi's rotations.
function eigen3(matrix) {
  const A = matrix.map((row) => [...row]),
    V = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
  for (let sweep = 0; sweep < 12; sweep++)
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      if (Math.abs(A[p][q]) < 1e-14) continue;
      const angle = Math.atan2(2 * A[p][q], A[q][q] - A[p][p]) / 2,
        [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (let k = 0; k < 3; k++)
        [A[k][p], A[k][q]] = [c * A[k][p] - s * A[k][q], s * A[k][p] + c * A[k][q]];
      for (let k = 0; k < 3; k++)
        [A[p][k], A[q][k]] = [c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]];
      for (let k = 0; k < 3; k++)
        [V[k][p], V[k][q]] = [c * V[k][p] - s * V[k][q], s * V[k][p] + c * V[k][q]];
    }
  return { values: [0, 1, 2].map((k) => A[k][k]), vectors: V };
}

// The nearest scores of that kind: the mean with the mirror image; of that, what no negative eigenvalue
// is part of.
function nearestOf(kind, S) {
  const limit = (x) => Math.min(Math.max(x, -MOST), MOST);
  if (kind === 'free') return S.map((row) => row.map(limit));
  const mean = S.map((row, i) => row.map((x, j) => (x + S[j][i]) / 2));
  if (kind === 'symmetric') return mean.map((row) => row.map(limit));
  const { values, vectors } = eigen3(mean);
  const kept = values.map((x) => Math.min(Math.max(x, 0), MOST));
  return mean.map((row, i) =>
    row.map((_, j) => kept.reduce((sum, x, k) => sum + x * vectors[i][k] * vectors[j][k], 0)),
  );
}

function stepOf(kind, S, rate = 2) {
  const moved = S.map((row, i) => {
    const A = softmax3(row);
    return row.map((x, j) => x - (rate / 3) * (A[j] - (j === next3(i) ? 1 : 0)));
  });
  return nearestOf(kind, moved);
}

function theorem() {
  const state = { kind: 'symmetric', S: null, curve: [], playing: 0 };
  const cells = [];
  const begin = () => {
    const draw = () => 4 * Math.random() - 2;
    state.S = nearestOf(
      state.kind,
      THREE.map(() => THREE.map(draw)),
    );
    state.curve = [[0, nll3(state.S)]];
  };
  begin();
  const A = (i, j) => softmax3(state.S[i])[j];
  const apart = THREE.map((word) => `\u2003${word}\u2003`); // the arcs want room
  const asks = {
    rows: apart,
    columns: apart,
    targets: [1, 2, 0],
    separate: false,
    kind: () => 'cycle',
  };
  const focus = new Focus(() => arcs.refresh());
  const said = () => tellFocus(focus, { rows: THREE, columns: THREE, targets: [1, 2, 0] }, A);
  const arcs = frame({
    name: 'theorem-arcs',
    title: 'What each of the three attends to',
    note: () => {
      const right = state.S.filter((row, i) => row.indexOf(Math.max(...row)) === next3(i)).length;
      return `${right} of 3 right · attention NLL ${figure(nll3(state.S), 4)}`;
    },
    rows: () => mapRows({ rows: THREE, columns: THREE, value: A }),
    said: () => said() ?? HINT,
    draw: (width) =>
      drawArcs(width, {
        ...asks,
        value: A,
        focus,
        said,
        label: 'What each of the three words attends to',
      }),
  });
  const chart = () => ({
    label: 'attention NLL of the three over the steps',
    series: [{ name: state.kind, colour: 'var(--ink)', points: state.curve }],
    steps: Math.max(120, state.curve.at(-1)[0]),
    low: 0,
    rules: [
      { value: Math.log(3), text: 'ln 3: square' },
      { value: Math.LN2, text: 'ln 2: symmetric' },
    ],
  });
  const nll = frame({
    name: 'theorem-nll',
    title: 'Attention NLL',
    note: () => 'In nats, mean over the three words',
    rows: () => chartRows(chart()),
    draw: (width) => drawChart(width, chart(), chart),
  });
  const words = h('p', { class: 'soft' });
  const show = () => {
    cells.forEach(({ i, j, input, shade, text }) => {
      input.value = state.S[i][j];
      shade.style.background = weightColour(A(i, j));
      text.textContent = figure(state.S[i][j], 2);
    });
    words.replaceChildren(...set(KINDS[state.kind]));
    arcs.refresh();
    nll.refresh();
  };
  const drag = (i, j, value) => {
    stop();
    state.S[i][j] = value;
    if (state.kind !== 'free') state.S[j][i] = value;
    state.S = nearestOf(state.kind, state.S);
    state.curve.push([state.curve.at(-1)[0] + 1, nll3(state.S)]);
    show();
  };
  const train = h(
    'button',
    { class: 'button', type: 'button', onclick: () => (state.playing ? stop() : go()) },
    'train',
  );
  const stop = () => {
    cancelAnimationFrame(state.playing);
    state.playing = 0;
    train.textContent = 'train';
  };
  const go = () => {
    train.textContent = 'pause';
    const end = state.curve.at(-1)[0] + 300;
    const on = () => {
      state.S = stepOf(state.kind, state.S);
      state.curve.push([state.curve.at(-1)[0] + 1, nll3(state.S)]);
      show();
      if (state.curve.at(-1)[0] < end && !document.hidden)
        state.playing = requestAnimationFrame(on);
      else stop();
    };
    state.playing = requestAnimationFrame(on);
  };
  const again = () => {
    stop();
    begin();
    show();
  };
  const grid = h(
    'table',
    { class: 'nine' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('td', {}),
        THREE.map((word) => h('th', { scope: 'col' }, word)),
      ),
    ),
    h(
      'tbody',
      {},
      THREE.map((word, i) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, word),
          THREE.map((other, j) => {
            const input = h('input', {
              type: 'range',
              min: -MOST,
              max: MOST,
              step: 0.05,
              'aria-label': `score ${word} → ${other}`,
              oninput: () => drag(i, j, Number(input.value)),
            });
            const shade = h('span', { class: 'shade' }),
              text = h('span', { class: 'score' });
            cells.push({ i, j, input, shade, text });
            return h('td', { class: j === next3(i) ? 'right' : null }, shade, text, input);
          }),
        ),
      ),
    ),
  );
  const nine = {
    element: h(
      'figure',
      { 'data-figure': 'nine' },
      h(
        'figcaption',
        {},
        h('h3', {}, 'Nine scores'),
        h(
          'p',
          {},
          'A row asks, a column answers. Frame: the right word. Blue: the weight after softmax',
        ),
      ),
      grid,
    ),
    redraw: show,
  };
  const element = section(
    'theorem',
    'The theorem, by hand',
    'Each of three words should find the next one. Nine scores decide. Drag the scores, or train them. Gradient descent changes the scores themselves, so no model with scores of this kind can do better.',
    h(
      'div',
      { class: 'bar' },
      choice('kind of score', Object.keys(KINDS), state.kind, (kind) => {
        state.kind = kind;
        again();
      }),
      train,
      h(
        'button',
        {
          class: 'button',
          type: 'button',
          onclick: () => {
            stop();
            state.S = stepOf(state.kind, state.S);
            state.curve.push([state.curve.at(-1)[0] + 1, nll3(state.S)]);
            show();
          },
        },
        'one step',
      ),
      h('button', { class: 'button', type: 'button', onclick: again }, 'other scores'),
    ),
    words,
    h(
      'div',
      { class: 'grid three' },
      nine.element,
      arcs.element,
      nll.element,
    ),
  );
  show();
  return { element, pictures: [nine, arcs, nll] };
}
