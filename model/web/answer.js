// One trained arm of a report, in a worker: answers sentences, or writes text until it is told otherwise.

let module = null,
  writing = 0; // how many texts were begun

// Lets messages in; setTimeout would wait for 4 ms.
const { port1, port2 } = new MessageChannel();
const turn = () =>
  new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(0);
  });

const does = {
  async open({ bytes, name, file }) {
    module = await openModule(bytes);
    module.file(name, file);
    postMessage({ opened: module.saved(name) });
  },
  typed: (sentence) => postMessage({ typed: { sentence, ...module.asked(sentence) } }),
  // A character at a time. Another text, or null, ends this one.
  async write(asked) {
    const mine = ++writing;
    if (!asked) return;
    const { unknown } = module.prompt(asked.prompt, asked.temperature, asked.seed);
    postMessage({ begun: { ...asked, unknown } });
    for (let n = 0; n < asked.length; n++) {
      await turn();
      if (mine !== writing) return;
      const more = module.more(1);
      postMessage({ more });
      if (more.error) return;
    }
    postMessage({ ended: true });
  },
};

// One after the other, in the order in which they came; but nothing waits for a text to be whole.
let before = Promise.resolve();
onmessage = ({ data }) => {
  for (const [name, value] of Object.entries(data))
    before = before
      .then(() => (name === 'write' ? void does.write(value) : does[name](value)))
      .catch((error) => postMessage({ died: error.message }));
};
