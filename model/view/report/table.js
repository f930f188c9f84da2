// The claim, the table of arms, and that of their questions. Each section is a function that gives an
// element, or null where the run has no such thing.

// The most frequent relations first.
function relationNames(run) {
  const questions = Object.entries(run.arms[0].end.relations).map(([name, of]) => [
    name,
    of.questions,
  ]);
  return questions.sort(([, a], [, b]) => b - a).map(([name]) => name);
}

// With a capital, unless it begins with the name of an arm.
function sentenceStart(text, run) {
  const first = text.match(/^[\w-]*/)[0];
  const named = run.arms.some(({ name }) => name === first);
  return named ? text : text.replace(/^./, (c) => c.toUpperCase());
}

function head(run) {
  const [first, ...rest] = (run.claim || `A run of ${run.summary.task}.`).split(
    /(?<=[.;]) (?=[A-Za-z])/,
  );
  return [
    h(
      'p',
      { class: 'over' },
      h('b', {}, 'qkv'),
      ` · ${run.summary.task} · ${run.asked ?? ''} · seed `,
      String(run.summary.seed),
    ),
    h('h1', {}, first.replace(/;$/, '.')),
    rest.length
      ? h(
          'p',
          { class: 'lede' },
          sentenceStart(rest.join(' '), run),
        )
      : null,
  ];
}

// name, decimals, which end is better
const COLUMNS = [
  ['parameters', 'parameters', 0, null],
  ['loss', 'loss', 3, 'low'],
  ['found', 'found', 3, 'high'],
  ['answered', 'answered', 3, 'high'],
  ['cycle_found', 'cycle found', 3, 'high'],
  ['cycle_answered', 'cycle answered', 3, 'high'],
  ['surprise', 'surprise', 3, 'low'],
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
  const columns = COLUMNS.filter(([key]) => run.arms.some((arm) => arm.end[key] !== null));
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
      baselines.map(([name, found]) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row', class: 'soft' }, `“${name}”`),
          columns.map(([key]) => h('td', { class: 'soft' }, key === 'found' ? figure(found) : '')),
        ),
      ),
    ),
  );
}

function relationsTable(run) {
  const names = relationNames(run);
  if (names.length < 2) return null;
  const share = (relation) =>
    [relation.found, relation.answered]
      .filter((x) => x !== null)
      .map((x) => figure(x, 2))
      .join(' / ');
  const answered = run.arms.some((arm) => arm.end.answered !== null);
  return [
    h(
      'h3',
      { style: 'margin-top:34px' },
      answered ? 'Found / answered, by question' : 'Found, by question',
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
            h('th', { scope: 'col' }, 'question of the'),
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
  ];
}

function arms(run) {
  const text = run.text
    ? 'Loss is in nats a character, on text that was held out; answered: how often the likeliest character is the right one.'
    : 'Found: the largest weight of the attention is on the right word. ' +
      (run.points ? '' : 'Answered: what is read out is the right word. ') +
      `Surprise: −log of the weight on the right word${run.cycle ? ', over the cycle' : ''}. All on questions that were ${run.seen ? 'trained on' : 'held out'}.`;
  return section(
    'arms',
    'What each arm learned',
    text,
    scrolling('the arms', armsTable(run)),
    relationsTable(run),
  );
}
