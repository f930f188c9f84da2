// A tour in five steps. Each is a command, and what to see when it trains.

const TOUR = [
  {
    title: 'X Xᵀ cannot learn',
    words: ['pronoun', '--arms', 'xxt'],
    text:
      'The arm xxt scores words by their bare vectors. It has no weight, so nothing moves while the steps go by. ' +
      'And its score is symmetric: whatever a word asks for asks back just as much.',
  },
  {
    title: 'One projection learns, and stops',
    words: ['pronoun', '--arms', 'tied'],
    text:
      'The arm tied projects every word once, by W, and compares the projections. It learns: adjectives find their ' +
      'nouns. But its score is still symmetric. Of the cycle it stays below the dashed 2/3, and its NLL above ln 2.',
  },
  {
    title: 'Q and K go round',
    words: ['pronoun', '--arms', 'tied,qkv'],
    text:
      'The arm qkv has W_Q for the word that asks and W_K for the word that answers, so i → j need not equal j → i. ' +
      'The violet arcs close to a ring, above the words and back below them, and the NLL falls through ln 2.',
  },
  {
    title: 'A value of its own',
    words: ['search', '--arms', 'kv,qkv'],
    text:
      'Queries look for the page with their title, and want what that page says. In kv the value handed over is the ' +
      'key itself, so one vector must be title and content. qkv has W_V for the content. (qk, which passes on X, ' +
      'does as well: what hurts is a value that is the key.)',
  },
  {
    title: 'Type a sentence',
    words: ['pronoun', '--arms', 'sym,qkv'],
    text:
      'Change the words of the sentence below, or type one of your own: both arms answer at once, and change their ' +
      'minds while they train.',
    place: 'type',
  },
];

// run(words): train that.
function tour(run) {
  const text = h('p', { class: 'soft', hidden: true });
  const buttons = TOUR.map((one, k) =>
    h(
      'button',
      { type: 'button', 'aria-pressed': 'false', onclick: () => go(k) },
      h('b', {}, String(k + 1)),
      ` ${one.title}`,
    ),
  );
  const go = (k) => {
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === k)));
    text.textContent = TOUR[k].text;
    text.hidden = false;
    run(TOUR[k].words);
    if (TOUR[k].place) byId(TOUR[k].place)?.scrollIntoView({ block: 'start' });
  };
  const leave = () => {
    buttons.forEach((button) => button.setAttribute('aria-pressed', 'false'));
    text.hidden = true;
  };
  return {
    element: h(
      'nav',
      { class: 'tour', 'aria-label': 'a tour in five steps' },
      h('div', { class: 'steps' }, buttons),
      text,
    ),
    leave,
  };
}
