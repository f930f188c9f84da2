// The player: trains, pauses, goes back over what was trained; what is drawn when.

const SPEEDS = { slow: 1.5, normal: 8, fast: Infinity }; // measured points a second

let wanted = 0,
  before = 0;

function want() {
  wanted ||= requestAnimationFrame(frameAt);
}

function play() {
  if (!page.shown) return void (page.playing = true);
  if (view.run.broken) return say('this training cannot go on');
  if (view.run.ended && view.at >= view.run.count - 1) view.at = 0;
  page.playing = true;
  view.run.level = undefined; // a pause that not all arms have reached is over
  before = performance.now();
  drawPlayer();
  want();
}

function pause() {
  page.playing = false;
  page.finished = false;
  page.run?.halt();
  drawPlayer();
  want();
}

function oneStep() {
  page.playing = false;
  page.follow = true;
  page.run.halt(1);
  drawPlayer();
  want();
}

// A frame of the screen: moves on through the snapshots, lets the arms train, draws what is new.
function frameAt(now) {
  cancelAnimationFrame(wanted); // or two would ask for frames for ever, where open() calls this
  wanted = 0;
  if (!page.shown) return;
  const { run } = view,
    last = run.count - 1;
  if (page.playing) {
    const passed = Math.min(Math.max(now - before, 0), 100) / 1000;
    view.at = Math.min(view.at + passed * SPEEDS[page.speed], last);
    if (Number.isNaN(view.at)) view.at = last;
    run.goAhead(page.speed === 'fast' ? last : Math.floor(view.at));
    page.finished = run.ended && view.at >= last;
    page.playing = !page.finished;
    if (page.playing) want();
  } else if (page.follow) {
    view.at = last;
  }
  before = now;
  page.parts.forEach((part) => part.news?.());
  drawPlayer();
  if (drawDue() || run.begun) return; // the arms begin once the first pictures stand
  run.begin();
  append();
}

// ---- what is drawn when ------------------------------------------------------------------------

const BUDGET = 6; // ms of a frame for drawing; what is left waits for the next frame
// A picture: 'redraw'; 'renew', which is a redraw that waits while someone points at the picture; or
// 'refresh', which keeps its elements.
const due = new Map();

const watched = new Map(); // an element: its picture

// picture.seen: whether it is in sight, or nearly.
const sight = new IntersectionObserver(
  (changes) => {
    for (const { target, isIntersecting } of changes) watched.get(target).seen = isIntersecting;
    want();
  },
  { rootMargin: '50%' },
);

function watch(pictures) {
  for (const picture of pictures) {
    watched.set(picture.element, picture);
    sight.observe(picture.element);
  }
  return pictures;
}

// The picture has something new to show.
function mark(picture, how) {
  if (due.get(picture) !== 'redraw') due.set(picture, how);
}

// What is out of sight waits until nothing trains.
function canWait(picture, how) {
  if (page.playing && picture.drawn && !picture.seen) return true;
  return how === 'renew' && picture.drawn && picture.element.matches(':hover, :focus-within');
}

// Draws what waits longest, until the budget is spent. Gives whether there is more to draw.
function drawDue() {
  const end = performance.now() + BUDGET,
    ready = [...due].filter(([picture, how]) => !canWait(picture, how)),
    rooms = ready.map(([picture, how]) => (how === 'refresh' ? null : picture.room?.()));
  let drawn = 0;
  while (drawn < ready.length && (!drawn || performance.now() < end)) {
    const [picture, how] = ready[drawn];
    due.delete(picture);
    picture[how === 'renew' ? 'redraw' : how](rooms[drawn++] ?? undefined);
    picture.drawn = true;
  }
  if (drawn < ready.length) want();
  return drawn < ready.length;
}

function drawPlayer() {
  const { run } = view;
  if (!run) return;
  page.controls.show({
    at: Math.round(view.at),
    last: run.count - 1 + run.ahead,
    step: stepNow(),
    steps: run.steps,
    playing: page.playing,
    does: page.playing ? 'pause' : 'train',
    told: verdict(run),
  });
}

// What is seen now, in words.
function verdict(run) {
  const key = run.has_cycle ? 'cycle' : run.separate ? 'accuracy' : 'attention_accuracy';
  const at = Math.round(view.at);
  const share = (arm) => {
    const point = arm.curve[Math.min(at, arm.curve.length - 1)];
    return point ? `${arm.name} ${Math.round(100 * point[key])} %` : arm.name;
  };
  const what = {
    cycle: 'Attention accuracy on the cycle',
    accuracy: 'Accuracy',
    attention_accuracy: 'Attention accuracy',
  }[key];
  const bound = run.bound ? ` No symmetric score can pass ${Math.round(100 * run.bound)} %.` : '';
  return `${what} at step ${whole(stepNow())}: ${run.arms.map(share).join(', ')}.${bound}`;
}

// ---- its controls ------------------------------------------------------------------------------

function playerBar() {
  const small = (text, onclick) => h('button', { class: 'button', type: 'button', onclick }, text);
  page.controls = controls({
    toggle: () => (page.playing ? pause() : play()),
    seek: (to) => {
      if (page.playing) pause();
      page.follow = false;
      view.at = Math.min(to, view.run.count - 1); // what is still to come isn't there
      want();
    },
    speeds: Object.keys(SPEEDS),
    speed: page.speed,
    onspeed: (to) => (page.speed = to),
    more: [small('one step', oneStep), small('from the start', () => apply(setting.words))],
  });
  return page.controls.element;
}
