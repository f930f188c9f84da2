// The arms in training: a worker each, what they have posted, and how far they may go.

const LEAD = 2; // measured points that arms may be ahead of what is drawn
// Arms that train at the same time. The others wait for their turn, so that drawing finds a core free. With
// two cores two arms train nevertheless: one alone would leave a core idle most of the time.
const SEATS = Math.max((navigator.hardwareConcurrency || 2) - 1, 2);

const unpackText = async (id) => new TextDecoder().decode(await unpack(id));

const POINT = [
  'loss',
  'attention_accuracy',
  'accuracy',
  'asymmetry',
  'circulation',
  'attention_nll',
  'seconds',
  'cycle',
];

// A run: opened, it has the arms and the sentence that the report's own scripts draw.
//   changed(): there is something new to draw; wrong(text): it can't go on, and why; answers(arm): whether
//   it answers the typed sentence
class Training {
  constructor({ words, file, parsed, measuredAt, changed, wrong, answers }) {
    Object.assign(this, { words, file, parsed, measuredAt, changed, wrong, answers });
    this.alive = true;
    this.begun = false; // an arm that has begun would take the core from the first picture
    this.count = 0; // snapshots that all arms have; all arms look at the same steps
    this.measured = 0; // of these: the first comes before its figures, so that it is drawn sooner
    this.inside = null; // the arm whose M is wanted, or null
    this.arms = parsed.arms.map((name, k) => {
      const { colour } = parsed.all.find((arm) => arm.name === name);
      const arm = { name, colour: armColour(colour), step: 0, asked: -1, rests: true, waits: false };
      Object.assign(arm, { frames: [], curve: [], answer: null, M: null });
      return arm;
    });
  }

  // The arms as they are at step 0. The page looks at them itself: a worker would take longer to start.
  async lookFirst() {
    for (const [k, arm] of this.arms.entries()) {
      const module = await openModule(await compiling); // one each: a module never gives memory back
      if (!this.alive) return;
      if (this.file) module.file(this.file.name, this.file.text);
      module.parse(this.words);
      const opened = module.open(k);
      if (opened.error) return this.wrong(opened.error);
      this.opened(arm, opened);
    }
    this.changed();
  }

  employ(arm) {
    const { words, file } = this,
      k = this.arms.indexOf(arm);
    arm.worker = newWorker();
    arm.worker.onmessage = ({ data }) => this.alive && this.hear(arm, data);
    arm.worker.onerror = (event) => this.alive && this.wrong(event.message);
    // bytes, not the compiled module, which Safari cannot clone
    arm.worker.postMessage({ open: { bytes: unpacked, words, file, arm: k } });
    if (this.inside === arm) arm.worker.postMessage({ inside: true });
  }

  hear(arm, data) {
    if (data.look) this.looked(arm, data.look);
    if (data.inside) arm.M = data.inside;
    if (data.typed) arm.answer = data.typed;
    if (data.rests !== undefined) [arm.step, arm.rests] = [data.rests, true];
    if (data.died) this.wrong(data.died);
    if (data.rests !== undefined) this.seat();
    if (data.rests !== undefined) this.settle();
    this.changed();
  }

  opened(arm, { attention, ...opened }) {
    arm.frames.push({ step: 0, layers: attention });
    this.tally();
    arm.formula = opened.formula;
    arm.parameters = opened.parameters;
    if (this.steps) return;
    Object.assign(this, opened, {
      separate: Boolean(opened.titles),
      points_at_answer: opened.points,
      cycle_relations: [...new Set(opened.relations.filter((_, i) => opened.cycle[i]))],
      schedule: this.measuredAt(opened.steps),
    });
    this.scheduled = new Set(this.schedule);
    this.text = this.parsed.task === 'text';
  }

  looked(arm, look) {
    arm.step = look.step;
    if (look.failure) {
      arm.failure = look.failure;
      return this.wrong(look.failure);
    }
    const point = Object.fromEntries(POINT.map((name, i) => [name, look.point[i]]));
    arm.frames[arm.curve.length] = { step: look.step, layers: look.attention };
    arm.curve.push({ step: look.step, ...point });
    this.tally();
    if (this.asking !== undefined && this.answers(arm)) arm.worker.postMessage({ typed: this.asking });
  }

  tally() {
    this.count = Math.min(...this.arms.map((arm) => arm.frames.length));
    this.measured = Math.min(...this.arms.map((arm) => arm.curve.length));
  }

  // Measured points that are still to come.
  get ahead() {
    const step = this.arms[0].frames[this.count - 1].step;
    return this.schedule.filter((at) => at > step).length;
  }
  get ready() {
    return Boolean(this.steps) && this.count > 0;
  }
  get ended() {
    return this.ready && this.arms.every((arm) => arm.frames.at(-1).step >= this.steps);
  }

  go(step) {
    if (!this.begun) return;
    for (const arm of this.arms)
      if (arm.asked !== step && step >= arm.step && !arm.failure) {
        arm.asked = step;
        if (arm.rests) [arm.waits, arm.rests] = [true, false];
        else if (!arm.waits) arm.worker.postMessage({ go: step });
      }
    this.seat();
  }

  // Measures step 0, or takes the step that was asked for before.
  begin() {
    this.begun = true;
    this.level ??= 0;
    this.settle();
  }

  // Lets those train that wait, the one that is furthest behind first.
  seat() {
    const waiting = this.arms.filter((arm) => arm.waits).sort((a, b) => a.step - b.step);
    const taken = this.arms.filter((arm) => !arm.rests && !arm.waits).length;
    for (const arm of waiting.slice(0, Math.max(SEATS - taken, 0))) {
      arm.waits = false;
      if (!arm.worker) this.employ(arm);
      arm.worker.postMessage({ go: arm.asked });
    }
  }

  // Trains on, but only some points past the snapshot that is drawn.
  goAhead(drawn) {
    const step = this.arms[0].frames[Math.min(drawn, this.count - 1)].step;
    const next = this.schedule.findIndex((at) => at > step);
    if (next >= 0) this.go(this.schedule[Math.min(next + LEAD - 1, this.schedule.length - 1)]);
  }

  // Stops at once; then all arms come level, and take `more` steps together.
  halt(more = 0) {
    this.level = more;
    for (const arm of this.arms) {
      [arm.asked, arm.waits] = [-1, false];
      if (arm.worker) arm.worker.postMessage({ halt: true });
      else arm.rests = true;
    }
  }

  settle() {
    if (!this.begun || this.level === undefined || !this.arms.every((arm) => arm.rests)) return;
    const step = Math.max(...this.arms.map((arm) => arm.step)) + this.level;
    this.level = undefined;
    this.go(Math.min(step, this.steps));
  }

  lookInside(arm) {
    if (this.inside === arm) return;
    this.inside?.worker?.postMessage({ inside: false });
    this.inside = arm;
    arm?.worker?.postMessage({ inside: true });
  }

  ask(text) {
    this.asking = text;
    for (const arm of this.arms) if (this.answers(arm)) arm.worker?.postMessage({ typed: text });
  }

  end() {
    this.alive = false;
    for (const arm of this.arms) arm.worker?.terminate();
  }
}
