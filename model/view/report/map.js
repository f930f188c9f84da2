// Attention in one sentence: as a map (rows are queries, columns are keys) and as arcs.

// Words stand beside the rows of a map and, turned, above its columns. Long words are cut.
const LONGEST_WORD = 92;

function cut(text, room = LONGEST_WORD) {
  if (textWidth(text) <= room) return text;
  const letters = [...text.slice(0, 400)]; // more fit nowhere, and each is measured
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

// map: { label, rows, columns: words, value(i, j), colour(value), low, high, legend, targets, kind(i),
//        and either a focus (focus.js) with said(), or tell(i, j) for the tip }
// Returns an <svg>; its `refresh` draws new values into the same cells.
function drawMap(width, map) {
  const { rows, columns, targets = [], focus } = map;
  const left = Math.ceil(Math.max(...rows.map((word) => textWidth(cut(word))))) + 8;
  const top = Math.ceil(Math.max(...columns.map((word) => textWidth(cut(word))))) + 12;
  const size = Math.max(Math.min((width - left - 2) / columns.length, 34), 3),
    gap = size > 10 ? 1 : 0;
  const height = Math.ceil(top + rows.length * size + 46);
  const svg = drawing(width, height, map.label);
  const every = Math.max(1, Math.ceil(13 / size)); // small cells have no room for every word
  rows.forEach((word, i) => {
    if (i % every === 0)
      svg.append(
        s(
          'text',
          {
            x: left - 7,
            y: tenth(top + (i + 0.5) * size + 4),
            'text-anchor': 'end',
            'data-at': `${i},-1`,
          },
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
            'data-at': `-1,${j}`,
          },
          cut(word),
        ),
      );
  });
  const cells = rows.map((_, i) =>
    columns.map((__, j) =>
      s('rect', {
        'data-cell': `${i},${j}`,
        'data-at': `${i},${j}`,
        x: tenth(left + j * size),
        y: tenth(top + i * size),
        width: tenth(size - gap),
        height: tenth(size - gap),
        rx: size > 14 ? 2.5 : 0,
      }),
    ),
  );
  svg.append(...cells.flat());
  const framed = (name, i, j, wide, inset) =>
    s('rect', {
      class: name,
      x: tenth(left + j * size + inset),
      y: tenth(top + i * size + inset),
      width: tenth(wide * size - gap - 2 * inset),
      height: tenth(size - gap - 2 * inset),
      rx: size > 14 ? 2.5 : 0,
    });
  targets.forEach((j, i) => {
    if (j < 0) return;
    svg.append(framed(`target ${map.kind?.(i) ?? 'good'}`, i, j, 1, 0));
    if (size > 10) svg.append(framed('target within', i, j, 1, 1.75));
  });
  const light = s('g', {});
  svg.append(light);
  svg.append(legend(left, height - 32, width - left, map.low, map.high, map.colour, map.legend));
  let lit = '-1,-1';
  const dim = () => {
    lit = `${focus.row},${focus.column}`;
    cells.forEach((row, i) =>
      row.forEach((cell, j) =>
        cell.classList.toggle('dim', !focus.lit(i, j) && j !== focus.column),
      ),
    );
    light.replaceChildren(...lightOf(focus));
  };
  svg.refresh = () => {
    cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        const value = map.value(i, j);
        if (cell.value === value) return;
        cell.value = value;
        putAttributes(cell, { fill: map.colour(value), 'data-value': value });
      }),
    );
    if (focus && lit !== `${focus.row},${focus.column}`) dim();
  };
  const lightOf = ({ row, column }) => [
    ...(row >= 0 ? [framed('lit', row, 0, columns.length, -1)] : []),
    ...(row >= 0 && column >= 0 ? [framed('lit', row, column, 1, -1)] : []),
  ];
  svg.refresh();
  if (focus) choosable(svg, map, true);
  else tipsOf(svg, (event) => placeOf(event)?.every((x) => x >= 0) && map.tell(...placeOf(event)));
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

// The word at its place, with a ground that catches the pointer. `name`: what it stands for.
function wordText(word, place, i, y, asks, name) {
  const turned = place.turned;
  const room = (place.x[1] ?? place.x[0] + 60) - place.x[0];
  const wide = turned ? room : textWidth(word) + 8;
  const x = tenth(place.x[i]);
  return s(
    'g',
    { class: asks ? 'asks' : 'silent', 'data-word': name },
    s('rect', {
      class: 'ground',
      x: tenth(x - wide / 2),
      y,
      width: tenth(wide),
      height: place.tall,
      rx: 4,
      'data-at': name,
    }),
    s(
      'text',
      {
        'data-at': name,
        'text-anchor': 'middle',
        ...(turned
          ? { transform: `translate(${tenth(x + 4)} ${tenth(y + place.tall / 2)}) rotate(-90)` }
          : { x, y: y + 14 }),
      },
      turned ? cut(word) : word,
    ),
  );
}

// Whether any word attends, or should attend, to a later word (1), to an earlier (-1).
const reaches = ({ rows, columns, targets, possible }, side) =>
  rows.some((_, i) =>
    columns.some((__, j) => (j - i) * side > 0 && (targets[i] === j || possible(i, j))),
  );

// sentence: { label, rows, columns, targets, separate, kind(i): 'cycle' | 'good', value(i, j), focus,
//             said(), possible(i, j): whether it can ever have weight }
// Arcs of one head. If `separate`, queries stand below and the pages above.
function drawArcs(width, sentence) {
  const { rows, columns, targets, separate, focus, possible = () => true } = sentence;
  const place = placeWords(rows, 6, width - 6);
  const pages = separate ? placeWords(columns, 6, width - 6) : place;
  const full = separate ? 130 : Math.round(Math.min(Math.max(width * 0.24, 84), 130));
  const [above, below] = [1, -1].map((side) =>
    separate || reaches({ ...sentence, possible }, side) ? full : 18,
  );
  const top = separate ? pages.tall + 8 : above + 6; // where arcs above the words begin
  const under = top + (separate ? full : place.tall + 4); // and arcs below the words
  const height = under + (separate ? place.tall + 8 : below + 6);
  const svg = drawing(width, height, sentence.label);
  const line = (i, j) =>
    separate
      ? ray(place.x[i], pages.x[j], top, under)
      : arc(place.x[i], place.x[j], top, under, full);
  const asked = targets.some((j) => j >= 0);
  const [arcs, weights] = [s('g', {}), s('g', {})];
  const kept = new Map(); // "i,j": the elements of an arc that has been drawn
  const wants = targets.map((j, i) =>
    j >= 0 ? s('path', { class: 'want', d: line(i, j).d }) : null,
  );
  svg.append(s('g', {}, wants), arcs);
  const words = rows.map((word, i) =>
    wordText(
      word,
      place,
      i,
      separate ? under + 4 : top + 2,
      targets[i] >= 0 || !asked,
      `${i},-1`,
    ),
  );
  const titles = separate
    ? columns.map((word, j) => wordText(word, pages, j, 2, true, `-1,${j}`))
    : [];
  svg.append(...words, ...titles, weights);
  svg.refresh = () => {
    putChildren(
      arcs,
      arcsOf(sentence, asked).flatMap((one) => arcElements(kept, one, line)),
    );
    wants.forEach((want, i) =>
      want?.classList.toggle('dim', Boolean(focus) && !focus.lit(i, targets[i])),
    );
    words.forEach((word, i) => word.classList.toggle('lit', i === focus?.row));
    titles.forEach((word, j) => word.classList.toggle('lit', j === focus?.column));
    if (focus?.on || weights.firstChild)
      weights.replaceChildren(...weightsAt(sentence, place, pages, top, under));
  };
  svg.refresh();
  if (focus) choosable(svg, sentence, false);
  return svg;
}

// The weights of the word that is looked at, each at its word, on the side where no arc arrives.
function weightsAt({ focus, rows, columns, separate, value }, place, pages, top, under) {
  const { row, column } = focus;
  const near = place.turned ? 0.1 : 0.01;
  const text = (x, y, weight) =>
    s(
      'text',
      { class: 'weight over-curves', x: tenth(x), y, 'text-anchor': 'middle' },
      weight.toFixed(2).replace(/^0/, ''),
    );
  if (row < 0 && column < 0) return [];
  const all =
    row >= 0
      ? columns.map((_, j) => [pages.x[j], separate || j < row ? top - 3 : under + 10, value(row, j)])
      : rows.map((_, i) => [place.x[i], separate ? under + 2 : under + 10, value(i, column)]);
  const lift = separate && row >= 0 ? 15 : 0;
  return all.filter(([, , w]) => w >= near).map(([x, y, w]) => text(x, y + lift, w));
}

// The arcs of the current weights, correct ones on top. A head is right on a question if the right word has
// the largest weight of its row: `cycle` or `good`. If a wrong word has it, that arc is `bad`, and the
// right one `part`. Other weights are `rest`.
function arcsOf({ rows, columns, targets, kind, value, focus }, asked) {
  const drawn = [];
  const least = asked ? LEAST_WEIGHT : 3 * LEAST_WEIGHT;
  rows.forEach((_, i) => {
    if (asked && targets[i] < 0 && focus?.row !== i) return;
    const row = columns.map((__, j) => value(i, j));
    const most = Math.max(...row);
    row.forEach((weight, j) => {
      const lit = !focus?.on || focus.lit(i, j);
      if (weight < (focus?.on && lit ? LEAST_WEIGHT : least) && weight < most) return;
      const answers = asked && targets[i] >= 0;
      const right = !answers || j === targets[i];
      const first = weight === most;
      const looks = first && right ? kind(i) : right && answers ? 'part' : first ? 'bad' : 'rest';
      const rank = { rest: 0, bad: 1, part: 2 }[looks] ?? 3;
      const opacity = !lit ? 0.07 : rank ? 0.85 + 0.15 * weight : 0.3 + 0.5 * weight;
      drawn.push({ i, j, weight, looks, opacity: opacity.toFixed(2), rank: lit ? rank : -1 });
    });
  });
  return drawn.sort((a, b) => a.rank - b.rank);
}

// An arc, a wider one that catches the pointer, and the arrowhead. An arc that was drawn before keeps its
// elements.
function arcElements(kept, { i, j, weight, looks, opacity }, lineOf) {
  const name = `${i},${j}`;
  if (!kept.has(name)) {
    const { d, end } = lineOf(i, j),
      shared = { 'data-at': name };
    const elements = [
      s('path', { d, ...shared }),
      s('path', { class: 'arc hit', d, 'stroke-width': 12, ...shared }),
      ...(end ? [s('path', shared)] : []),
    ];
    kept.set(name, Object.assign(elements, { end }));
  }
  const [line, , head] = kept.get(name),
    { end } = kept.get(name);
  const wide = tenth(0.9 + THICKEST * weight * 0.55);
  putAttributes(line, { class: `arc ${looks}`, 'stroke-width': wide, opacity });
  if (head)
    putAttributes(head, { class: `tip ${looks}`, d: arrowhead(end, 2 + 3.5 * weight), opacity });
  return kept.get(name);
}
