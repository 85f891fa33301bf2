'use strict';
// The address of a page names the image, the model and the word that are shown, so that it can be sent
// to others and opened again: report.html#image=12.jpg&model=soft&word=3

// {image, model, word} of an address; null where it names no image.
const readLink = (hash) => {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  if (!values.has('image')) return null;
  return {image: values.get('image'), model: values.get('model'), word: Number(values.get('word') ?? -1)};
};

const linkTo = (image, model, word) => {
  const values = new URLSearchParams({image, model, ...(word >= 0 ? {word} : {})});
  return `#${values}`;
};

// Puts a link into the address, without a new entry in the history.
const showLink = (hash) => {
  try {
    history.replaceState(null, '', hash);
  } catch {
    // A page inside another document may not change its address.
  }
};

// Goes to what the address names; returns whether the page has it.
const followLink = (explorer, hash) => {
  const link = readLink(hash);
  const card = link && explorer.cards.find(({image}) => image.id === link.image);
  if (!card) return false;
  card.build();
  const m = explorer.report.models.findIndex(({name}) => name === link.model);
  if (m >= 0 && explorer.view.hidden.has(m)) explorer.toggleModel(m);
  explorer.showCard(card);
  if (m >= 0 && link.word < card.panels[m].words.length) card.choose(m, link.word);
  return true;
};
