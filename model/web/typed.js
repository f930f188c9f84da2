// A sentence that somebody types, and what the arms make of it. The playground asks arms in training, the
// report those of its run.

// What stands in the box until somebody types.
const TYPED = {
  pronoun: 'the tired king gave the boat to the nun so he smiled .',
  search: 'bread:otter rivers:heron rivers? bread?',
  recall: 'ba:17 ko:4 mi:60 tu:23 le:8 ga:35 no:51 pi:12 mi? ba? pi? tu? ko? no? ga? le?',
  heads: 'The/DET train/NOUN stops/VERB here/ADV ./PUNCT',
  coref: 'Lena/PROPN/nsubj/Sing guards/VERB/root the/DET/det/_ box/NOUN/obj/Sing and/CCONJ/cc/_ she/PRON/nsubj/Sing.Fem.3',
  own: 'The king gave the queen a crown, and she smiled. | she -> ?',
  text: 'the king',
};
const MOST_CHIPS = 120;

// The section. ask(sentence): it was typed; text: below the heading; grid: holds the pictures.
//   offer({ kind, known, sentence }): another kind of sentences comes with other words;
//   tell(answer): what became of the sentence
function typedBox({ grid, text, ask, open = false }) {
  const wrong = h('p', { class: 'wrong', role: 'alert', hidden: true });
  const chips = h('div', { class: 'chips', role: 'group', 'aria-label': 'words that are known' });
  const input = h('input', {
    type: 'text',
    id: 'typed',
    class: 'command',
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
    'aria-label': 'a sentence of your own',
    oninput: () => ask(input.value),
  });
  const type = (sentence) => {
    input.value = sentence;
    ask(sentence);
  };
  const small = (word, onclick) => h('button', { type: 'button', class: 'small', onclick }, word);
  let kind = null;
  const offer = (of) => {
    if (kind !== of.kind) input.value = of.sentence ?? TYPED[of.kind] ?? '';
    kind = of.kind;
    chips.replaceChildren(
      ...of.known
        .filter((word) => !word.startsWith('<'))
        .slice(0, MOST_CHIPS)
        .map((word) => small(word, () => type(`${input.value.trimEnd()} ${word}`.trimStart()))),
    );
    ask(input.value);
  };
  const tell = (answer) => {
    wrong.hidden = !answer?.error;
    wrong.textContent = answer?.error ?? '';
    grid.hidden = Boolean(answer?.error);
  };
  const clear = small('clear', () => {
    type('');
    input.focus();
  });
  const element = section(
    'type',
    'Type a sentence',
    text,
    h('div', { class: 'bar line' }, input, clear),
    wrong,
    h('details', { class: 'known', open }, h('summary', {}, 'words that are known'), chips),
    grid,
  );
  return { element, input, offer, tell };
}

const missingText = (arm) => `It does not answer in this page: ${arm.missing}.`;

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
    title: () => [dot(arm().colour), `${arm().name}, your sentence`],
    note: () =>
      !said() || said().error
        ? (arm().missing ? missingText(arm()) : null)
        : [
            said().step === undefined ? null : `step ${whole(said().step)}`,
            headNames(view.run).length > 1 ? headText(view.heads[side]) : null,
            answers() ? `answers: ${answers()}` : said().note,
          ]
            .filter(Boolean)
            .join(' · '),
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
