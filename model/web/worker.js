// One arm in a worker. The page names a step. The worker trains up to it, and measures there and at each
// step at which ./train would measure.

let module = null,
  opening = null, // the other messages wait for it
  measured = [], // the steps at which ./train measures
  step = 0,
  target = 0,
  looked = -1,
  inside = false,
  running = false,
  failed = false;

// Lets messages in; setTimeout would wait for 4 ms.
const { port1, port2 } = new MessageChannel();
const turn = () =>
  new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(0);
  });

function look() {
  const look = module.look();
  looked = step;
  failed = Boolean(look.failure);
  postMessage({ look, inside: inside ? module.inside() : null });
}

async function run() {
  if (running) return;
  running = true;
  while (step < target && !failed) {
    const stop = Math.min(measured.find((at) => at > looked) ?? target, target),
      before = step;
    if (stop > step) step = module.train(stop);
    if (step === stop || step === before) look();
    await turn();
  }
  if (looked < step && step === target) look();
  running = false;
  postMessage({ rests: step });
}

const answer = {
  async open({ bytes, words, file, arm }) {
    module = await openModule(bytes);
    if (file) module.file(file.name, file.text);
    module.parse(words);
    measured = module.measured(module.open(arm).steps); // the page has seen that it opens
  },
  go(to) {
    target = to;
    return run();
  },
  halt() {
    target = step;
    if (!running) postMessage({ rests: step });
  },
  inside(on) {
    inside = on;
    if (on) postMessage({ inside: module.inside() });
  },
  typed(text) {
    postMessage({ typed: module.typed(text) });
  },
  tensors() {
    postMessage({ tensors: module.tensors() });
  },
};

// What ends the program ends the arm, with the program's own line.
onmessage = async ({ data }) => {
  for (const [name, value] of Object.entries(data))
    try {
      if (name === 'open') await (opening = answer.open(value));
      else {
        await opening;
        await answer[name](value);
      }
    } catch (error) {
      failed = true;
      postMessage({ died: error.message });
    }
};
