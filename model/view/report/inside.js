// Inside the scores: S and its halves, M, and the symmetry of each head.

// Names the head whose M is shown, if there are several heads.
function whereM(run) {
  const { layers } = run.arms[0];
  if (layers.flat().length < 2) return '';
  return layers.length > 1 ? 'Last layer, head 1. ' : 'Head 1. ';
}

// The order of the rows of M. Characters: blanks, vowels, consonants, then all else, so that what one kind
// asks of another stands together. Other roles: as they come.
function orderOf(run, roles) {
  const kind = (role) =>
    /^[aeiou]$/i.test(role) ? 1 : /^\p{L}$/u.test(role) ? 2 : /^[\w\d]$/.test(role) ? 3 : /^[␣\s]$|\\n/.test(role) ? 0 : 4;
  const order = roles.map((_, i) => i);
  if (!run.text) return order;
  return order.sort((a, b) => kind(roles[a]) - kind(roles[b]) || roles[a].localeCompare(roles[b]));
}

function inside(run) {
  let arm = run.arms.at(-1),
    head = 0;
  const n = run.rows.length,
    m = run.columns.length;
  const S = (i, j) => arm.scores[head][i * m + j];
  const most = () => Math.max(...arm.scores[head].map(Math.abs), 1e-9);
  const halves = [
    { name: 'scores', title: 'the scores S', value: S, note: () => 'Before mask and softmax.' },
    {
      name: 'symmetric',
      title: 'symmetric part',
      formula: '(S + Sᵀ)/2',
      value: (i, j) => (S(i, j) + S(j, i)) / 2,
    },
    {
      name: 'antisymmetric',
      title: 'directed part',
      formula: '(S − Sᵀ)/2',
      value: (i, j) => (S(i, j) - S(j, i)) / 2,
    },
  ].slice(0, run.separate ? 1 : 3);
  const part = (value) => norm(run.rows.flatMap((_, i) => run.columns.map((__, j) => value(i, j))));
  const maps = halves.map(({ name, title, formula, value, note }) => {
    const map = () => ({
      rows: run.rows,
      columns: run.columns,
      value,
      low: -most(),
      high: most(),
      colour: (x) => scoreColour(x, most()),
      label: `${arm.name}: ${title}`,
      tell: (i, j) => `${run.rows[i]} → ${run.columns[j]}\n${figure(value(i, j))}`,
    });
    return frame({
      name,
      file: () => `${name}-${arm.name}`,
      title: () => `${arm.name}: ${title}`,
      draw: (width) => drawMap(width, map()),
      rows: () => mapRows(map()),
      note:
        note ??
        (() => `${formula}. Its norm is ${figure(part(value) / (part(S) || 1))} of the norm of S.`),
    });
  });
  const where = whereM(run); // M of one head only is in the files
  // Each row less its mean: the softmax ignores what is added to all scores of a query.
  const M = (i, j) => {
    const row = arm.M.roles.slice(i * arm.key_roles.length, (i + 1) * arm.key_roles.length);
    return row[j] - row.reduce((sum, x) => sum + x, 0) / row.length;
  };
  const rolesMap = () => {
    const [asking, answering] = [arm.query_roles, arm.key_roles].map((roles) => orderOf(run, roles));
    const value = (i, j) => M(asking[i], answering[j]);
    const [rows, columns] = [
      asking.map((i) => arm.query_roles[i]),
      answering.map((j) => arm.key_roles[j]),
    ];
    const high = Math.max(
      ...arm.query_roles.flatMap((_, i) => arm.key_roles.map((__, j) => Math.abs(M(i, j)))),
      1e-9,
    );
    return {
      rows,
      columns,
      low: -high,
      high,
      value,
      colour: (x) => scoreColour(x, high),
      label: `M of ${arm.name}, by role`,
      tell: (i, j) => `${rows[i]} → ${columns[j]}\n${figure(value(i, j))}`,
    };
  };
  const roles = frame({
    name: 'roles',
    file: () => `roles-${arm.name}`,
    title: () => `M of ${arm.name}: how strongly each role scores each other role`,
    rows: () => mapRows(rolesMap()),
    note: () =>
      `${where}Entry (r, s) is u_r M u_sᵀ / √d_k, where u_r is the mean of X over the tokens of role r. The mean of each row is subtracted.${run.text ? ' Characters: blanks, vowels, consonants, others.' : ''}`,
    draw: (width) => drawMap(width, rolesMap()),
  });
  const spectrum = frame({
    name: 'singular-values',
    file: () => `singular-values-${arm.name}`,
    title: () => `Singular values of M, ${arm.name}`,
    note: () =>
      `${where}Symmetry of M, tr(M M) / |M|²: ${figure(arm.M.symmetry)}. 1 means symmetric, −1 antisymmetric, 0 no relation between M and Mᵀ.`,
    draw: (width) =>
      drawSpectrum(width, {
        label: `Singular values of M, ${arm.name}`,
        colour: arm.colour,
        values: arm.M.singular_values,
        rank: arm.d_k,
      }),
    rows: () => [['number', 'singular value'], ...arm.M.singular_values.map((x, i) => [i + 1, x])],
  });
  const redraw = () => drawInRoom([...maps, roles, spectrum]);
  const heads = arm.scores.map((_, k) => String(k + 1));
  return section(
    'inside',
    'Inside the scores',
    run.separate
      ? 'Blue is a positive score, orange a negative score. Queries and pages are different things, so S has no transpose to compare with.'
      : 'Blue is a positive score, orange a negative score. The softmax sees the sum of the two parts. X Xᵀ has only the symmetric part.',
    h(
      'div',
      { class: 'bar' },
      selectArm(run.arms, arm, (one) => {
        arm = one;
        redraw();
      }),
      heads.length > 1
        ? select('head of the last layer', heads, '1', (k) => {
            head = k - 1;
            redraw();
          })
        : null,
    ),
    maps.length > 1
      ? [
          h('div', { class: 'grid three' }, maps.map((one) => one.element)),
          h('div', { class: 'grid', style: 'margin-top:28px' }, roles.element, spectrum.element),
        ]
      : h('div', { class: 'grid three' }, [...maps, roles, spectrum].map((one) => one.element)),
  );
}

function headSymmetry(run) {
  if (!run.text && run.arms[0].layers.flat().length < 2) return null;
  let arm = run.arms.at(-1);
  const chart = () => {
    const keys = [...new Set(arm.heads.map((point) => `${point.layer}.${point.head}`))];
    const count = Math.max(...arm.heads.map((point) => point.layer));
    const values = arm.heads.map((point) => point.symmetry).filter(Number.isFinite);
    return {
      steps: run.steps,
      low: Math.max(-1, Math.min(0, ...values) - 0.05),
      top: Math.min(1, Math.max(0, ...values) + 0.05),
      label: `Symmetry of each head of ${arm.name}`,
      series: keys.map((key) => {
        const points = arm.heads.filter((point) => `${point.layer}.${point.head}` === key);
        return {
          name: key,
          colour: ramp(ramps().weight, 0.25 + (0.75 * points[0].layer) / count),
          points: points.map((point) => [point.step, point.symmetry]),
        };
      }),
    };
  };
  const picture = frame({
    name: 'symmetry',
    file: () => `symmetry-${arm.name}`,
    title: () => `Symmetry of M during training, ${arm.name}`,
    rows: () => chartRows(chart()),
    note: () =>
      'Curves are named layer.head. Symmetry is tr(M M) / |M|²: 1 means symmetric, −1 antisymmetric, 0 no relation between M and Mᵀ.',
    draw: (width) => drawChart(width, chart()),
  });
  return section(
    'heads',
    'Symmetry of each head',
    run.summary.options?.init === 'tied'
      ? 'All heads start at W_Q = W_K, where M is symmetric.'
      : null,
    run.arms.length > 1
      ? h(
          'div',
          { class: 'bar' },
          selectArm(run.arms, arm, (one) => {
            arm = one;
            picture.redraw();
          }),
        )
      : null,
    h('div', { class: 'grid', style: 'grid-template-columns:minmax(0,1fr)' }, picture.element),
  );
}
