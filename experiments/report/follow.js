'use strict';
// The page of a run that trains. It says how far the run is, and loads itself again when there may be a
// newer page; that one shows what was shown before. What that is travels in the state of the history's
// entry, because a page that is opened from a file may have no other storage, nor read other files.

const RUN_ENDED = {finished: 'training has ended', stopped: 'training was stopped',
  diverged: 'training diverged', failed: 'training ended with an error'};
const QUIET_SECONDS = 2;  // after the reader did something
const MOST_SECONDS = 600, LAST_SECONDS = 86400;  // between looks; without a newer page

const agoText = (seconds) => {
  for (const [name, size] of [['h', 3600], ['min', 60]])
    if (seconds >= 2 * size) return `${Math.floor(seconds / size)} ${name} ago`;
  return `${Math.max(Math.floor(seconds), 0)} s ago`;
};

// Elements by names that they have on the next page, too; `nameOf` need not be unique.
const byName = (selector, nameOf) => {
  const count = {};
  return new Map([...document.querySelectorAll(selector)].map((node) => {
    const name = `${node.closest('section')?.id} ${nameOf(node)}`;
    count[name] = (count[name] || 0) + 1;
    return [`${name} ${count[name]}`, node];
  }));
};

// What a reader can set, apart from the cards. A slider follows its field.
const settings = () => byName(['select', 'input:not([type=range])'].flatMap((kind) =>
  [`#controls ${kind}`, `#sections ${kind}`]).join(), (field) =>
  field.closest('label')?.querySelector('span')?.textContent || field.getAttribute('aria-label'));
const folds = () => byName('#controls details, #sections details', (fold) =>
  fold.querySelector('summary').textContent);
const places = () => byName('.card, #sections > section', (node) => node.dataset.image || '');

const settingOf = (field) => (field.type === 'checkbox' ? field.checked
  : field.options ? field.selectedOptions[0]?.textContent : field.value);

const setField = (field, value) => {
  if (settingOf(field) === value) return;
  if (field.type === 'checkbox') field.checked = value;
  else if (field.options) {
    const option = [...field.options].find(({textContent}) => textContent === value);
    if (!option) return;
    field.value = option.value;
  } else field.value = value;
  for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {bubbles: true}));
};

const nameIn = (map, node) => [...map].find(([, other]) => other === node)?.[0];

// What is shown now, as a value that history.state takes.
const placeNow = (explorer) => {
  const fields = settings(), parts = places(), {activeElement} = document;
  const top = (node) => node.getBoundingClientRect().top;
  // The first part that is seen stays where it is.
  const [name, node] = [...parts].find(([, part]) => part.getBoundingClientRect().bottom > 0) || [];
  return {
    hash: location.hash,
    settings: [...fields].map(([key, field]) => [key, settingOf(field)]),
    open: [...folds()].map(([key, fold]) => [key, fold.open]),
    // The cards that are built, with the words that were chosen, and not only shown at first.
    cards: explorer.cards.filter((card) => card.built).map(({image, chosen}) => ({image: image.id,
      model: chosen && !chosen.first ? explorer.report.models[chosen.m]?.name : null,
      word: chosen?.word ?? -1})),
    current: explorer.cards[explorer.current]?.image.id,
    at: node && window.scrollY > 0 ? {name, top: top(node)} : null,
    field: nameIn(fields, activeElement),
    onWord: activeElement.classList.contains('word'),
  };
};

// Shows what the page showed before it loaded itself again; returns whether it did so.
const restorePlace = (explorer) => {
  const place = history.state?.saccade;
  if (!place) return false;
  history.replaceState(null, '', location.href);
  window.addEventListener('load', () => { history.scrollRestoration = 'auto'; }, {once: true});
  const fields = settings(), opened = folds();
  for (const [key, value] of place.settings) if (fields.has(key)) setField(fields.get(key), value);
  for (const [key, open] of place.open) if (opened.has(key)) opened.get(key).open = open;
  for (const {image, model, word} of place.cards) {
    const card = explorer.cards.find((other) => other.image.id === image);
    if (!card) continue;
    card.build();
    const m = explorer.report.models.findIndex(({name}) => name === model);
    if (m >= 0 && word < 0) card.release();
    else if (m >= 0 && word < card.panels[m].words.length) card.choose(m, word);
  }
  const card = explorer.cards.find(({image}) => image.id === place.current);
  if (card) explorer.setCurrent(card.number);
  showLink(place.hash || location.href.split('#')[0]);  // choosing words changed it
  if (place.field && fields.has(place.field)) fields.get(place.field).focus({preventScroll: true});
  if (place.onWord && card?.chosen?.word >= 0)
    card.panels[card.chosen.m].words[card.chosen.word]?.focus({preventScroll: true});
  const target = place.at && places().get(place.at.name);
  if (target) goTo(target, place.at.top);
  return true;
};

const reloadInPlace = (explorer) => {
  history.scrollRestoration = 'manual';
  history.replaceState({saccade: placeNow(explorer)}, '', location.href);
  location.reload();
};

// Says how far the run is and, while it trains, loads the page again at times. `training` is
// {"state", "at", "written": in milliseconds since 1970, "interval": seconds}; without it there is no run
// to follow.
const followRun = (training, explorer) => {
  if (!training) return;
  const text = el('span'), line = el('p', {id: 'training', class: 'remark'}, text);
  document.querySelector('#subtitle').after(line);
  if (RUN_ENDED[training.state]) {
    text.textContent = `${RUN_ENDED[training.state]}: ${training.at}`;
    return;
  }
  let follows = true, touched = 0, moved = 0;
  line.append(' ', checkBox('Follow', true, (value) => { follows = value; }));
  for (const kind of ['pointerdown', 'pointerup', 'keydown', 'wheel', 'touchmove', 'input'])
    window.addEventListener(kind, () => { touched = Date.now(); }, {passive: true, capture: true});
  window.addEventListener('pointermove', (event) => {
    moved = Date.now();
    if (event.buttons) touched = moved;
  }, {passive: true});
  // Whether a new page would disturb: a list of choices may be open, or a text marked.
  const busy = () => {
    const select = document.activeElement.tagName === 'SELECT';
    return document.hidden || Date.now() - moved < 1000 * QUIET_SECONDS ||
      Date.now() - touched < 1000 * (select ? 10 : 1) * QUIET_SECONDS ||
      Boolean(document.querySelector('dialog[open]')) || !getSelection().isCollapsed;
  };
  const opened = Date.now();
  const tick = () => {
    const age = (Date.now() - training.written) / 1000;
    text.textContent = training.state === 'ending'
      ? 'training has ended; the final report is being made'
      : `training: ${training.at}, updated ${agoText(age)}`;
    // A run that was killed says nothing more, so the page looks less and less often.
    const wait = Math.min(Math.max(training.interval, 0.1 * age), MOST_SECONDS);
    if (follows && age < LAST_SECONDS && Date.now() - opened >= 1000 * wait && !busy())
      reloadInPlace(explorer);
  };
  tick();
  setInterval(tick, 1000);
};
