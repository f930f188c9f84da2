// The arms in training: a worker each, what they have posted, and how far they may go.

const LEAD = 2; // measured points that arms may be ahead of what is drawn

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
//   changed(): there is something new to draw; wrong(text): it can't go on, and why
class Training {
  constructor({ bytes, words, file, parsed, measuredAt, changed, wrong, typed }) {
    Object.assign(this, { words, parsed, measuredAt, changed, wrong, typed });
    this.alive = true;
    this.inside = null; // whose M is wanted
    this.arms = parsed.arms.map((name, k) => {
      const { colour } = parsed.all.find((arm) => arm.name === name);
      const arm = { name, colour: armColour(colour), step: 0, asked: 0, rests: true };
      Object.assign(arm, { frames: [], curve: [], answer: null, M: null });
      arm.worker = new Worker(workerUrl());
      arm.worker.onmessage = ({ data }) => this.alive && this.hear(arm, data);
      arm.worker.onerror = (event) => this.alive && this.wrong(event.message);
      arm.worker.postMessage({ open: { bytes, words, file, arm: k } });
      return arm;
    });
  }

  hear(arm, data) {
    if (data.opened) this.opened(arm, data.opened);
    if (data.look) this.looked(arm, data.look);
    if (data.inside) arm.M = data.inside;
    if (data.typed) arm.answer = data.typed;
    if (data.rests !== undefined) [arm.step, arm.rests] = [data.rests, true];
    if (data.died) this.wrong(data.died);
    if (data.rests !== undefined) this.settle();
    this.changed();
  }

  opened(arm, opened) {
    if (opened.error) return this.wrong(opened.error);
    arm.formula = opened.formula;
    arm.parameters = opened.parameters;
    if (this.steps) return;
    Object.assign(this, opened, {
      separate: Boolean(opened.titles),
      points_at_answer: opened.points,
      cycle_relations: [...new Set(opened.relations.filter((_, i) => opened.cycle[i]))],
      schedule: this.measuredAt(opened.steps),
    });
    this.text = this.parsed.task === 'text';
  }

  looked(arm, look) {
    arm.step = look.step;
    if (look.failure) {
      arm.failure = look.failure;
      return this.wrong(look.failure);
    }
    const point = Object.fromEntries(POINT.map((name, i) => [name, look.point[i]]));
    arm.frames.push({ step: look.step, layers: look.attention });
    arm.curve.push({ step: look.step, ...point });
    if (this.asking !== undefined) arm.worker.postMessage({ typed: this.asking });
  }

  // Snapshots that all arms have; all arms look at the same steps.
  get count() {
    return Math.min(...this.arms.map((arm) => arm.frames.length));
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
    for (const arm of this.arms)
      if (arm.asked !== step && step >= arm.step && !arm.failure) {
        arm.asked = step;
        arm.rests = false;
        arm.worker.postMessage({ go: step });
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
      arm.asked = -1;
      arm.worker.postMessage({ halt: true });
    }
  }

  settle() {
    if (this.level === undefined || !this.arms.every((arm) => arm.rests)) return;
    const step = Math.max(...this.arms.map((arm) => arm.step)) + this.level;
    this.level = undefined;
    this.go(Math.min(step, this.steps));
  }

  lookInside(arm) {
    if (this.inside === arm) return;
    this.inside?.worker.postMessage({ inside: false });
    this.inside = arm;
    arm.worker.postMessage({ inside: true });
  }

  ask(text) {
    this.asking = text;
    for (const arm of this.arms) arm.worker.postMessage({ typed: text });
  }

  end() {
    this.alive = false;
    for (const arm of this.arms) arm.worker.terminate();
  }
}

let workerAt = null;
function workerUrl() {
  workerAt ??= URL.createObjectURL(
    new Blob([byId('worker.js').textContent], { type: 'text/javascript' }),
  );
  return workerAt;
}
