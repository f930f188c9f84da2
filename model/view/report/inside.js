// Inside the scores: S and its halves, M, and all layers and heads.

// Names the head whose M is shown, if there are several heads.
function whereM(run) {
  const { layers } = run.arms[0];
  if (layers.flat().length < 2) return '';
  return layers.length > 1 ? 'Last layer, head 1. ' : 'Head 1. ';
}

function inside(run) {
  let arm = run.arms.at(-1),
    head = 0;
  const n = run.rows.length,
    m = run.columns.length;
  const S = (i, j) => arm.scores[head][i * m + j];
  const most = () => Math.max(...arm.scores[head].map(Math.abs), 1e-9);
  const halves = [
    { name: 'scores', title: 'S, the scores', value: S, note: () => 'Before mask and softmax' },
    {
      name: 'symmetric',
      title: '(S + Sᵀ)/2, the symmetric part',
      value: (i, j) => (S(i, j) + S(j, i)) / 2,
    },
    {
      name: 'antisymmetric',
      title: '(S − Sᵀ)/2, the part with a direction',
      value: (i, j) => (S(i, j) - S(j, i)) / 2,
    },
  ].slice(0, run.separate ? 1 : 3);
  const part = (value) => norm(run.rows.flatMap((_, i) => run.columns.map((__, j) => value(i, j))));
  const maps = halves.map(({ name, title, value, note }) => {
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
        (() => `Norm ${figure(part(value))}, which is ${figure(part(value) / (part(S) || 1))} of the norm of S`),
    });
  });
  const where = whereM(run); // M of one head only is in the files
  // Each row less its mean: the softmax ignores what is added to all scores of a query.
  const M = (i, j) => {
    const row = arm.M.roles.slice(i * arm.key_roles.length, (i + 1) * arm.key_roles.length);
    return row[j] - row.reduce((sum, x) => sum + x, 0) / row.length;
  };
  const rolesMap = () => {
    const high = Math.max(
      ...arm.query_roles.flatMap((_, i) => arm.key_roles.map((__, j) => Math.abs(M(i, j)))),
      1e-9,
    );
    return {
      rows: arm.query_roles,
      columns: arm.key_roles,
      low: -high,
      high,
      value: M,
      colour: (x) => scoreColour(x, high),
      label: `M of ${arm.name}, by role`,
      tell: (i, j) => `${arm.query_roles[i]} → ${arm.key_roles[j]}\n${figure(M(i, j))}`,
    };
  };
  const roles = frame({
    name: 'roles',
    file: () => `roles-${arm.name}`,
    title: () => `M of ${arm.name}: how strongly each role scores each other role`,
    rows: () => mapRows(rolesMap()),
    note: () =>
      `${where}Entry (r, s) is u_r M u_sᵀ / √d_k, where u_r is the mean of X over the tokens of role r. The mean of each row is subtracted.`,
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
  const redraw = () => [...maps, roles, spectrum].forEach((one) => one.redraw());
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
    h(
      'div',
      { class: 'grid three' },
      maps.map((one) => one.element),
    ),
    h('div', { class: 'grid', style: 'margin-top:28px' }, roles.element, spectrum.element),
  );
}


function smallMap(run, weights) {
  const canvas = h('canvas', {
    width: run.columns.length,
    height: run.rows.length,
    'aria-hidden': true,
  });
  const context = canvas.getContext('2d');
  canvas.paint = () =>
    weights.forEach((weight, cell) => {
      context.fillStyle = weightColour(weight / 1e4);
      context.fillRect(cell % run.columns.length, Math.floor(cell / run.columns.length), 1, 1);
    });
  canvas.paint();
  return canvas;
}

function layers(run) {
  if (run.arms[0].layers.flat().length < 2) return null;
  let arm = run.arms.at(-1),
    layer = 0,
    head = 0;
  const grid = h('div', { class: 'heads' });
  const large = frame({
    name: 'one-head',
    file: () => `${arm.name}-layer-${layer + 1}-head-${head + 1}`,
    title: 'The selected head',
    note: () => `${arm.name}, layer ${layer + 1}, head ${head + 1}`,
    draw: (width) =>
      drawMap(width, {
        rows: run.rows,
        columns: run.columns,
        targets: run.targets,
        low: 0,
        high: 1,
        value: (i, j) => arm.layers[layer][head][i * run.columns.length + j] / 1e4,
        colour: weightColour,
        label: `Attention of ${arm.name}, layer ${layer + 1}, head ${head + 1}`,
        tell: (i, j) =>
          `${run.rows[i]} → ${run.columns[j]}\n${weightText(arm.layers[layer][head][i * run.columns.length + j])}`,
      }),
    rows: () =>
      mapRows({
        rows: run.rows,
        columns: run.columns,
        value: (i, j) => arm.layers[layer][head][i * run.columns.length + j] / 1e4,
      }),
  });
  const show = () => {
    const most = Math.max(...arm.layers.map((heads) => heads.length));
    grid.style.gridTemplateColumns = `repeat(${most}, minmax(0, 1fr))`;
    grid.replaceChildren(
      ...arm.layers.flatMap((heads, i) =>
        heads.map((weights, k) =>
          h(
            'button',
            {
              type: 'button',
              style: k ? null : 'grid-column-start:1',
              'aria-pressed': String(i === layer && k === head),
              onclick: () => {
                layer = i;
                head = k;
                show();
                large.redraw();
              },
            },
            smallMap(run, weights),
            `layer ${i + 1}, head ${k + 1}`,
          ),
        ),
      ),
    );
  };
  show();
  frames.push({ redraw: show });
  return section(
    'layers',
    'All layers and heads',
    `Attention in the same ${run.text ? 'text' : 'sentence'} at the end of training. Click a head to enlarge it.`,
    h(
      'div',
      { class: 'bar' },
      selectArm(run.arms, arm, (one) => {
        arm = one;
        [layer, head] = [0, 0];
        show();
        large.redraw();
      }),
    ),
    h('div', { class: 'grid' }, grid, large.element),
  );
}

function headSymmetry(run) {
  if (!run.text && run.arms[0].layers.flat().length < 2) return null;
  let arm = run.arms.at(-1);
  const chart = () => {
    const keys = [...new Set(arm.heads.map((point) => `${point.layer}.${point.head}`))];
    const count = Math.max(...arm.heads.map((point) => point.layer));
    return {
      steps: run.steps,
      low: -1,
      top: 1,
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
