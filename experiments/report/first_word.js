'use strict';
// Which word of a caption is shown first.

// Whether a word is known to name a thing, also in the plural.
const namesThing = (word) => [word, word.replace(/s$/, ''), word.replace(/es$/, '')]
  .some((form) => THING_WORDS.has(form));

// The place of the first noun that has boxes or is known to name a thing ("fire truck": the last of
// several in a row). Where none is known, of the words that are no function words the one with the
// largest of `weights`, one number per word; -1 without words.
const firstWord = ({words, nouns}, weights) => {
  if (!weights) return words.length ? 0 : -1;
  if (nouns?.length) return Math.min(...nouns.map((noun) => noun.word));
  let thing = words.findIndex(namesThing);
  while (thing >= 0 && thing + 1 < words.length && namesThing(words[thing + 1])) ++thing;
  if (thing >= 0) return thing;
  const names = words.map((word) => !FUNCTION_WORDS.has(word));
  const certainty = weights.map((weight, i) => (names.includes(true) && !names[i] ? -1 : weight));
  return certainty.indexOf(Math.max(...certainty));
};
