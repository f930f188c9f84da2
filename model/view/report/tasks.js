// Sections that only one task has, and how the run was made.

function pages(run) {
  if (!run.contents || run.fold > 1) return null;
  const answers = run.arms.map((arm) =>
    run.rows.map((_, i) => {
      return mostOf(rowOf(mapOf(arm, arm.frames.length - 1, bestHead(run, arm)), i, run.columns.length));
    }),
  );
  return section(
    'pages',
    'Queries and pages',
    'Each row is a query. It shows the page with that title, what that page says, and the page that each arm attends to most.',
    scrolling(
      'queries and pages',
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ['query', 'right page', 'its content', ...run.arms.map(({ name }) => name)].map((name) =>
              h('th', { scope: 'col' }, name),
            ),
          ),
        ),
        h(
          'tbody',
          {},
          run.rows.map((row, i) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, row),
              h('td', {}, run.titles[run.targets[i]]),
              h('td', {}, run.contents[run.targets[i]]),
              answers.map((answer) =>
                h(
                  'td',
                  { class: answer[i] === run.targets[i] ? 'best' : 'soft' },
                  `${run.titles[answer[i]]}${answer[i] === run.targets[i] ? ' ✓' : ''}`,
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

function relations(run) {
  if (!run.points_at_answer) return null;
  const names = relationNames(run);
  const rules = Object.entries(run.summary.baselines); // [name, accuracy], in the order of run.baselines
  const drawn = rules
    .map(([name, accuracy], k) => ({ name, accuracy, k }))
    .sort((a, b) => rules.length > 2 && b.accuracy - a.accuracy)
    .slice(0, 2); // more lines could not be told apart
  const groups = () =>
    names.map((name) => {
      const [questions, ...right] = run.baselines[name] ?? [0];
      return {
        name,
        note: whole(run.arms[0].end.relations[name].questions),
        values: run.arms.map((arm) => arm.end.relations[name]?.attention_accuracy ?? null),
        marks: questions
          ? drawn.map((rule) => ({ text: rule.name, value: right[rule.k] / questions }))
          : [],
      };
    });
  const bars = frame({
    name: 'relations',
    title: run.alike ? 'Attention accuracy by pronoun' : 'Attention accuracy by relation',
    note: () =>
      `The number on the right counts the questions. Thin line: the score of always answering “${drawn[0]?.name}”. Thick line: of “${drawn[1]?.name}”.`,
    draw: (width) =>
      drawBars(width, {
        label: 'Attention accuracy by relation, for each arm and two baselines',
        series: run.arms,
        groups: groups(),
      }),
    rows: () => [
      ['relation', 'questions', ...run.arms.map(({ name }) => name), ...drawn.map(({ name }) => name)],
      ...groups().map(({ name, note, values, marks }) => [
        name,
        note.replaceAll(',', ''),
        ...values,
        ...drawn.map((_, k) => marks[k]?.value),
      ]),
    ],
  });
  return section(
    'relations',
    run.alike ? 'Accuracy by pronoun' : 'Accuracy by relation',
    run.alike
      ? 'Each bar is the share of questions of that pronoun in which the right word gets the largest attention weight. The two lines are rules that need no model, the best two of them.'
      : 'Each bar is the share of words of that relation whose head gets the largest attention weight. The two baselines do not look at the words.',
    h(
      'p',
      { class: 'key' },
      run.arms.map((arm) =>
        h(
          'span',
          {},
          h('span', { class: 'dot', style: `background:${arm.colour};border-color:${arm.colour}` }),
          arm.name,
        ),
      ),
    ),
    h(
      'div',
      { class: 'grid', style: 'grid-template-columns:minmax(0,1fr);margin-top:14px' },
      bars.element,
    ),
  );
}

function text(run) {
  if (!run.text) return null;
  const samples = run.arms
    .filter((arm) => arm.sample)
    .map((arm) => {
      const [given, drawn] = arm.sample.split('\u0001');
      return [
        h('h3', { style: 'margin:28px 0 10px' }, `Text written by ${arm.name}`),
        h('pre', {}, h('span', { class: 'given' }, given), drawn),
      ];
    });
  if (!samples.length) return null;
  return section(
    'text',
    'Generated text',
    'The first characters are from the held-out text. The model writes the rest; it draws each character at temperature 0.8.',
    samples,
  );
}

function made(run, bytes) {
  const rows = [
    ['seed', run.summary.seed],
    ['version', run.version],
    ['threads', run.threads],
    ['seconds', `${figure(run.seconds, 1)}, measurements included`],
    ['snapshots', run.arms[0].steps.length],
    ['this page', `${bytesText(bytes)}, one file, works offline`],
    ...(run.weights ? [['weights in it', weightsText(run.weights)]] : []),
  ];
  const copied = h(
    'button',
    {
      class: 'small',
      type: 'button',
      onclick: async () => {
        await navigator.clipboard?.writeText(run.summary.command);
        copied.textContent = 'copied';
      },
    },
    'copy',
  );
  const answers = byId('notices')
    ? h(
        'details',
        {},
        h('summary', { class: 'soft' }, 'Licences of the C that answers in this page'),
        h('pre', {}, byId('notices').textContent.trim()),
      )
    : h(
        'p',
        { class: 'soft' },
        'This page can also answer sentences that you type: run ',
        h('code', {}, 'make playground && make'),
        ', then ',
        h('code', {}, `./train report ${folderOf(run)}`),
        '.',
      );
  return section(
    'made',
    'How it was made',
    null,
    h('pre', {}, run.summary.command),
    copied,
    h(
      'dl',
      {},
      rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, String(value))]),
    ),
    h(
      'div',
      { class: 'bar' },
      [
        ['metrics.csv', run.metrics],
        ['symmetry.csv', run.symmetry],
      ].map(([name, text]) =>
        h(
          'button',
          { class: 'button', type: 'button', onclick: () => download(name, 'text/csv', text) },
          `save ${name}`,
        ),
      ),
    ),
    answers,
  );
}
