// A sentence that somebody types: what the arms make of it, while they train.

// What stands in the box until somebody types.
const TYPED = {
  pronoun: 'the tired king gave the boat to the nun so he smiled .',
  search: 'bread:otter rivers:heron rivers? bread?',
  heads: 'The/DET train/NOUN stops/VERB here/ADV ./PUNCT',
  coref: 'Lena/PROPN/nsubj/Sing guards/VERB/root the/DET/det/_ box/NOUN/obj/Sing and/CCONJ/cc/_ she/PRON/nsubj/Sing.Fem.3',
  own: 'The king gave the queen a crown, and she smiled. | she -> ?',
  text: 'the king',
};

function typedSection(grid) {
  const wrong = h('p', { class: 'wrong', role: 'alert', hidden: true });
  const chips = h('div', { class: 'chips', role: 'group', 'aria-label': 'words that are known' });
  page.typed = h('input', {
    type: 'text',
    id: 'typed',
    class: 'command',
    spellcheck: 'false',
    autocapitalize: 'off',
    'aria-label': 'a sentence of your own',
    value: TYPED.pronoun,
    oninput: () => view.run?.ask(page.typed.value),
  });
  const add = (word) => {
    page.typed.value = `${page.typed.value.trimEnd()} ${word}`.trimStart();
    view.run.ask(page.typed.value);
  };
  page.suggest = () => {
    const task = taskOf(view.run.parsed);
    if (page.typedFor && page.typedFor !== task) page.typed.value = TYPED[task] ?? '';
    page.typedFor = task;
    chips.replaceChildren(
      ...view.run.known
        .filter((word) => !word.startsWith('<'))
        .slice(0, 120)
        .map((word) =>
          h('button', { type: 'button', class: 'small', onclick: () => add(word) }, word),
        ),
    );
    view.run.ask(page.typed.value);
  };
  page.answered = () => {
    const error = view.right?.answer?.error;
    wrong.hidden = !error;
    wrong.textContent = error ?? '';
    grid.hidden = Boolean(error);
  };
  return section(
    'type',
    'Type a sentence',
    'The arms answer at once, and go on answering while they train.',
    h('div', { class: 'bar line' }, page.typed),
    wrong,
    h('details', { class: 'known' }, h('summary', {}, 'words that are known'), chips),
    grid,
  );
}

// ---- its pictures ------------------------------------------------------------------------------

function typedFrames(side, focus) {
  const arm = () => view[side];
  const said = () => arm()?.answer;
  const n = () => said().columns.length;
  const headMap = () => {
    const [layer, head] = view.heads[side].split('.').map((x) => x - 1);
    return said().attention[layer]?.[head] ?? said().attention.at(-1)[0];
  };
  const value = (i, j) => headMap()[i * n() + j];
  const answers = () =>
    said()
      .answers.map(({ row, word, probability }) => {
        const right = said().targets[row];
        const truth = right >= 0 ? (said().contents?.[right] ?? said().columns[right]) : null;
        const mark = truth === null ? '' : truth === word ? ' ✓' : ' ✗';
        return `${said().rows[row]} → ${word} ${figure(probability, 2)}${mark}`;
      })
      .join(' · ');
  const words = () => ({ ...said(), columns: said().titles ?? said().columns });
  const told = () =>
    said() && !said().error && focus.row < said().rows.length && focus.column < n()
      ? tellFocus(focus, words(), value, wordOf(view.run))
      : null;
  return frame({
    name: `typed-${side}`,
    file: () => `typed-${arm().name}`,
    title: () => armTitle(arm()),
    note: () =>
      !said() || said().error
        ? null
        : [`step ${whole(said().step)}`, answers() || said().note].filter(Boolean).join(' · '),
    said: () => told() ?? HINT,
    rows: () =>
      said() && !said().error
        ? mapRows({ rows: said().rows, columns: said().columns, value })
        : [['']],
    draw: (width) => {
      if (!said() || said().error) return drawing(width, 10, 'nothing to draw');
      const { rows, columns, targets, titles, relations, cycle } = said();
      return drawArcs(width, {
        rows,
        columns: titles ?? columns,
        targets,
        separate: Boolean(titles),
        value,
        kind: (i) => (cycle[i] ? 'cycle' : 'good'),
        label: `What each word of your sentence attends to: ${arm().name}`,
        focus,
        said: told,
      });
    },
  });
}
