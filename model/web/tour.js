// A tour in five steps. Each is a command, and what to see when it trains.

const TOUR = [
  {
    title: 'X Xᵀ cannot learn',
    words: ['pronoun', '--arms', 'xxt'],
    text:
      'The arm xxt compares words by their bare vectors. It has no parameter, so nothing changes during training. ' +
      'Its score is also symmetric: word i scores word j exactly as j scores i.',
  },
  {
    title: 'One projection learns, and stops',
    words: ['pronoun', '--arms', 'tied'],
    text:
      'The arm tied projects every word by one matrix W, and compares the projections. It learns: its loss falls, ' +
      'and most of its answers become right. But its score is still symmetric, and its attention finds few words of ' +
      'the cycle. In the curves below, its attention accuracy on the cycle stays below the dashed line at 2/3, and ' +
      'its NLL (−log of the weight on the right word) above ln 2.',
  },
  {
    title: 'Q and K follow the cycle',
    words: ['pronoun', '--arms', 'tied,qkv'],
    text:
      'The arm qkv has W_Q for the word that asks, and W_K for the word that answers. So the score of i for j can ' +
      'differ from the score of j for i. The violet arcs form a ring, and the NLL falls below ln 2.',
  },
  {
    title: 'A value of its own',
    words: ['search', '--arms', 'kv,qkv'],
    text:
      'Each query looks for the page with its title, and the answer is the content of that page. In kv the value is ' +
      'the key, so one narrow vector must hold both title and content. In qkv W_V makes a value for the content. ' +
      '(qk is as good: its value is X. The harm comes from a value that is the key.)',
  },
  {
    title: 'Type a sentence',
    words: ['pronoun', '--arms', 'sym,qkv'],
    text:
      'Change the words of the sentence below, or type your own. Both arms answer at once, and their answers change ' +
      'while they train.',
    place: 'type',
  },
];

// run(words, place): train that; place: the section to scroll to, if any.
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
    run(TOUR[k].words, TOUR[k].place);
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
