// Puts the page together, and draws it again when its width or its colours change.

function runPage(run, bytes) {
  document.title = `qkv · ${run.summary.task} · seed ${run.summary.seed}`;
  byId('head').append(...head(run).filter(Boolean));
  const player = sentence(run);
  const sections = [
    player,
    answers(run),
    pages(run),
    text(run),
    curves(run),
    arms(run),
    relations(run),
    headSymmetry(run),
    inside(run),
  ].filter(Boolean);
  const end = made(run, bytes);
  byId('main').replaceChildren(contents([...sections, end]), ...sections);
  byId('foot').append(end);
  return player;
}

// A list of the page's sections. The address belongs to what is shown, so a click only scrolls.
function contents(sections) {
  const link = (one) =>
    h(
      'a',
      {
        href: `#${one.id}`,
        onclick: (event) => {
          event.preventDefault();
          one.scrollIntoView({ behavior: wantsStill.matches ? 'auto' : 'smooth' });
          one.querySelector('h2').focus({ preventScroll: true });
        },
      },
      one.querySelector('h2').textContent,
    );
  return h('nav', { class: 'contents', 'aria-label': 'on this page' }, sections.map(link));
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
