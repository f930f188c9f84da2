// Puts the page together, and draws it again when its width or its colours change.

function runPage(run, bytes) {
  document.title = `qkv · ${run.summary.task} · seed ${run.summary.seed}`;
  byId('head').append(...head(run).filter(Boolean));
  const player = sentence(run);
  byId('main').replaceChildren(
    ...[
      player,
      arms(run),
      pages(run),
      relations(run),
      text(run),
      curves(run),
      headSymmetry(run),
      layers(run),
      inside(run),
    ].filter(Boolean),
  );
  byId('foot').append(made(run, bytes));
  return player;
}

function start() {
  const bytes = new Blob([document.documentElement.outerHTML]).size;
  const run = readRun(),
    sweep = readSweep();
  const player = run ? runPage(run, bytes) : null;
  if (sweep) sweepPage(sweep);
  redrawAll();
  player?.begin();
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth === width) return; // a phone's bars come and go with scrolling
    width = innerWidth;
    redrawAll();
  });
  darkness.addEventListener('change', redrawAll);
  addEventListener('beforeprint', () => {
    printing = true;
    redrawAll();
  });
  addEventListener('afterprint', () => {
    printing = false;
    redrawAll();
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hideTip();
  });
}

// Replaces the page by one sentence that says what is wrong.
function tellWrong(error) {
  const text = `This page cannot be drawn: ${error.message}.`;
  byId('head').replaceChildren();
  byId('foot').replaceChildren();
  byId('main').replaceChildren(h('p', { role: 'alert', style: 'margin-top:64px' }, text));
  console.error(error);
}

try {
  start();
} catch (error) {
  tellWrong(error);
}
