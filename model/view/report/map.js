// A sentence and what its words attend to: as a map, rows ask and columns answer, and as arcs.

// Words beside a map's rows and, turned, above its columns; what is too long is cut.
const LONGEST_WORD = 92;

function cut(text, room = LONGEST_WORD) {
  if (textWidth(text) <= room) return text;
  const letters = [...text];
  while (letters.length && textWidth(`${letters.join('')}…`) > room) letters.pop();
  return `${letters.join('')}…`;
}

// The bar below a map: which colour is which value, from end to end.
function legend(x, y, width, low, high, colour, text) {
  const parts = 40, wide = Math.min(width, 150);
  const bars = Array.from({ length: parts }, (_, i) => s('rect', { x: tenth(x + i * wide / parts), y,
    width: tenth(wide / parts + 0.6), height: 8, fill: colour(low + (high - low) * (i + 0.5) / parts) }));
  const number = (value) => tickText(+value.toPrecision(3));
  return s('g', {}, bars,
    s('text', { class: 'soft', x, y: y + 23 }, number(low)),
    low < 0 ? s('text', { class: 'soft', x: x + wide / 2, y: y + 23, 'text-anchor': 'middle' }, '0') : null,
    s('text', { class: 'soft', x: x + wide, y: y + 23, 'text-anchor': 'end' }, number(high)),
    text ? s('text', { class: 'soft', x: x + wide + 14, y: y + 8 }, text) : null);
}

// map: { label, rows, columns: words, value(i, j), colour(value), low, high, legend, targets, tell(i, j) }
// Gives the <svg>; its `refresh` draws other values into the same cells.
function drawMap(width, map) {
  const { rows, columns, targets = [] } = map;
  const left = Math.ceil(Math.max(...rows.map((word) => textWidth(cut(word))))) + 8;
  const top = Math.ceil(Math.max(...columns.map((word) => textWidth(cut(word))))) + 12;
  const size = Math.max(Math.min((width - left - 2) / columns.length, 34), 3), gap = size > 10 ? 1 : 0;
  const height = Math.ceil(top + rows.length * size + 46);
  const svg = s('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': map.label });
  const every = Math.max(1, Math.ceil(11 / size));  // of small cells not every word has room
  rows.forEach((word, i) => { if (i % every === 0) svg.append(s('text', { x: left - 7,
    y: tenth(top + (i + 0.5) * size + 4), 'text-anchor': 'end' }, cut(word))); });
  columns.forEach((word, j) => { if (j % every === 0) svg.append(s('text', {
    transform: `translate(${tenth(left + (j + 0.5) * size + 4)} ${top - 6}) rotate(-90)` }, cut(word))); });
  const cells = rows.map((_, i) => columns.map((__, j) => s('rect', { 'data-cell': `${i},${j}`,
    x: tenth(left + j * size), y: tenth(top + i * size), width: tenth(size - gap), height: tenth(size - gap),
    rx: size > 14 ? 2.5 : 0 })));
  svg.append(...cells.flat());
  targets.forEach((j, i) => { if (j >= 0) svg.append(s('rect', { class: 'target', x: tenth(left + j * size),
    y: tenth(top + i * size), width: tenth(size - gap), height: tenth(size - gap), rx: size > 14 ? 2.5 : 0 })); });
  svg.append(legend(left, height - 32, width - left, map.low, map.high, map.colour, map.legend));
  svg.refresh = () => cells.forEach((row, i) => row.forEach((cell, j) => {
    const value = map.value(i, j);
    cell.setAttribute('fill', map.colour(value));
    cell.setAttribute('data-value', value);
  }));
  svg.refresh();
  const tell = (event) => {
    const cell = event.target.dataset?.cell;
    if (!cell) return hideTip();
    const [i, j] = cell.split(',').map(Number);
    return showTip(map.tell(i, j), event.clientX, event.clientY);
  };
  svg.addEventListener('pointermove', tell);
  svg.addEventListener('pointerleave', hideTip);
  return svg;
}

function mapRows({ rows, columns, value }) {
  return [['', ...columns], ...rows.map((word, i) => [word, ...columns.map((_, j) => value(i, j))])];
}

// ---- arcs --------------------------------------------------------------------------------------

const LEAST_WEIGHT = 0.04, THICKEST = 7;

// Where each word stands: side by side if there is room, else turned and evenly apart.
function placeWords(words, x0, x1) {
  const widths = words.map((word) => textWidth(word));
  const gap = 9, total = widths.reduce((sum, w) => sum + w + gap, -gap);
  if (total <= x1 - x0) {
    const spare = Math.min((x1 - x0 - total) / Math.max(words.length - 1, 1), 16);
    let x = x0 + (x1 - x0 - total - spare * (words.length - 1)) / 2;
    return { turned: false, tall: 20, x: widths.map((w) => { const at = x + w / 2; x += w + gap + spare; return at; }) };
  }
  const step = (x1 - x0) / words.length;
  return { turned: true, tall: Math.min(Math.max(...widths), LONGEST_WORD) + 10,
    x: words.map((_, i) => x0 + (i + 0.5) * step) };
}

// From the asking word up and over to the one that answers; a loop to itself.
function arcPath(x0, x1, y, room) {
  if (x0 === x1) return `M${tenth(x0 - 4)} ${y}c-9 -26 17 -26 8 0`;
  const high = Math.min(room, 14 + Math.abs(x1 - x0) * 0.5);
  return `M${tenth(x0)} ${y}C${tenth(x0)} ${tenth(y - high * 1.3)} ${tenth(x1)} ${tenth(y - high * 1.3)} ${tenth(x1)} ${y}`;
}

function wordText(word, place, i, y, asks, below = true) {
  const attributes = { class: asks ? 'asks' : 'silent' };
  if (!place.turned) return s('text', { ...attributes, x: tenth(place.x[i]), y, 'text-anchor': 'middle' }, word);
  return s('text', { ...attributes, 'text-anchor': below ? 'end' : 'start',
    transform: `translate(${tenth(place.x[i] + 4)} ${y - (below ? 10 : 0)}) rotate(-90)` }, cut(word));
}

// sentence: { label, rows, columns, targets, separate, kind(i): 'cycle' | 'good', value(i, j), tell(i, j) }
// Arcs of one arm. Where queries are apart from what they search, these stand below and that above.
function drawArcs(width, sentence) {
  const { rows, columns, targets, separate, value, kind } = sentence;
  const below = placeWords(rows, 6, width - 6);
  const above = separate ? placeWords(columns, 6, width - 6) : below;
  const room = separate ? 120 : Math.round(Math.min(width * 0.36, 190));
  const head = separate ? above.tall : 6;
  const y = head + room;
  const height = y + below.tall + 4;
  const svg = s('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': sentence.label });
  const path = (i, j) => (separate
    ? `M${tenth(below.x[i])} ${y - 4}C${tenth(below.x[i])} ${y - room / 2} ${tenth(above.x[j])} ${head + room / 2} ${tenth(above.x[j])} ${head + 6}`
    : arcPath(below.x[i], above.x[j], y - 2, room));
  const asks = (i) => targets[i] >= 0;
  const anyAsks = targets.some((j) => j >= 0);
  const wanted = s('g', {}, rows.map((_, i) => (asks(i) ? s('path', { class: 'want', d: path(i, targets[i]) }) : null)));
  const arcs = s('g', {});
  svg.append(wanted, arcs);
  rows.forEach((word, i) => svg.append(wordText(word, below, i, y + 15, asks(i) || !anyAsks)));
  if (separate) columns.forEach((word, j) => svg.append(wordText(word, above, j, head - 4, true, false)));
  svg.refresh = () => {
    const drawn = [];
    rows.forEach((_, i) => {
      if (anyAsks && !asks(i)) return;
      columns.forEach((__, j) => {
        const weight = value(i, j);
        if (weight < LEAST_WEIGHT || (!anyAsks && weight < 3 * LEAST_WEIGHT)) return;
        const good = anyAsks ? j === targets[i] : true;
        drawn.push({ good, arc: s('path', { class: `arc ${good ? kind(i) : 'bad'}`, d: path(i, j),
          'stroke-width': tenth(0.6 + THICKEST * weight * (good ? 0.62 : 0.5)),
          opacity: (good ? 0.35 + 0.65 * weight : 0.2 + 0.5 * weight).toFixed(2),
          onpointermove: (event) => showTip(sentence.tell(i, j), event.clientX, event.clientY),
          onpointerleave: hideTip }) });
      });
    });
    drawn.sort((a, b) => a.good - b.good);
    arcs.replaceChildren(...drawn.map(({ arc }) => arc));
  };
  svg.refresh();
  return svg;
}
