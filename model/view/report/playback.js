// The report's main picture: two arms beside each other, their training played back; what happens at which
// step; and the address, which holds what is shown.

const SECONDS = { slow: 24, normal: 9, fast: 3 }; // for all of a training

// ---- what happens ------------------------------------------------------------------------------

// [{ at: the snapshot, text }] for the arms that are shown, in order.
function eventsOf(run) {
  const { left, right } = view;
  const steps = right.frames.map(({ step }) => step);
  const out = [{ at: 0, text: 'The start: nothing is learned yet.' }];
  const nameOf = (side) =>
    headNames(run).length > 1 ? `${view[side].name} (${headText(view.heads[side])})` : view[side].name;
  const first = (is) => steps.findIndex((step) => {
    const point = right.curve.find((one) => one.step === step);
    return point && is(point, steps.indexOf(step));
  });
  const add = (at, text) => at > 0 && out.push({ at, text });
  const asymmetry = right.curve[0]?.asymmetry;
  if (asymmetry !== null && asymmetry < 0.01)
    add(
      first((point) => point.asymmetry >= 0.05),
      `The scores of ${right.name} are no longer symmetric.`,
    );
  if (run.bound) {
    add(
      first((point) => point.attention_nll < Math.LN2),
      `${right.name} is below ln 2: its attention NLL is lower than any symmetric score can reach.`,
    );
    add(
      first((point) => point.cycle > run.bound + 1e-6),
      `${right.name} is past ${boundText(run)} of the cycle, where every symmetric score has to stop.`,
    );
  }
  const all = (arm, side) => {
    const rights = arm.frames.map((_, k) => rightOf(run, mapOf(arm, k, view.heads[side])));
    const asked = rights[0][1];
    const last = rights.findLastIndex(([right]) => right < asked);
    return asked && last < rights.length - 1 ? last + 1 : -1;
  };
  for (const side of left === right ? ['right'] : SIDES)
    add(
      all(view[side], side),
      `From here on ${nameOf(side)} is right on every question of this sentence.`,
    );
  const end = steps.length - 1;
  const found = (side) => {
    const [right, asked] = rightOf(run, mapOf(view[side], end, view.heads[side]));
    return `${nameOf(side)} is right on ${right} of ${asked}`;
  };
  if (run.targets.some((target) => target >= 0) && end > 0)
    add(end, `The end: ${left === right ? found('right') : `${found('left')}, ${found('right')}`}.`);
  else if (end > 0) add(end, `The end: the loss of ${right.name} is ${figure(right.end.loss)} nats.`);
  return out.sort((a, b) => a.at - b.at);
}

// ---- the address -------------------------------------------------------------------------------

const readAddress = () => new URLSearchParams(location.hash.slice(1));

// What of the address this run has.
function takeAddress(run) {
  const asked = readAddress();
  for (const side of SIDES) {
    view[side] = run.arms.find(({ name }) => name === asked.get(side)) ?? view[side];
    const head = asked.get(`${side}-head`);
    view.heads[side] = headNames(run).includes(head) ? head : bestHead(run, view[side]);
  }
  const step = Number(asked.get('step') ?? NaN);
  const steps = run.arms[0].frames.map((frame) => frame.step);
  const near = steps.reduce((best, x, k) => (Math.abs(x - step) < Math.abs(steps[best] - step) ? k : best), 0);
  const word = Number(asked.get('word') || NaN) - 1;
  return {
    at: Number.isNaN(step) ? null : near,
    word: Number.isInteger(word) && word >= 0 && word < run.rows.length ? word : -1,
  };
}

function writeAddress(run, focus) {
  const now = new URLSearchParams();
  const heads = headNames(run).length > 1;
  if (run.arms.length > 1) now.set('left', view.left.name);
  now.set('right', view.right.name);
  for (const side of heads ? SIDES : [])
    if (side === 'right' || run.arms.length > 1) now.set(`${side}-head`, view.heads[side]);
  now.set('step', stepNow());
  if (focus.pinned && focus.row >= 0) now.set('word', focus.row + 1);
  view.address = `#${now}`;
  if (location.hash !== view.address) location.replace(view.address);
}

// ---- the section -------------------------------------------------------------------------------

const TO = 'An arc goes from a word to the word that it attends to: above the words if that word comes later, below if it comes earlier.';
const ARCS = `Each word in bold asks for another word of the sentence. ${TO}`;
const SENTENCE = {
  pronoun: `${ARCS} The giver asks for the gift, the gift for the receiver, and the receiver for the giver: a cycle of three. The rule is artificial; it is here because it is a cycle.`,
  user_sentences: ARCS,
  search:
    'Queries are below, pages above. Each query asks for the page with its title. The model answers with the content of that page.',
  recall: `Pairs of a key and a value come first, then the keys again. Each of these asks for the value that followed it. ${TO}`,
  heads: `Each word in bold asks which word it depends on (its head). ${TO}`,
  coref: `The last word, a pronoun, asks which earlier word it means. Only its own weights are trained; an arc of another word shows what the same head would attend to there. ${TO}`,
  text: 'Each character may attend only to itself and to earlier characters. The model predicts the next character from what it attends to.',
};

// What symmetry forbids, for what is shown.
function forbidden(run) {
  if (!run.has_cycle) return '';
  if (headNames(run).length < 2) return ' No single head with a symmetric score can be right on all of a cycle.';
  return ' No single head with a symmetric score can be right on all of a cycle; several heads, or layers, together can.';
}

function sentence(run) {
  const steps = run.arms[0].frames.map(({ step }) => step);
  if (!steps.length) return null;
  const last = steps.length - 1,
    two = run.arms.length > 1,
    several = headNames(run).length > 1;
  const [left, right] = run.pair.map((k) => run.arms[k]); // the arms that the heading names
  Object.assign(view, { run, at: last, left, right });
  takeAddress(run);
  let playing = 0,
    before = 0,
    speed = 'normal',
    events = eventsOf(run);
  const focus = new Focus(() => {
    refresh();
    if (!playing && (focus.pinned || !focus.on)) writeAddress(run, focus);
  });
  const folded =
    run.fold > 1
      ? `The sentence has ${Math.max(run.queries, run.keys)} words, so each cell stands for ${run.fold} × ${run.fold} of them. It shows the attention that a query gives to these keys together, averaged over these queries.`
      : null;
  const strips = {},
    pictures = {};
  for (const side of SIDES) {
    pictures[side] = sentencePictures(side, focus, { note: () => folded });
    strips[side] = headStrip(side, () => changed());
  }
  const shown = two ? SIDES : ['right'];
  const kinds = run.fold > 1 ? ['map'] : ['arcs', 'map'];
  const all = shown.flatMap((side) => kinds.map((kind) => pictures[side][kind]));
  const refresh = () => {
    all.forEach((picture) => picture.refresh());
    if (several) shown.forEach((side) => strips[side].refresh());
    told();
  };

  const stop = () => {
    cancelAnimationFrame(playing);
    playing = 0;
  };
  const halt = () => {
    stop();
    told();
    writeAddress(run, focus);
  };
  const set = (to) => {
    view.at = wantsStill.matches ? Math.round(to) : to;
    refresh();
  };
  const frameAt = (now) => {
    const next = Math.min(view.at + (Math.max(now - before, 0) / 1000) * (last / SECONDS[speed]), last);
    before = now;
    set(next);
    if (next < last) playing = requestAnimationFrame(frameAt);
    else halt();
  };
  const play = () => {
    if (view.at >= last) view.at = 0;
    before = performance.now();
    playing = requestAnimationFrame(frameAt);
    told();
  };
  const seek = (to) => {
    stop();
    set(to);
    writeAddress(run, focus);
  };
  const nextEvent = () => seek((events.find(({ at }) => at > view.at) ?? events[0]).at);
  const bar = controls({
    toggle: () => (playing ? halt() : play()),
    seek,
    speeds: Object.keys(SECONDS),
    speed,
    onspeed: (to) => (speed = to),
    more: events.length > 1 ? [h('button', { class: 'button', type: 'button', onclick: nextEvent }, 'next event')] : [],
  });
  const told = () =>
    bar.show({
      at: Math.round(view.at),
      last,
      step: stepNow(),
      steps: run.steps,
      playing: Boolean(playing),
      does: playing ? 'pause' : 'play the training',
      told: events.findLast(({ at }) => at <= view.at)?.text,
    });
  // Other arms or heads.
  const changed = () => {
    events = eventsOf(run);
    drawInRoom([...all, ...shown.map((side) => strips[side])]);
    pickers.forEach(({ side, element }) => (element.querySelector('select').value = view[side].name));
    told();
    document.dispatchEvent(new Event('shown'));
    if (!playing) writeAddress(run, focus);
  };
  const names = run.arms.map((arm) => arm.name);
  const pickers = two
    ? SIDES.map((side) => ({
        side,
        element: select(side, names, view[side].name, (name) => {
          view[side] = run.arms.find((arm) => arm.name === name);
          view.heads[side] = bestHead(run, view[side]);
          changed();
        }),
      }))
    : [];
  const task = run.user_sentences ? 'user_sentences' : run.summary.task;
  const count = headNames(run).length,
    kept = run.heads.length;
  const strip = several
    ? [
        h(
          'p',
          { class: 'soft small-text' },
          `Layers and heads (layer.head). Click a head to see it below.${kept < count ? ` The training of ${kept} of the ${count} heads is kept; of the others the end.` : ''}`,
        ),
        h('div', { class: 'grid strips' }, shown.map((side) => strips[side].element)),
      ]
    : [];
  const out = section(
    'sentence',
    run.text ? 'Attention between characters, during training' : `Attention in one ${run.contents ? 'search' : 'sentence'}, during training`,
    `${SENTENCE[task] ?? ''}${forbidden(run)}`,
    two ? h('div', { class: 'bar' }, pickers.map(({ element }) => element)) : null,
    run.fold > 1 ? null : arcKey(run),
    bar.element,
    strip,
    h('div', { class: 'grid' }, kinds.flatMap((kind) => shown.map((side) => pictures[side][kind].element))),
  );
  const fromAddress = () => {
    const { at, word } = takeAddress(run);
    stop();
    if (at !== null) view.at = at;
    if (word >= 0) focus.set(word, -1, true);
    changed();
    refresh();
  };
  addEventListener('hashchange', () => {
    if (location.hash !== view.address && readAddress().has('right')) fromAddress();
  });
  // Plays once by itself, unless an address says what to show, or motion is unwanted.
  out.begin = () => {
    told();
    if (readAddress().has('right')) return fromAddress();
    if (!wantsStill.matches && last > 0) play();
    return null;
  };
  return out;
}
