// The claim, the table of arms, and the table of their questions. Each section is a function that
// returns an element, or null if the run has no such data.

// What a token attends to.
const wordOf = (run) => (run.text ? 'character' : run.contents ? 'page' : 'word');

// The most frequent relations first.
function relationNames(run) {
  const questions = Object.entries(run.arms[0].end.relations).map(([name, of]) => [
    name,
    of.questions,
  ]);
  return questions.sort(([, a], [, b]) => b - a).map(([name]) => name);
}

// Begins with a capital, unless the first word is the name of an arm.
function sentenceStart(text, run) {
  const first = text.match(/^[\w-]*/)[0];
  const named = run.arms.some(({ name }) => name === first);
  return named ? text : text.replace(/^./, (c) => c.toUpperCase());
}

function head(run) {
  const [first, ...rest] = (run.claim || `A run of ${run.summary.task}.`).split(
    /(?<=\.) (?=[A-Za-z])/,
  );
  return [
    h(
      'p',
      { class: 'over' },
      h('b', {}, 'qkv'),
      ` · ${run.summary.task} · ${run.question ?? ''} · seed `,
      String(run.summary.seed),
    ),
    h('h1', {}, first),
    rest.length
      ? h(
          'p',
          { class: 'lede' },
          sentenceStart(rest.join(' '), run),
        )
      : null,
  ];
}

// key in summary.json, heading, decimals, which end is better
const COLUMNS = [
  ['parameters', 'parameters', 0, null],
  ['loss', 'loss', 3, 'low'],
  ['attention_accuracy', 'attention accuracy', 3, 'high'],
  ['accuracy', 'accuracy', 3, 'high'],
  ['cycle_attention_accuracy', 'attention accuracy, cycle', 3, 'high'],
  ['cycle_accuracy', 'accuracy, cycle', 3, 'high'],
  ['attention_nll', 'attention NLL', 3, 'low'],
  ['asymmetry', 'asymmetry', 3, null],
  ['circulation', 'circulation', 3, null],
  ['seconds', 'seconds', 1, null],
];

function armName(arm, formula = true) {
  return h(
    'th',
    { scope: 'row' },
    h('span', { class: 'dot', style: `background:${arm.colour};border-color:${arm.colour}` }),
    arm.name,
    formula ? h('span', { class: 'formula' }, arm.formula ?? '') : null,
  );
}

function scrolling(label, table) {
  return h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': label }, table);
}

function armsTable(run) {
  const columns = COLUMNS.filter(
    ([key]) =>
      run.arms.some((arm) => arm.end[key] !== null) && !(key === 'loss' && run.points_at_answer), // it is the NLL
  );
  const best = ([key, , , better]) => {
    const values = run.arms.map((arm) => arm.end[key]).filter((x) => x !== null);
    return better && run.arms.length > 1
      ? (better === 'low' ? Math.min : Math.max)(...values)
      : null;
  };
  const baselines = Object.entries(run.summary.baselines ?? {});
  return h(
    'table',
    {},
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, 'arm'),
        columns.map(([, name]) => h('th', { scope: 'col' }, name)),
      ),
    ),
    h(
      'tbody',
      {},
      run.arms.map((arm) =>
        h(
          'tr',
          {},
          armName(arm),
          columns.map((column) => {
            const [key, , decimals] = column;
            const value = arm.end[key];
            return h(
              'td',
              { class: value !== null && value === best(column) ? 'best' : null },
              key === 'parameters' ? whole(value) : figure(value, decimals),
            );
          }),
        ),
      ),
      baselines.map(([name, accuracy]) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row', class: 'soft' }, `“${name}”`),
          columns.map(([key]) =>
            h('td', { class: 'soft' }, key === 'attention_accuracy' ? figure(accuracy) : ''),
          ),
        ),
      ),
    ),
  );
}

function relationsTable(run) {
  const names = relationNames(run);
  if (names.length < 2) return null;
  const share = (relation) =>
    [relation.attention_accuracy, relation.accuracy]
      .filter((x) => x !== null)
      .map((x) => figure(x, 2))
      .join(' / ');
  const reads = run.arms.some((arm) => arm.end.accuracy !== null);
  return h(
    'details',
    { class: 'long', open: names.length <= 12 },
    h(
      'summary',
      {},
      reads ? 'Attention accuracy / accuracy, by question' : 'Attention accuracy, by question',
    ),
    scrolling(
      'by question',
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, 'asked by the'),
            h('th', { scope: 'col' }, 'questions'),
            run.arms.map((arm) => h('th', { scope: 'col' }, arm.name)),
          ),
        ),
        h(
          'tbody',
          {},
          names.map((name) =>
            h(
              'tr',
              {},
              h(
                'th',
                { scope: 'row' },
                name,
                run.cycle_relations.includes(name) ? h('span', { class: 'tag' }, 'cycle') : null,
              ),
              h('td', { class: 'soft' }, whole(run.arms[0].end.relations[name].questions)),
              run.arms.map((arm) =>
                h('td', {}, arm.end.relations[name] ? share(arm.end.relations[name]) : '–'),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

function arms(run) {
  const text = run.text
    ? 'Loss is in nats per character. Accuracy is how often the most probable character is the right one. Both are measured on held-out text.'
    : `Attention accuracy: how often the largest attention weight is on the right ${wordOf(run)}. ` +
      (run.alike
        ? 'Accuracy: how often it is on any earlier word for the same person or thing. '
        : run.points_at_answer
          ? ''
          : `Accuracy: how often the model’s answer is right. `) +
      `Attention NLL: −log of the attention weight on the right ${wordOf(run)}, in nats${run.has_cycle ? ', averaged over the questions of the cycle' : ''}. ` +
      (run.has_cycle
        ? 'The cycle: questions i → j → k → i, in which each of three words asks for the next. '
        : '') +
      `All figures are measured on questions that the model was ${run.measured_on_training ? 'trained on' : 'not trained on'}.`;
  return section(
    'arms',
    'What each arm learned',
    `${text} Below the name of an arm: its score, then its value.` +
      (run.arms.some((arm) => arm.name === 'sym')
        ? ' B in sym is a trained matrix without restriction; (B + Bᵀ)/2 is always symmetric.'
        : ''),
    scrolling('the arms', armsTable(run)),
    relationsTable(run),
  );
}
