// What all pictures use: elements, colours, the frame with its tools, the tip under the pointer.

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined),
  );
  return element;
}

const h = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);
const s = (name, attributes = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

// An <svg> measured in pixels, with a label for screen readers.
const drawing = (width, height, label) =>
  s('svg', {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
    'aria-label': label,
  });

const byId = (id) => document.getElementById(id);

// What already stands there is not written again: a browser lays out and paints what is written.
function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
function putAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes))
    if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

// Makes `nodes` the children of `parent`, and leaves those alone that stand at their place.
function putChildren(parent, nodes) {
  let at = parent.firstChild;
  for (const node of nodes)
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

const tenth = (x) => Math.round(10 * x) / 10;

// ---- colours -----------------------------------------------------------------------------------

// Colour ramps that start at the page's background: blue for weights and for positive scores, orange for
// negative scores. Their lightness changes evenly, so they work for the colour-blind and in print.
const RAMPS = {
  light: {
    weight: ['#f1f4f9', '#d3e0f2', '#a6c3e8', '#709fd9', '#3d78c4', '#1d55a3', '#0b3277'],
    below: ['#f4f4f5', '#fbdcc0', '#f5b983', '#e38f45', '#c0661b', '#8f4506', '#5e2b00'],
  },
  dark: {
    weight: ['#1c222d', '#1e3657', '#20528a', '#2c75bb', '#569fde', '#93c9f5', '#dff0ff'],
    below: ['#1c222d', '#482c15', '#7a4416', '#ae621f', '#dd8a45', '#f9b985', '#ffe6d2'],
  },
};
const darkness = matchMedia('(prefers-color-scheme: dark)');
let printing = false;
const ramps = () => RAMPS[darkness.matches && !printing ? 'dark' : 'light'];

const SHADES = 512; // of a ramp
const shades = new Map(); // ramp: its shades

function ramp(colours, at) {
  if (!shades.has(colours))
    shades.set(colours, Array.from({ length: SHADES + 1 }, (_, i) => mixOf(colours, i / SHADES)));
  return shades.get(colours)[Math.round(Math.min(Math.max(at, 0), 1) * SHADES)];
}

function mixOf(colours, at) {
  const place = at * (colours.length - 1);
  const i = Math.min(Math.floor(place), colours.length - 2);
  const part = (colour, k) => parseInt(colour.slice(1 + 2 * k, 3 + 2 * k), 16);
  const mix = [0, 1, 2].map((k) =>
    Math.round(part(colours[i], k) + (place - i) * (part(colours[i + 1], k) - part(colours[i], k))),
  );
  return `rgb(${mix.join(',')})`;
}

// The arms' colours as the style sheet has them: lines of 3:1 at least on light and on dark.
const ARM_INKS = ['#8a8a8a', '#b8a000', '#56b4e9', '#e69f00', '#cc79a7', '#0072b2', '#009e73', '#d55e00'];
const armColour = (colour) =>
  ARM_INKS.includes(colour.toLowerCase())
    ? `var(--arm-${colour.slice(1).toLowerCase()})`
    : /^#[0-9a-f]{6}$/i.test(colour)
      ? colour
      : 'gray'; // no colour, and so no part of a style

const weightColour = (weight) => ramp(ramps().weight, weight);
const scoreColour = (score, most) =>
  ramp(score < 0 ? ramps().below : ramps().weight, most > 0 ? Math.abs(score) / most : 0);

// ---- the tip -----------------------------------------------------------------------------------

const TIP_GAP = 14;

function showTip(text, x, y) {
  const tip = byId('tip');
  tip.textContent = text;
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = x + TIP_GAP + width < innerWidth ? x + TIP_GAP : Math.max(4, x - TIP_GAP - width);
  const top = y + TIP_GAP + height < innerHeight ? y + TIP_GAP : Math.max(4, y - TIP_GAP - height);
  tip.style.left = `${left}px`;
  tip.style.top = `${top}px`;
}

function hideTip() {
  byId('tip').hidden = true;
}

// A tip over what the pointer is on, or what was tapped. text(event): null where there is nothing.
function tipsOf(element, text) {
  const tell = (event) => {
    const told = text(event);
    if (told) showTip(told, event.clientX, event.clientY);
    else hideTip();
  };
  element.addEventListener('pointermove', tell);
  element.addEventListener('pointerdown', tell);
  element.addEventListener('pointerleave', (event) => event.pointerType === 'touch' || hideTip());
}
addEventListener('pointerdown', hideTip, true); // a tap elsewhere

function say(text) {
  byId('said').textContent = text;
}

// ---- saving ------------------------------------------------------------------------------------

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1e4);
}

// The picture as a file of its own: all styles of the page are written into it.
function standalone(svg) {
  const properties = [
    'fill',
    'stroke',
    'stroke-width',
    'stroke-dasharray',
    'stroke-linecap',
    'stroke-linejoin',
    'paint-order',
    'opacity',
    'font-family',
    'font-size',
    'font-weight',
  ];
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    for (const property of properties) {
      const value = style.getPropertyValue(property);
      if (value) element.setAttribute(property, value);
    }
    for (const name of ['class', 'tabindex', 'style']) element.removeAttribute(name);
  });
  copy.querySelectorAll('[data-cursor]').forEach((element) => element.remove());
  const ground = getComputedStyle(document.documentElement).getPropertyValue('--card').trim();
  copy.prepend(s('rect', { width: '100%', height: '100%', fill: ground }));
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return new XMLSerializer().serializeToString(copy);
}

// `cell` may round the values of a column; a saved CSV keeps them exact.
function tableOf(rows, cell = (x) => x) {
  const [head, ...body] = rows;
  const text = (x) => (x === null || x === undefined ? '' : String(x));
  return h(
    'table',
    {},
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        head.map((x) => h('th', { scope: 'col' }, text(x))),
      ),
    ),
    h(
      'tbody',
      {},
      body.map((row) =>
        h(
          'tr',
          {},
          row.map((x, i) => h(i ? 'td' : 'th', i ? {} : { scope: 'row' }, text(cell(x, i)))),
        ),
      ),
    ),
  );
}

// ---- the frame ---------------------------------------------------------------------------------

const frames = []; // all frames of the page; they are drawn again when the page changes

// A picture with its title, its explanation, and the same numbers as a table. Both can be saved.
//   draw(width): returns an <svg>; rows(): the numbers, the first row is the heading; note(): a line or
//   null; said(): a line below the picture, or null; title: a text, or a function if it changes; file(): the name of the saved file, if not
//   `name`; cell: see tableOf
function frame({ name, file = () => name, title, note, said, controls = [], draw, rows, cell }) {
  const titled = typeof title === 'function' ? title : () => title;
  const heading = h('h3');
  const picture = h('div', { class: 'picture' });
  const line = h('p', {});
  const words = said ? h('p', { class: 'said' }) : null;
  const details = h('details', { class: 'table' }, h('summary', {}, 'as a table'));
  const body = h('div', {
    class: 'scroll',
    tabindex: 0,
    role: 'region',
  });
  const fillTable = () => {
    if (details.open) body.replaceChildren(tableOf(rows(), cell));
  };
  details.addEventListener('toggle', fillTable);
  details.append(body);
  const svg = () => picture.querySelector('svg');
  const saver = (kind, onclick) =>
    h('button', { class: 'small', type: 'button', onclick }, kind);
  const savers = [
    saver('SVG', () => download(`${file()}.svg`, 'image/svg+xml', standalone(svg()))),
    saver('CSV', () => download(`${file()}.csv`, 'text/csv', writeCsv(rows()))),
  ];
  const element = h(
    'figure',
    { 'data-figure': name },
    h('figcaption', {}, heading, controls, line),
    picture,
    words,
    h(
      'div',
      { class: 'tools' },
      details,
      savers,
    ),
  );
  let told = null;
  const tellTitle = () => {
    heading.replaceChildren(...[titled()].flat());
    const text = heading.textContent;
    if (text === told) return;
    told = text;
    body.setAttribute('aria-label', `${text}: the numbers`);
    savers.forEach((button) =>
      button.setAttribute('aria-label', `save ${text} as ${button.textContent}`),
    );
  };
  if (typeof title === 'string') tellTitle();
  const tellNote = () => {
    const text = note ? note() : null;
    put(line, text ?? '');
    line.hidden = !text;
    if (words) put(words, said());
  };
  const room = () => Math.floor(picture.clientWidth);
  const redraw = (width = room()) => {
    if (!width) return;
    tellTitle();
    tellNote();
    picture.replaceChildren(draw(width));
    fillTable();
  };
  const refresh = () => {
    // the same picture with other values
    tellNote();
    svg()?.refresh?.();
    fillTable();
  };
  const one = { element, room, redraw, refresh };
  frames.push(one);
  return one;
}

function redrawAll() {
  hideTip();
  drawInRoom(frames);
}

// All widths are asked for before anything is drawn: otherwise the browser would lay out the page for each.
function drawInRoom(pictures) {
  const rooms = pictures.map(({ room }) => room?.());
  pictures.forEach(({ redraw }, k) => redraw(rooms[k]));
}

// A row of buttons; one is chosen.
function choice(label, options, chosen, onchoose) {
  const buttons = options.map((option) =>
    h(
      'button',
      {
        type: 'button',
        'aria-pressed': String(option === chosen),
        onclick: () => {
          buttons.forEach((button, i) =>
            button.setAttribute('aria-pressed', String(options[i] === option)),
          );
          onchoose(option);
        },
      },
      option,
    ),
  );
  return h('span', { class: 'choice', role: 'group', 'aria-label': label }, buttons);
}

const dot = (colour) =>
  h('span', { class: 'dot', style: `background:${colour};border-color:${colour}` });

// A button per arm, which hides and shows the arm. The last visible arm cannot be hidden.
function armToggles(arms, off, onchange) {
  const toggle = (name, button) => {
    if (!off.has(name) && off.size === arms.length - 1) return say(`${name} is the only visible arm`);
    if (!off.delete(name)) off.add(name);
    button.setAttribute('aria-pressed', String(!off.has(name)));
    return onchange();
  };
  return arms.map(({ name, colour }) =>
    h(
      'button',
      {
        class: 'button arm',
        type: 'button',
        'aria-pressed': 'true',
        onclick: (event) => toggle(name, event.currentTarget),
      },
      dot(colour),
      name,
    ),
  );
}

function select(label, options, chosen, onchoose) {
  const list = h(
    'select',
    { onchange: () => onchoose(list.value) },
    options.map((option) => h('option', { value: option, selected: option === chosen }, option)),
  );
  return h('label', {}, label, list);
}

// A selector of arms; nothing if there is only one arm.
function selectArm(arms, chosen, onchoose) {
  if (arms.length < 2) return null;
  const names = arms.map(({ name }) => name);
  return select('arm', names, chosen.name, (name) => onchoose(arms[names.indexOf(name)]));
}

function section(id, title, text, ...children) {
  return h(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title`, tabindex: -1 }, title),
    text ? h('p', {}, text) : null,
    children,
  );
}
