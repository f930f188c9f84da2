// Puts the page together: settings, the player, the pictures. One training at a time.

const page = {
  module: null,
  texts: {},
  playing: false,
  speed: 'normal',
  resume: false,
  parts: [],
  above: null, // the elements of the controls, until they are shown
  coming: [], // what makes the parts that are still to be made
  focus: [],
  place: null, // the section that the tour goes to
};

// ---- one training ------------------------------------------------------------------------------

async function fileOf(parsed) {
  const { sentences, text, conllu } = parsed.options;
  if (sentences ?? text) return { name: sentences ?? text, text: setting.sentences };
  if (!conllu) return null;
  const name = parsed.task === 'coref' ? 'stories.conllu' : 'english.conllu';
  page.texts[name] ??= await unpackText(name);
  return { name: `data/${name}`, text: page.texts[name] };
}

// Reads a command line, and trains it; one that is refused changes nothing but the line that says so.
async function apply(words, sentences = setting.sentences) {
  const parsed = page.module.parse(words);
  if (parsed.error) return refuse(parsed.error);
  if (!page.touring) page.tour?.leave();
  page.playing ||= page.finished; // who changes a training that has ended wants to see the new one
  page.finished = false;
  Object.assign(setting, { words, sentences, parsed });
  page.panel.tell(null);
  writeHash();
  const file = await fileOf(parsed);
  if (setting.parsed === parsed) start(parsed, file);
}

function refuse(text) {
  page.panel.tell(text);
  showControls();
  if (setting.parsed) page.panel.show(); // what was refused may stand in the settings, to be mended
}

function start(parsed, file) {
  page.run?.end();
  const run = new Training({
    words: setting.words,
    file,
    parsed,
    measuredAt: page.module.measured,
    changed: () => page.run === run && news(run),
    answers: (arm) => SIDES.some((side) => view[side] === arm),
    wrong: (text) => {
      refuse(text);
      run.broken = true;
      if (run.steps) pause();
    },
  });
  page.run = run;
  page.shown = false;
  run.lookFirst().catch((error) => run.wrong(error.message));
}

// At the start they come with the first picture: to lay out and paint them before would delay it.
function showControls() {
  if (page.above) byId('main').replaceChildren(...page.above);
  page.above = null;
}

// The first time that there is something to see of a run.
function open(run) {
  const before = [view.left?.name, view.right?.name, view.inside?.name];
  const named = (name) => run.arms.find((arm) => arm.name === name);
  const heads = headNames(run);
  Object.assign(view, { run, at: 0 });
  for (const side of SIDES)
    if (!heads.includes(view.heads[side])) view.heads[side] = `${heads.at(-1).split('.')[0]}.1`;
  page.focus.forEach((focus) => focus.release());
  const prefer = (...names) => names.map(named).find(Boolean);
  const [left, right] = before.map(named);
  if (left && right && left !== right) Object.assign(view, { left, right }); // the same two as before
  else {
    view.right = prefer('qkv', 'qk') ?? run.arms.at(-1);
    view.left = prefer('sym', 'tied', 'kv') ?? run.arms[0];
    if (view.left === view.right && run.arms.length > 1)
      view.left = run.arms.find((arm) => arm !== view.right);
  }
  view.inside = named(before[2]) ?? view.right;
  page.shown = true;
  showControls();
  page.panel.show();
  page.parts.forEach((part) => part.layout());
  if (page.playing) play();
  if (!page.parts.length) append();
  frameAt(performance.now());
}

// The sections are made one after the other, with frames between them. The sentence is the first; the others
// wait until it is drawn.
function append() {
  const next = page.coming.shift()?.();
  if (!next && !byId('foot').firstChild) byId('foot').append(made());
  if (!next) return;
  page.parts.push(next);
  byId('main').append(next.element);
  next.layout();
  want();
  if (view.run.begun) setTimeout(append, 40);
}

function news(run) {
  if (run.ready && !page.shown) return open(run);
  if (page.shown) want();
  return null;
}

// ---- the page ----------------------------------------------------------------------------------

function selects() {
  const names = view.run.arms.map((arm) => arm.name);
  const pick = (label, side) =>
    select(label, names, view[side].name, (name) => {
      view[side] = view.run.arms.find((arm) => arm.name === name);
      if (view.run.asking !== undefined) view.run.ask(view.run.asking);
      drawAnew();
    });
  return names.length > 1 ? SIDES.map((side) => pick(side, side)) : [];
}

// All that is on the page, soon.
function drawAnew() {
  hideTip();
  for (const picture of watched.values()) mark(picture, 'redraw');
  want();
}

// Each section is a part: its element; layout(), which fits it to the arms of view.run; and news(),
// called in each frame, which marks those of its pictures that there is something new for.
function sentencePart() {
  const focus = new Focus(() => pictures.forEach((picture) => picture.refresh()));
  const [left, right] = SIDES.map((side) => sentencePictures(side, focus)),
    strips = SIDES.map((side) => headStrip(side, drawAnew)),
    pictures = [left.arcs, right.arcs, left.map, right.map, ...strips];
  page.focus.push(focus);
  watch(pictures);
  const picks = h('div', { class: 'picks' }),
    key = h('div'),
    grid = h('div', { class: 'grid' }),
    stripGrid = h('div', { class: 'grid strips' });
  const layout = () => {
    const { run } = view,
      two = run.arms.length > 1,
      shown = two ? pictures.slice(0, 4) : [right.arcs, right.map];
    picks.replaceChildren(...selects());
    key.replaceChildren(...[arcKey(run)].filter(Boolean));
    grid.replaceChildren(...shown.map((one) => one.element));
    stripGrid.replaceChildren(...(two ? strips : strips.slice(1)).map((one) => one.element));
    stripGrid.hidden = headNames(run).length < 2;
    pictures.forEach((one) => mark(one, 'redraw'));
  };
  let drawn = null;
  const news = () => {
    const now = `${view.at} ${view.run.count}`;
    if (drawn === now) return;
    drawn = now;
    pictures.forEach((one) => mark(one, 'refresh'));
  };
  const element = h(
    'section',
    { id: 'sentence', 'aria-label': 'one sentence, as it learns' },
    h('div', { class: 'bar' }, picks, key),
    stripGrid,
    grid,
  );
  return { element, layout, news };
}

// A place below the curves has moved when they are there.
function arrive() {
  if (page.place) byId(page.place)?.scrollIntoView({ block: 'start' });
  page.place = null;
}

function curvesPart() {
  const keys = ['cycle', 'attention_nll', 'loss', 'asymmetry', 'attention_accuracy', 'accuracy'],
    charts = watch(curveFrames(() => view.run, keys)),
    shown = () => charts.filter((chart) => chart.suits(view.run)),
    grid = h('div', { class: 'grid three' });
  const markAll = (how) => shown().forEach((chart) => mark(chart, how));
  const scale = scaleChoice(() => {
    markAll('redraw');
    want();
  });
  let drawn = 0;
  const layout = () => {
    drawn = 0; // which charts there are, the first figures say
  };
  const news = () => {
    if (drawn === view.run.measured) return;
    if (!drawn) {
      grid.replaceChildren(...shown().map((one) => one.element));
      grid.classList.toggle('four', shown().length === 4);
      arrive();
    }
    markAll(drawn ? 'refresh' : 'redraw');
    drawn = view.run.measured;
  };
  const element = section('curves', 'While it trains', null, h('div', { class: 'bar' }, scale), grid);
  return { element, layout, news };
}

function typedPart() {
  const focus = new Focus(() => pictures.forEach((picture) => picture.refresh())),
    pictures = watch(SIDES.map((side) => typedFrames(side, focus))),
    grid = h('div', { class: 'grid' });
  page.focus.push(focus);
  const box = typedBox({
    grid,
    text: 'The arms answer at once, and go on answering while they train.',
    ask: (sentence) => view.run.ask(sentence),
  });
  const drawn = [];
  const layout = () => {
    const all = pictures.map((one) => one.element);
    grid.replaceChildren(...(view.run.arms.length > 1 ? all : all.slice(1)));
    box.offer({ kind: taskOf(view.run.parsed), known: view.run.known }); // asks the arms
    pictures.forEach((one) => mark(one, 'redraw'));
  };
  const news = () => {
    SIDES.forEach((side, k) => {
      if (drawn[k] === view[side].answer) return;
      drawn[k] = view[side].answer;
      box.tell(view.right.answer);
      mark(pictures[k], 'renew');
    });
  };
  return { element: box.element, layout, news };
}

function insidePart() {
  const pictures = watch(insideFrames()),
    choose = h('div', { class: 'bar' });
  let drawn = null;
  const markAll = (how) => pictures.forEach((one) => mark(one, how));
  const look = (arm) => {
    view.inside = arm;
    markAll('redraw');
    want();
  };
  const layout = () => {
    const list = selectArm(view.run.arms, view.inside, look);
    choose.replaceChildren(...(list ? [list] : []));
    markAll('redraw');
  };
  const news = () => {
    // M takes a worker longer than a step: while it trains, it is computed only to be seen
    const seen = !page.playing || pictures.some((one) => one.seen);
    view.run.lookInside(seen ? view.inside : null);
    if (drawn === view.inside.M) return;
    drawn = view.inside.M;
    markAll('renew');
  };
  const element = section(
    'inside',
    'Inside the scores',
    'M = W_Q W_Kᵀ decides which kind of word attends to which. Blue: more than the mean of the row. Orange: less.',
    choose,
    h('div', { class: 'grid' }, pictures.map((one) => one.element)),
  );
  return { element, layout, news };
}

function handPart() {
  const { element, pictures } = theorem();
  watch(pictures);
  return { element, layout: () => pictures.forEach((one) => mark(one, 'redraw')) };
}

function made() {
  return h(
    'div',
    {},
    h('h2', {}, 'What this is'),
    h(
      'p',
      {},
      'qkv is a tiny trainable transformer in C. This page contains its autograd, data and model, compiled to ' +
        'WebAssembly. Each arm trains in its own worker. The command above computes the same numbers in a terminal, ' +
        'bit for bit. QKV_KERNELS=plain selects the kernels that this page uses. Without it ./train may use wider ' +
        'vectors, which round differently: after many steps the last digits differ.',
    ),
    h(
      'details',
      {},
      h('summary', {}, 'Licences of what is built in'),
      h('pre', {}, byId('notices').textContent.trim()),
    ),
  );
}

// ---- the start ---------------------------------------------------------------------------------

async function begin() {
  const lack = lacking();
  if (lack) throw new Error(`this browser lacks ${lack}`);
  const given = readHash(),
    text = unpackText('sentences.txt');
  page.module = await openModule(await compiling);
  setting.given = await text;
  page.playing = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  page.panel = settingsPanel(apply);
  page.tour = tour((words, place) => {
    page.place = place;
    page.touring = true;
    page.playing = true;
    apply(words);
    page.touring = false;
  });
  page.above = [page.tour.element, ...page.panel.elements, playerBar()];
  page.coming = [sentencePart, curvesPart, typedPart, insidePart, handPart];
  // An address that is refused is told, and the page trains what it trains without one.
  const error = given.words.length ? page.module.parse(given.words).error : null;
  const words = given.words.length && !error ? given.words : ['pronoun', '--arms', 'sym,qkv'];
  await apply(words, given.sentences ?? setting.given);
  if (error) page.panel.tell(error);
  addEventListener('hashchange', () => {
    const next = readHash();
    const sentences = next.sentences ?? setting.given;
    const same = next.words.join(' ') === setting.words.join(' ');
    if (!same || (usesFile(setting.parsed) && sentences !== setting.sentences))
      apply(next.words, sentences);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden && page.playing) {
      pause();
      page.resume = true;
    } else if (!document.hidden && page.resume) {
      page.resume = false;
      play();
    }
  });
  addEventListener('pointerout', () => due.size && want()); // a picture may have waited for the pointer to leave
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth === width) return; // a phone's bars come and go with scrolling
    width = innerWidth;
    drawAnew();
  });
  darkness.addEventListener('change', drawAnew);
}

begin().catch((error) => {
  byId('main').replaceChildren(
    h('p', { role: 'alert', class: 'wrong' }, `This page cannot train: ${error.message}.`),
  );
  console.error(error);
});
