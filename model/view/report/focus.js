// Which word of a sentence is looked at, in all its pictures at once: its arcs alone stay, its row of the
// map lights up, its weights stand at the words. The pointer and the arrow keys choose a word or a cell;
// a click, a tap or Enter pins it, Escape lets it go.

const everyFocus = [];

class Focus {
  // changed(): draws what depends on it
  constructor(changed) {
    Object.assign(this, { row: -1, column: -1, pinned: false, changed });
    everyFocus.push(this);
  }

  get on() {
    return this.row >= 0 || this.column >= 0;
  }

  set(row, column, pinned) {
    if (row === this.row && column === this.column && pinned === this.pinned) return;
    Object.assign(this, { row, column, pinned });
    this.changed();
  }

  look([row, column]) {
    if (!this.pinned) this.set(row, column, false);
  }

  leave() {
    if (!this.pinned) this.set(-1, -1, false);
  }

  // Pins it, or lets it go if it is the one that is pinned.
  pin([row, column]) {
    const same = this.pinned && row === this.row && column === this.column;
    if (same) this.release();
    else this.set(row, column, true);
  }

  release() {
    this.set(-1, -1, false);
  }

  // Whether a weight belongs to what is looked at.
  lit(i, j) {
    return this.row >= 0 ? i === this.row : this.column < 0 || j === this.column;
  }
}

addEventListener('click', () => everyFocus.forEach((focus) => focus.pinned && focus.release()));
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') everyFocus.forEach((focus) => focus.release());
});

// "3,5" as [3, 5]; a word alone is "3,-1", and a column "-1,5".
const placeOf = (event) => event.target.dataset?.at?.split(',').map(Number);

// What an arrow key means: in a map rows and columns, else the words from left to right.
function moved({ row, column }, key, rows, columns, isMap) {
  const within = (x, n) => (x + n) % n;
  const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[key];
  if (!step) return null;
  if (!isMap) return [row < 0 ? 0 : within(row + step, rows), -1];
  if (row < 0 || column < 0) return [Math.max(row, 0), Math.max(column, 0)];
  return /Up|Down/.test(key)
    ? [within(row + step, rows), column]
    : [row, within(column + step, columns)];
}

// Lets a picture choose. Its elements say with data-at what they stand for.
//   picture: { focus, rows, columns, said(): what is looked at, in words }
function choosable(svg, { focus, rows, columns, said }, isMap) {
  const byTouch = (event) => event.pointerType === 'touch';
  fill(
    svg,
    {
      tabindex: 0,
      onpointermove: (event) => {
        if (byTouch(event)) return;
        const at = placeOf(event);
        if (at) focus.look(at);
        else focus.leave();
      },
      onpointerleave: (event) => byTouch(event) || focus.leave(),
      onblur: () => focus.leave(),
      onclick: (event) => {
        const at = placeOf(event);
        if (!at) return;
        event.stopPropagation(); // a click beside it lets it go
        everyFocus.forEach((other) => other !== focus && other.release());
        focus.pin(at);
      },
      onkeydown: (event) => {
        const next = moved(focus, event.key, rows.length, columns.length, isMap);
        const pins = event.key === 'Enter' || event.key === ' ';
        if (!next && !(pins && focus.on)) return;
        event.preventDefault();
        if (next) focus.set(...next, focus.pinned);
        else focus.pin([focus.row, focus.column]);
        say(said());
      },
    },
    [],
  );
}
