// Attention in one sentence: as a map (rows are queries, columns are keys) and as arcs.

// Words stand beside the rows of a map and, turned, above its columns. Long words are cut.
const LONGEST_WORD = 92;

function cut(text, room = LONGEST_WORD) {
  if (textWidth(text) <= room) return text;
  const letters = [...text];
  while (letters.length && textWidth(`${letters.join('')}…`) > room) letters.pop();
  return `${letters.join('')}…`;
}

// The bar below a map: it shows which colour stands for which value.
function legend(x, y, width, low, high, colour, text) {
  const parts = 40,
    wide = Math.min(width, text ? width - textWidth(text) - 16 : width, 150);
  const bars = Array.from({ length: parts }, (_, i) =>
    s('rect', {
      x: tenth(x + (i * wide) / parts),
      y,
      width: tenth(wide / parts + 0.6),
      height: 8,
      fill: colour(low + ((high - low) * (i + 0.5)) / parts),
    }),
  );
  const number = (value) => tickText(+value.toPrecision(3));
  return s(
    'g',
    {},
    bars,
    s('text', { class: 'soft', x, y: y + 23 }, number(low)),
    low < 0
      ? s('text', { class: 'soft', x: x + wide / 2, y: y + 23, 'text-anchor': 'middle' }, '0')
      : null,
    s('text', { class: 'soft', x: x + wide, y: y + 23, 'text-anchor': 'end' }, number(high)),
    text ? s('text', { class: 'soft', x: x + wide + 14, y: y + 8 }, text) : null,
  );
}

// map: { label, rows, columns: words, value(i, j), colour(value), low, high, legend, targets, tell(i, j) }
// Returns an <svg>; its `refresh` draws new values into the same cells.
function drawMap(width, map) {
  const { rows, columns, targets = [] } = map;
  const left = Math.ceil(Math.max(...rows.map((word) => textWidth(cut(word))))) + 8;
  const top = Math.ceil(Math.max(...columns.map((word) => textWidth(cut(word))))) + 12;
  const size = Math.max(Math.min((width - left - 2) / columns.length, 34), 3),
    gap = size > 10 ? 1 : 0;
  const height = Math.ceil(top + rows.length * size + 46);
  const svg = drawing(width, height, map.label);
  const every = Math.max(1, Math.ceil(11 / size)); // small cells have no room for every word
  rows.forEach((word, i) => {
    if (i % every === 0)
      svg.append(
        s(
          'text',
          { x: left - 7, y: tenth(top + (i + 0.5) * size + 4), 'text-anchor': 'end' },
          cut(word),
        ),
      );
  });
  columns.forEach((word, j) => {
    if (j % every === 0)
      svg.append(
        s(
          'text',
          {
            transform: `translate(${tenth(left + (j + 0.5) * size + 4)} ${top - 6}) rotate(-90)`,
          },
          cut(word),
        ),
      );
  });
  const cells = rows.map((_, i) =>
    columns.map((__, j) =>
      s('rect', {
        'data-cell': `${i},${j}`,
        x: tenth(left + j * size),
        y: tenth(top + i * size),
        width: tenth(size - gap),
        height: tenth(size - gap),
        rx: size > 14 ? 2.5 : 0,
      }),
    ),
  );
  svg.append(...cells.flat());
  targets.forEach((j, i) => {
    if (j >= 0)
      svg.append(
        s('rect', {
          class: 'target',
          x: tenth(left + j * size),
          y: tenth(top + i * size),
          width: tenth(size - gap),
          height: tenth(size - gap),
          rx: size > 14 ? 2.5 : 0,
        }),
      );
  });
  svg.append(legend(left, height - 32, width - left, map.low, map.high, map.colour, map.legend));
  svg.refresh = () =>
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const value = map.value(i, j);
        cell.setAttribute('fill', map.colour(value));
        cell.setAttribute('data-value', value);
      }),
    );
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
  return [
    ['', ...columns],
    ...rows.map((word, i) => [word, ...columns.map((_, j) => value(i, j))]),
  ];
}

// ---- arcs --------------------------------------------------------------------------------------

const LEAST_WEIGHT = 0.04,
  THICKEST = 7;

// The place of each word: side by side if there is room, else turned and evenly spaced.
function placeWords(words, x0, x1) {
  const widths = words.map((word) => textWidth(word));
  const gap = 9,
    total = widths.reduce((sum, w) => sum + w + gap, -gap);
  if (total <= x1 - x0) {
    const spare = Math.min((x1 - x0 - total) / Math.max(words.length - 1, 1), 16);
    let x = x0 + (x1 - x0 - total - spare * (words.length - 1)) / 2;
    return {
      turned: false,
      tall: 20,
      x: widths.map((w) => {
        const at = x + w / 2;
        x += w + gap + spare;
        return at;
      }),
    };
  }
  const step = (x1 - x0) / words.length;
  return {
    turned: true,
    tall: Math.min(Math.max(...widths), LONGEST_WORD) + 10,
    x: words.map((_, i) => x0 + (i + 0.5) * step),
  };
}

// An arc from a word to the word that it attends to: above the words if that comes later, below them if it
// comes earlier, so that a cycle forms a ring. A word that attends to itself gets a loop.
function arc(x0, x1, above, below, room) {
  if (x0 === x1) return { d: `M${tenth(x0 - 5)} ${above}c-8 -24 18 -24 10 0`, end: null };
  const forth = x1 > x0,
    side = forth ? 1 : -1,
    y = forth ? above : below;
  const from = x0 + 5 * side,
    to = x1 - 5 * side;
  const high = y - side * Math.min(room, 10 + Math.abs(x1 - x0) * 0.45) * 1.3;
  return {
    d: `M${tenth(from)} ${y}C${tenth(from)} ${tenth(high)} ${tenth(to)} ${tenth(high)} ${tenth(to)} ${y - 5 * side}`,
    end: { x: to, y: y + side, side },
  };
}

// From a query below to a page above.
function ray(x0, x1, above, below) {
  const middle = (above + below) / 2;
  return {
    d: `M${tenth(x0)} ${below}C${tenth(x0)} ${middle} ${tenth(x1)} ${middle} ${tenth(x1)} ${above + 5}`,
    end: { x: x1, y: above - 1, side: -1 },
  };
}

function arrowhead({ x, y, side }, size) {
  return `M${tenth(x)} ${y}l${tenth(-size)} ${tenth(-side * size * 1.7)}h${tenth(2 * size)}z`;
}

function wordText(word, place, i, y, asks) {
  const attributes = { class: asks ? 'asks' : 'silent' };
  if (!place.turned)
    return s(
      'text',
      { ...attributes, x: tenth(place.x[i]), y: y + 14, 'text-anchor': 'middle' },
      word,
    );
  return s(
    'text',
    {
      ...attributes,
      'text-anchor': 'middle',
      transform: `translate(${tenth(place.x[i] + 4)} ${tenth(y + place.tall / 2)}) rotate(-90)`,
    },
    cut(word),
  );
}

// sentence: { label, rows, columns, targets, separate, kind(i): 'cycle' | 'good', value(i, j), tell(i, j) }
// Arcs of one arm. If `separate`, queries stand below and the pages above.
function drawArcs(width, sentence) {
  const { rows, columns, targets, separate } = sentence;
  const place = placeWords(rows, 6, width - 6);
  const pages = separate ? placeWords(columns, 6, width - 6) : place;
  const room = separate ? 130 : Math.round(Math.min(Math.max(width * 0.24, 84), 130));
  const top = separate ? pages.tall + 8 : room + 6; // where arcs above the words begin
  const under = top + (separate ? room : place.tall + 4); // and arcs below the words
  const height = under + (separate ? place.tall + 8 : room + 6);
  const svg = drawing(width, height, sentence.label);
  const lines = rows.map((_, i) =>
    columns.map((__, j) =>
      separate
        ? ray(place.x[i], pages.x[j], top, under)
        : arc(place.x[i], place.x[j], top, under, room),
    ),
  );
  const asked = targets.some((j) => j >= 0);
  const arcs = s('g', {});
  svg.append(
    s(
      'g',
      {},
      targets.map((j, i) => (j >= 0 ? s('path', { class: 'want', d: lines[i][j].d }) : null)),
    ),
    arcs,
  );
  rows.forEach((word, i) =>
    svg.append(wordText(word, place, i, separate ? under + 4 : top + 2, targets[i] >= 0 || !asked)),
  );
  if (separate) columns.forEach((word, j) => svg.append(wordText(word, pages, j, 2, true)));
  svg.refresh = () => arcs.replaceChildren(...arcsOf(sentence, lines, asked));
  svg.refresh();
  return svg;
}

// The arcs of the current weights, correct ones on top. A question is correct if the right word has the
// largest weight of its row.
function arcsOf({ rows, columns, targets, kind, value, tell }, lines, asked) {
  const drawn = [];
  const least = asked ? LEAST_WEIGHT : 3 * LEAST_WEIGHT;
  rows.forEach((_, i) =>
    columns.forEach((__, j) => {
      const weight = value(i, j);
      if (weight < least || (asked && targets[i] < 0)) return;
      const right = !asked || j === targets[i];
      const good = right && (!asked || columns.every((___, other) => value(i, other) <= weight));
      const { d, end } = lines[i][j];
      const looks = good ? kind(i) : right ? 'part' : 'bad';
      const opacity = (good ? 0.35 + 0.65 * weight : 0.18 + 0.5 * weight).toFixed(2);
      const hover = {
        opacity,
        onpointerleave: hideTip,
        onpointermove: (event) => showTip(tell(i, j), event.clientX, event.clientY),
      };
      const line = s('path', {
        class: `arc ${looks}`,
        d,
        'stroke-width': tenth(0.6 + THICKEST * weight * 0.55),
        ...hover,
      });
      const tip = end
        ? s('path', { class: `tip ${looks}`, d: arrowhead(end, 2 + 3.5 * weight), ...hover })
        : null;
      drawn.push({ rank: good + right, parts: [line, tip] });
    }),
  );
  return drawn
    .sort((a, b) => a.rank - b.rank)
    .flatMap(({ parts }) => parts)
    .filter(Boolean);
}
