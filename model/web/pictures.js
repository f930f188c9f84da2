// What the playground draws beside the report's own pictures: M, of the arm that is looked into.

view.inside = null;

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
