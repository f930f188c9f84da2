// Puts the page together: settings, the player, the pictures. One training at a time.

const page = {
  module: null,
  bytes: null,
  texts: {},
  playing: false,
  speed: 'normal',
  resume: false,
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
  if (parsed.error) return page.panel.tell(parsed.error);
  if (!page.touring) page.tour.leave();
  page.playing ||= page.finished; // who changes a training that has ended wants to see the new one
  page.finished = false;
  Object.assign(setting, { words, sentences, parsed });
  page.panel.tell(null);
  writeHash();
  const file = await fileOf(parsed);
  if (setting.parsed === parsed) start(parsed, file);
}

function start(parsed, file) {
  page.run?.end();
  page.began = null;
  const run = new Training({
    bytes: page.bytes,
    words: setting.words,
    file,
    parsed,
    measuredAt: page.module.measured,
    changed: () => page.run === run && news(run),
    wrong: (text) => {
      page.panel.tell(text);
      run.broken = true;
      if (run.steps) pause();
    },
  });
  page.run = run;
  page.shown = false;
}

// The first time that there is something to see of a run.
function open(run) {
  const before = [view.left?.name, view.right?.name, view.inside?.name];
  const named = (name) => run.arms.find((arm) => arm.name === name);
  const heads = headNames(run);
  Object.assign(view, { run, at: 0 });
  for (const side of SIDES)
    if (!heads.includes(view.heads[side])) view.heads[side] = `${heads.at(-1).split('.')[0]}.1`;
  page.focus?.forEach((focus) => focus.release());
  const prefer = (...names) => names.map(named).find(Boolean);
  view.right = named(before[1]) ?? prefer('qkv', 'qk') ?? run.arms.at(-1);
  view.left = named(before[0]) ?? prefer('sym', 'tied', 'kv') ?? run.arms[0];
  if (view.left === view.right && run.arms.length > 1)
    view.left = run.arms.find((arm) => arm !== view.right);
  view.inside = named(before[2]) ?? view.right;
  if (!page.layout) build();
  page.shown = true;
  page.panel.show();
  page.layout();
  run.lookInside(view.inside);
  run.ask(page.typed.value);
  page.sentence.forEach((picture) => picture.redraw());
  page.drawn = 0; // the pictures below come one a frame
  drawPlayer();
  want();
  if (page.playing) play();
}

function news(run) {
  if (run.ready && !page.shown) return open(run);
  if (page.shown) {
    page.answered();
    want();
  }
  return null;
}

// ---- the page ----------------------------------------------------------------------------------

function selects() {
  const names = view.run.arms.map((arm) => arm.name);
  const pick = (label, side) =>
    select(label, names, view[side].name, (name) => {
      view[side] = view.run.arms.find((arm) => arm.name === name);
      redrawAll();
    });
  return names.length > 1 ? SIDES.map((side) => pick(side, side)) : [];
}

function build() {
  const focus = new Focus(() => page.sentence.forEach((picture) => picture.refresh())),
    typedFocus = new Focus(() => typed.forEach((picture) => picture.refresh()));
  page.focus = [focus, typedFocus];
  const [left, right] = SIDES.map((side) => sentencePictures(side, focus)),
    strips = SIDES.map((side) => headStrip(side, redrawAll));
  const charts = curveFrames(
      () => view.run,
      ['cycle', 'attention_nll', 'loss', 'asymmetry', 'attention_accuracy', 'accuracy'],
    ),
    inside = insideFrames(),
    typed = SIDES.map((side) => typedFrames(side, typedFocus));
  page.sentence = [left.arcs, left.map, right.arcs, right.map, ...strips];
  const shownCharts = () => charts.filter((chart) => chart.suits(view.run));
  page.below = () => [...shownCharts(), ...typed, ...inside];
  const picks = h('div', { class: 'picks' }),
    key = h('div'),
    grid = h('div', { class: 'grid' }),
    stripGrid = h('div', { class: 'grid strips' }),
    curves = h('div', { class: 'grid three' }),
    insides = h('div', { class: 'bar' });
  const typedGrid = h(
    'div',
    { class: 'grid' },
    typed.map((one) => one.element),
  );
  page.layout = () => {
    const { run } = view,
      two = run.arms.length > 1;
    const pictures = two ? [left.arcs, right.arcs, left.map, right.map] : [right.arcs, right.map];
    picks.replaceChildren(...selects());
    key.replaceChildren(...[arcKey(run)].filter(Boolean));
    grid.replaceChildren(...pictures.map((one) => one.element));
    stripGrid.replaceChildren(...(two ? strips : strips.slice(1)).map((one) => one.element));
    stripGrid.hidden = headNames(run).length < 2;
    typedGrid.replaceChildren(...(two ? typed : typed.slice(1)).map((one) => one.element));
    curves.replaceChildren(...shownCharts().map((one) => one.element));
    curves.classList.toggle('four', shownCharts().length === 4);
    insides.replaceChildren(
      ...[
        selectArm(run.arms, view.inside, (arm) => {
          view.inside = arm;
          run.lookInside(arm);
          inside.forEach((one) => one.redraw());
        }),
      ].filter(Boolean),
    );
    page.suggest();
  };
  const scale = scaleChoice(() => charts.forEach((one) => one.redraw()));
  const hand = theorem();
  byId('main').append(
    h(
      'section',
      { id: 'sentence', 'aria-label': 'one sentence, as it learns' },
      h('div', { class: 'bar' }, picks, key),
      stripGrid,
      grid,
    ),
    section('curves', 'While it trains', null, h('div', { class: 'bar' }, scale), curves),
    typedSection(typedGrid),
    section(
      'inside',
      'Inside the scores',
      'M = W_Q W_Kᵀ says which kind of word asks which. Blue draws them together, orange keeps them apart.',
      insides,
      h(
        'div',
        { class: 'grid' },
        inside.map((one) => one.element),
      ),
    ),
    hand,
  );
  byId('foot').append(made());
  requestAnimationFrame(hand.begin);
}

function made() {
  return h(
    'div',
    {},
    h('h2', {}, 'What this is'),
    h(
      'p',
      {},
      'qkv is a tiny trainable transformer in C. This page holds its autograd, data and model, compiled to ' +
        'WebAssembly; each arm trains in a worker of its own. The command above trains the same numbers in a ' +
        'terminal, bit for bit. QKV_KERNELS=plain asks for the same kernels there: without it ./train may use wider ' +
        'vectors, which round differently, so that after many steps its last digits differ.',
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

const SIMD = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
  253, 98, 11,
];

// What this browser lacks, or null.
function lacking() {
  const newer = 'Chrome 91, Firefox 113, Safari 16.4 or newer have it';
  if (typeof WebAssembly !== 'object') return `WebAssembly; ${newer}`;
  if (!WebAssembly.validate(new Uint8Array(SIMD))) return `WebAssembly’s vectors (SIMD); ${newer}`;
  if (typeof DecompressionStream !== 'function') return `DecompressionStream; ${newer}`;
  return null;
}

async function begin() {
  const lack = lacking();
  if (lack) throw new Error(`this browser lacks ${lack}`);
  page.bytes = await unpack('web.wasm');
  page.module = await openModule(page.bytes);
  setting.given = await unpackText('sentences.txt');
  page.panel = settingsPanel(page.module, apply);
  page.tour = tour((words) => {
    page.touring = true;
    page.playing = true;
    apply(words);
    page.touring = false;
  });
  byId('main').replaceChildren(page.tour.element, ...page.panel.elements, playerBar());
  const given = readHash();
  page.playing = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  await apply(
    given.words.length ? given.words : ['pronoun', '--arms', 'sym,qkv'],
    given.sentences ?? setting.given,
  );
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
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth === width) return; // a phone's bars come and go with scrolling
    width = innerWidth;
    redrawAll();
  });
  darkness.addEventListener('change', redrawAll);
}

begin().catch((error) => {
  byId('main').replaceChildren(
    h('p', { role: 'alert', class: 'wrong' }, `This page cannot train: ${error.message}.`),
  );
  console.error(error);
});
