// What is trained: the program's command line. It stands in the address, and the C reads it.

const PROGRAM = 'QKV_KERNELS=plain ./train';
// What the sentences in the text area are called: as they come with the program, and once changed.
const [GIVEN, FILE] = ['data/sentences.txt', 'sentences.txt'];

const setting = { words: [], sentences: null, given: null, parsed: null };

// "#pronoun+--arms+sym,qkv", and "&sentences=" with one's own.
function readHash() {
  const [command, ...more] = location.hash.slice(1).split('&');
  const plain = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const own = more.map((part) => part.split('=')).find(([name]) => name === 'sentences');
  return {
    words: wordsOf(plain(command.replaceAll('+', ' '))),
    sentences: own ? plain(own[1]) : null,
  };
}

function writeHash() {
  const { words, sentences, given, parsed } = setting;
  const own = usesFile(parsed) && sentences !== given;
  const plain = (text) => encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%2F', '/');
  const hash = `#${words.map(plain).join('+')}${own ? `&sentences=${plain(sentences)}` : ''}`;
  if (location.hash !== hash) location.replace(hash);
}

// A command as it may be pasted: without what stands before the task.
const wordsOf = (text) =>
  text
    .replace(/^.*\.\/train(\s|$)/, '')
    .trim()
    .split(/\s+/)
    .filter(Boolean);

const commandText = () => [PROGRAM, ...setting.words].join(' ');

const usesFile = (parsed) => Boolean(parsed?.options.sentences || parsed?.options.text);
const taskOf = (parsed) => (parsed.options.sentences ? 'own' : parsed.task);

// The words without an option, and what it was given.
function without(words, option) {
  const at = words.findIndex((word) => word === option || word.startsWith(`${option}=`));
  return at < 0 ? words : words.toSpliced(at, words[at] === option ? 2 : 1);
}

// The words with that value for an option; a default isn't written.
function withOption(words, name, value) {
  const rest = without(words, `--${name}`);
  const usual = page.module.parse(rest).options?.[name];
  return String(usual) === String(value) || value === ''
    ? rest
    : [...rest, `--${name}`, String(value)];
}

const TASKS = [
  { name: 'pronoun', title: 'pronoun', words: ['pronoun'] },
  { name: 'search', title: 'search', words: ['search'] },
  { name: 'recall', title: 'recall', words: ['recall'] },
  { name: 'own', title: 'own sentences', words: ['pronoun', '--sentences', GIVEN] },
  { name: 'heads', title: 'real sentences', words: ['heads'] },
  { name: 'coref', title: 'stories', words: ['coref'] },
];

const FIELDS = [
  { name: 'd-k', title: 'd_k', tip: 'width of a query and a key' },
  { name: 'layers', title: 'layers', tip: '0: the bare head' },
  { name: 'heads', title: 'heads', tip: 'of each layer' },
  { name: 'lr', title: 'learning rate' },
  { name: 'batch', title: 'batch', tip: 'sentences in each step' },
  { name: 'steps', title: 'steps' },
  { name: 'seed', title: 'seed' },
];

// The panel. apply(words, sentences): train that.
function settingsPanel(apply) {
  const change = (name, value) => apply(withOption(setting.words, name, value));
  const tasks = TASKS.map((task) =>
    h(
      'button',
      {
        type: 'button',
        'data-task': task.name,
        onclick: () => {
          const seed = setting.parsed?.options.seed ?? 1;
          apply(withOption(task.words, 'seed', seed));
        },
      },
      task.title,
    ),
  );
  const arms = h('span', { class: 'bar arms', role: 'group', 'aria-label': 'arms' });
  const fields = FIELDS.map(({ name, title, tip }) => {
    const input = h('input', {
      type: 'text',
      inputmode: 'decimal',
      size: 5,
      'data-option': name,
      onchange: () => change(name, input.value.trim()),
    });
    return { name, input, element: h('label', { title: tip }, title, input) };
  });
  const init = h(
    'select',
    { 'data-option': 'init', onchange: () => change('init', init.value) },
    h('option', { value: 'tied' }, 'tied: W_Q = W_K'),
    h('option', { value: 'random' }, 'random'),
  );
  const command = h('input', {
    type: 'text',
    class: 'command',
    spellcheck: 'false',
    autocapitalize: 'off',
    'aria-label': 'the command line of this training',
    onchange: () => apply(wordsOf(command.value)),
  });
  const copy = h(
    'button',
    {
      type: 'button',
      class: 'button',
      onclick: async () => {
        command.select();
        await navigator.clipboard?.writeText(commandText()).catch(() => null);
        document.execCommand?.('copy');
        say('copied');
      },
    },
    'copy',
  );
  const area = h('textarea', {
    rows: 12,
    spellcheck: 'false',
    'aria-label': 'your sentences and their questions',
    onchange: () => {
      const words = setting.words.map((word) => (word === GIVEN ? FILE : word));
      apply(words, area.value);
    },
  });
  const own = h(
    'div',
    { class: 'own', hidden: true },
    h(
      'p',
      { class: 'soft' },
      'A line is a sentence. The indented lines below it are its questions: ',
      h('code', {}, 'she -> queen (means)'),
      '. A change starts a new training.',
    ),
    area,
    h(
      'button',
      { type: 'button', class: 'button', onclick: () => download(FILE, 'text/plain', area.value) },
      `save ${FILE}`,
    ),
  );
  const wrong = h('p', { class: 'wrong', role: 'alert', hidden: true });
  const start = h('label', { title: 'W_Q and W_K begin equal, or each at random' }, 'start', init);
  const element = h(
    'details',
    { class: 'panel', open: innerWidth > 560 },
    h('summary', {}, 'Settings'),
    h(
      'div',
      { class: 'bar' },
      h('span', { class: 'choice', role: 'group', 'aria-label': 'task' }, tasks),
      arms,
    ),
    h(
      'div',
      { class: 'bar fields' },
      fields.map((field) => field.element),
      start,
    ),
    own,
    h('div', { class: 'bar line' }, command, copy),
  );
  const toggle = (name) => {
    const { arms: on, all } = setting.parsed;
    const kept = on.includes(name) ? on.filter((one) => one !== name) : [...on, name];
    if (!kept.length) return say(`${name} is the only arm`);
    const list = all.map((arm) => arm.name).filter((one) => kept.includes(one));
    return apply([...without(setting.words, '--arms'), '--arms', list.join(',')]);
  };
  // Not what somebody is typing into.
  const put = (field, value) => {
    if (field !== document.activeElement) field.value = value;
  };
  // What the controls say is what the C has read.
  const show = () => {
    const { parsed, words, sentences } = setting;
    put(command, [PROGRAM, ...words].join(' '));
    tasks.forEach((button) =>
      button.setAttribute('aria-pressed', String(button.dataset.task === taskOf(parsed))),
    );
    const pointing = ['heads', 'coref'].includes(parsed.task) && Number(parsed.options.layers) === 0;
    arms.replaceChildren(
      ...parsed.all
        .filter((arm) => !pointing || arm.pointing)
        .map((arm) =>
          h(
            'button',
            {
              class: 'button arm',
              type: 'button',
              title: pointing ? arm.pointing : arm.formula,
              'aria-pressed': String(parsed.arms.includes(arm.name)),
              onclick: () => toggle(arm.name),
            },
            dot(armColour(arm.colour)),
            arm.name,
          ),
        ),
    );
    for (const { name, input } of fields) {
      const value = parsed.options[name];
      put(input, name === 'steps' && value === '0' ? (view.run?.steps ?? '') : value);
    }
    init.value = parsed.options.init;
    own.hidden = !usesFile(parsed);
    if (area.value !== sentences) put(area, sentences);
  };
  const tell = (text) => {
    wrong.hidden = !text;
    wrong.textContent = text ?? '';
  };
  return { elements: [element, wrong], show, tell };
}
