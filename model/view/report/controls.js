// The slider with its play button and its speeds. The report plays a training back with it; in the
// playground it trains.

const icon = (d) =>
  s(
    'svg',
    { width: 18, height: 18, viewBox: '0 0 18 18', 'aria-hidden': true },
    s('path', { d }),
  );
const ICONS = { play: 'M4 2.5v13l11.5-6.5z', pause: 'M3.5 2.5h4v13h-4zM10.5 2.5h4v13h-4z' };
const wantsStill = matchMedia('(prefers-reduced-motion: reduce)');

//   toggle(): play or pause; seek(at): the slider was moved; speeds: their names; more: other controls
// show({ at, last, step, steps, playing, does }): what it says; `does` is what a press of the button does
function controls({ toggle, seek, speeds, speed, onspeed, more = [] }) {
  const button = h('button', { class: 'play', type: 'button', onclick: toggle });
  const slider = h('input', {
    id: 'step',
    type: 'range',
    min: 0,
    max: 1,
    value: 0,
    'aria-label': 'step of training',
    oninput: () => seek(Number(slider.value)),
  });
  const output = h('output', { for: 'step' });
  const caption = h('p', { class: 'caption' });
  let shown = null;
  const show = ({ at, last, step, steps, playing, does, told = '' }) => {
    if (slider.max !== String(last)) slider.max = last;
    if (slider.value !== String(at)) slider.value = at;
    putAttributes(slider, { 'aria-valuetext': `step ${step} of ${steps}` });
    put(output, `step ${whole(step)} of ${whole(steps)}`);
    put(caption, told);
    if (shown === does) return;
    shown = does;
    button.replaceChildren(icon(ICONS[playing ? 'pause' : 'play']));
    button.setAttribute('aria-label', does);
  };
  const element = h(
    'div',
    { class: 'sticky' },
    h('div', { class: 'player' }, button, slider, output),
    h('div', { class: 'bar' }, more, choice('speed', speeds, speed, onspeed)),
    caption,
  );
  return { element, show };
}
