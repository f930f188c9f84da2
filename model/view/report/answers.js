// What the reader types: a sentence, which the arms of this run answer, or the beginning of a text, which they
// go on with. Their weights are in this page, and so is the program's C; model/web/answer.js is its worker.

const LENGTH = 500; // characters of a text, as of ./train sample

// ---- the arms ----------------------------------------------------------------------------------

// The arm's .safetensors file, without what only training needs.
function fileOf(weights, { header, tensors }) {
  const head = new TextEncoder().encode(header);
  const size = new DataView(new ArrayBuffer(8));
  size.setBigUint64(0, BigInt(head.length), true);
  const parts = [new Uint8Array(size.buffer), head, ...tensors.map((i) => bytesOf(weights.tensors[i]))];
  const file = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (file.set(part, at), at + part.length), 0);
  return file;
}

// The arms that are shown, and those of them that answer.
const shownSides = (run) => (run.arms.length > 1 ? SIDES : ['right']);
const answering = (run) => shownSides(run).map((side) => view[side]).filter((arm) => !arm.missing);

// Gives each arm its weights, or says why it has none. post(arm, message) starts its worker first.
//   hear(arm, message): what a worker says
function armsThatAnswer(run, weights, hear) {
  for (const arm of run.arms) arm.missing = weights.arms[arm.name]?.missing ?? null;
  let module = null,
    url = null;
  const begin = (arm) => {
    url ??= urlOfWorker('answer.js');
    const worker = new Worker(url);
    worker.onmessage = ({ data }) => hear(arm, data);
    worker.onerror = (event) => hear(arm, { died: event.message });
    module ??= unpack('answer.wasm');
    return module.then((bytes) => {
      const name = `${arm.name}.safetensors`;
      worker.postMessage({ open: { bytes, name, file: fileOf(weights, weights.arms[arm.name]) } });
      return worker;
    });
  };
  return (arm, message) => {
    arm.worker ??= begin(arm);
    arm.worker.then((worker) => worker.postMessage(message));
  };
}

// Calls it once, when the element comes near the window.
function whenNear(element, begin) {
  const observer = new IntersectionObserver(
    (seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      observer.disconnect();
      begin();
    },
    { rootMargin: '400px' },
  );
  observer.observe(element);
}

// ---- the same in a terminal --------------------------------------------------------------------

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const folderOf = (run) => run.summary.command.match(/ --out[ =]([\w./+-]+)/)?.[1] ?? 'out';
const commandLine = (label) => {
  const code = h('code');
  return { element: h('p', { class: 'soft same' }, label, code), tell: (text) => (code.textContent = text) };
};

// ---- a sentence --------------------------------------------------------------------------------

// The first sentence of the box: where the words are not ours the one that the run shows, with a question
// or with its tags. The first word of a treebank's sentence is its root.
function firstSentence(run) {
  if (run.fold > 1) return undefined;
  if (run.summary.task === 'heads')
    return run.rows.map((word, i) => (run.tags ? `${word}/${run.tags[i]}` : word)).slice(1).join(' ');
  const row = run.targets.findIndex((target) => target >= 0);
  if (!run.user_sentences || row < 0) return undefined;
  const word = run.rows[row];
  const same = run.rows.slice(0, row + 1).filter((one) => one === word).length;
  const several = run.rows.filter((one) => one === word).length > 1;
  return `${run.rows.join(' ')} | ${word}${several ? `/${same}` : ''} -> ?`;
}

const ASKS = {
  pronoun: 'Change the words, or type another sentence of this made-up language.',
  user_sentences: 'Use the words of your sentences. After the bar stands the question.',
  search: 'Pages are title:content, queries end in a question mark.',
  recall: 'Pairs are key:value. A key alone, behind its pair, asks for its value.',
  heads: 'Where the run reads parts of speech, one stands after each word.',
  coref:
    'After each word stand its part of speech, its relation, and its number, gender and person. The last word asks.',
  text: 'Some characters are hidden, and the arms guess them.',
};

function typing(run, weights) {
  const focus = new Focus(() => pictures.forEach((picture) => picture.refresh()));
  const sides = shownSides(run);
  const pictures = sides.map((side) => typedFrames(side, focus));
  const same = commandLine('The same in a terminal: ');
  const grid = h('div', { class: 'grid' }, pictures.map((one) => one.element));
  let asked = null,
    near = false;
  const follow = () => {
    const [arm] = answering(run).slice(-1);
    same.element.hidden = !arm;
    if (arm) same.tell(`./train show ${folderOf(run)}/${arm.name}.safetensors ${quoted(asked ?? '')}`);
    if (!near || asked === null) return;
    for (const one of answering(run)) {
      if (one.asked === asked) continue;
      one.asked = asked;
      post(one, { typed: asked });
    }
    tell();
  };
  const tell = () => {
    const [arm] = answering(run).slice(-1);
    if (arm?.answer) box.tell(arm.answer);
    pictures.forEach((picture, i) => {
      const { answer } = view[sides[i]];
      if (picture.drawn === answer) return;
      picture.drawn = answer;
      picture.redraw();
    });
  };
  const post = armsThatAnswer(run, weights, (arm, said) => {
    if (said.opened?.error ?? said.died) arm.missing = said.opened?.error ?? said.died;
    if (said.opened && !arm.missing && !offered) offer(said.opened.known);
    if (said.typed?.sentence === asked) arm.answer = said.typed;
    follow();
    tell();
  });
  let offered = false;
  const kind = run.user_sentences ? 'own' : run.summary.task;
  const offer = (known) => {
    offered = known.length > 0;
    box.offer({ kind, known, sentence: firstSentence(run) });
  };
  const box = typedBox({
    grid,
    text: `The arms that are chosen above answer at once. Behind each answer stands its probability. ${ASKS[run.user_sentences ? 'user_sentences' : kind] ?? ''}`,
    open: kind === 'pronoun' && innerWidth > 560,
    ask: (sentence) => {
      asked = sentence;
      focus.release();
      follow();
    },
  });
  offer([]);
  grid.after(same.element);
  document.addEventListener('shown', () => {
    follow();
    drawInRoom(pictures);
  });
  whenNear(box.element, () => {
    near = true;
    follow();
  });
  return box.element;
}

// ---- a text ------------------------------------------------------------------------------------

// One arm's text as it grows.
function written(side) {
  const heading = h('h3', {}),
    line = h('p', {}),
    given = h('span', { class: 'given' }),
    drawn = h('span'),
    page = h('pre', {}, given, drawn);
  const element = h(
    'figure',
    { 'data-figure': `written-${side}` },
    h('figcaption', {}, heading, line),
    page,
  );
  const refresh = () => {
    const arm = view[side];
    const { prompt = '', unknown = [], drawn: text = '', length, error } = arm.text ?? {};
    heading.replaceChildren(dot(arm.colour), `${arm.name} writes`);
    given.textContent = prompt;
    if (text.startsWith(drawn.textContent)) drawn.append(text.slice(drawn.textContent.length));
    else drawn.textContent = text;
    const count = [...text].length;
    page.hidden = Boolean(arm.missing);
    if (arm.missing) return put(line, missingText(arm));
    line.textContent = [
      error,
      arm.text ? `${count} of ${length} characters` : 'Press “write”.',
      unknown.length ? `never seen in training: ${unknown.join(' ')}` : null,
    ]
      .filter(Boolean)
      .join(' · ');
    return null;
  };
  return { element, refresh };
}

function writing(run, weights) {
  const sides = shownSides(run),
    texts = sides.map(written);
  const refresh = () => texts.forEach((one) => one.refresh());
  const [given] = run.arms.find((arm) => arm.sample).sample.split('\u0001');
  const prompt = h('textarea', { id: 'prompt', rows: 2, spellcheck: 'false', class: 'command' });
  prompt.value = given.trimStart();
  const number = (id, value, more) => h('input', { id, type: 'number', class: 'command', value, ...more });
  const temperature = number('temperature', 0.8, { min: 0, max: 10, step: 0.1 });
  const seed = number('seed', 1, { min: 0, step: 1 });
  const labelled = (text, input) => h('label', { for: input.id }, text, ' ', input);
  const same = commandLine('The same in a terminal: ');
  let busy = 0; // arms that write
  const asked = () => ({
    prompt: prompt.value,
    temperature: Math.max(Number(temperature.value) || 0, 0),
    seed: /^\d+$/.test(seed.value) ? seed.value : '1',
    length: LENGTH,
  });
  const follow = () => {
    const [arm] = answering(run).slice(-1),
      { prompt: text, temperature: t, seed: n } = asked();
    same.element.hidden = button.disabled = !arm;
    if (arm)
      same.tell(
        `./train sample ${folderOf(run)}/${arm.name}.safetensors${text ? ` --prompt ${quoted(text)}` : ''} --temperature ${t} --seed ${n}`,
      );
    button.textContent = busy ? 'stop' : 'write';
    refresh();
  };
  const post = armsThatAnswer(run, weights, (arm, said) => {
    if (said.opened?.error ?? said.died) arm.missing = said.opened?.error ?? said.died;
    if (said.begun) arm.text = { ...said.begun, drawn: '' };
    if (said.more?.text && arm.text) arm.text.drawn += said.more.text;
    if (said.more?.error) arm.text.error = said.more.error;
    if (said.ended || said.more?.error || arm.missing) busy = Math.max(busy - 1, 0);
    if (said.ended && !busy) say('The text is written.');
    if (said.more && busy) refresh();
    else follow();
  });
  const stop = () => {
    run.arms.forEach((arm) => arm.worker && post(arm, { write: null }));
    busy = 0;
  };
  const press = () => {
    const was = busy;
    stop();
    if (!was) {
      const arms = [...new Set(answering(run))];
      busy = arms.length;
      arms.forEach((arm) => post(arm, { write: asked() }));
    }
    follow();
  };
  const button = h('button', { type: 'button', class: 'button', onclick: press }, 'write');
  for (const input of [prompt, temperature, seed]) input.addEventListener('input', follow);
  const element = section(
    'type',
    'Let it write',
    'Type the beginning of a text. The model goes on with it, character by character. A high temperature makes it wilder; at 0 it always takes the likeliest character.',
    labelled('prompt', prompt),
    h('div', { class: 'bar' }, labelled('temperature', temperature), labelled('seed', seed), button),
    h('div', { class: 'grid' }, texts.map((one) => one.element)),
    same.element,
  );
  document.addEventListener('shown', follow);
  follow();
  return element;
}

// ---- the section -------------------------------------------------------------------------------

// How much of the page the weights are.
function weightsText(weights) {
  const bytes = weights.tensors.reduce((sum, text) => sum + (3 * text.length) / 4, 0);
  return `${bytesText(bytes)}, of at most ${bytesText(weights.most)}`;
}

// Null where the page has no weights; a line where it can't use them.
function answers(run) {
  const { weights } = run;
  if (!weights) return null;
  const lack = lacking();
  const none = run.arms.every((arm) => weights.arms[arm.name]?.missing);
  if (lack ?? none) {
    const [arm] = run.arms.slice(-1);
    return section(
      'type',
      'Type a sentence',
      lack ? `This browser lacks ${lack}.` : `No arm answers here. ${arm.name}: ${weights.arms[arm.name].missing}.`,
    );
  }
  return run.arms.some((arm) => arm.sample) ? writing(run, weights) : typing(run, weights);
}
