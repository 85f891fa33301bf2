'use strict';
// Chooses which images are shown and in which order.

// The values of the controls before anybody changes them.
const noFilter = () => ({words: '', number: 'CIDEr', least: null, most: null, differ: 0,
  order: 'data', a: 0, b: 1});

// The words of a text in any script. In the search field "run*" stands for all words that begin with
// run.
const wordsOf = (text) => text.normalize('NFC').toLowerCase().match(/[\p{L}\p{M}\p{N}]+\*?/gu) || [];

class Finder {
  constructor(report, view) {
    this.report = report;
    this.view = view;
    this.filter = noFilter();
    if (report.texts) this.filter.number = 'token_accuracy';
    const second = report.models.findIndex((_, m) => m > 0 && !view.hidden.has(m));
    if (second > 0) this.filter.b = second;  // seeds that are not shown at first are passed over
  }

  captions(image) {
    return this.report.models.map((model, m) => captionOf(image, model, m, this.view.regime));
  }

  shownCaptions(image) {
    return this.captions(image).filter((_, m) => !this.view.hidden.has(m));
  }

  // The largest disagreement between the words of two models that are shown; NaN where fewer are.
  disagreement(image) {
    return largestOfPairs(this.shownCaptions(image), (a, b) => disagreement(a.words, b.words));
  }

  // The largest distance between the maps of two of them; NaN where they have no maps or no word in
  // common.
  mapDisagreement(image) {
    const captions = this.shownCaptions(image).filter((_, i) => this.shownModels()[i].attention);
    return largestOfPairs(captions, mapDisagreement);
  }

  shownModels() { return this.report.models.filter((_, m) => !this.view.hidden.has(m)); }

  // The chosen number of model a minus that of model b.
  difference(image) {
    const {number, a, b} = this.filter;
    const captions = this.captions(image);
    return captionNumber(captions[a], number) - captionNumber(captions[b], number);
  }

  // The mean of a number over the captions of the models that are shown and have it.
  meanOf(image, number) {
    const values = this.shownCaptions(image).map((caption) => captionNumber(caption, number))
      .filter((value) => !Number.isNaN(value));
    return values.length ? mean(values) : NaN;
  }

  // Whether one caption of a model, one reference or the image's name has all words of the search.
  hasWords(image) {
    const wanted = wordsOf(this.filter.words);
    if (!wanted.length) return true;
    const texts = [...this.shownCaptions(image).map((caption) => caption.words.join(' ')),
      ...image.references, image.id];
    return texts.some((text) => {
      const words = wordsOf(text.replaceAll('*', ' '));
      return wanted.every((word) => (word.endsWith('*')
        ? words.some((one) => one.startsWith(word.slice(0, -1))) : words.includes(word)));
    });
  }

  inRange(image) {
    const {number, least, most} = this.filter;
    if (least === null && most === null) return true;
    return this.shownCaptions(image).some((caption) => {
      const value = captionNumber(caption, number);
      return (least === null || value >= least) && (most === null || value <= most);
    });
  }

  found() {
    const {order, number, a, differ} = this.filter;
    const kept = this.report.images.map((image, i) => ({image, i})).filter(({image}) =>
      !image.removed && this.hasWords(image) && this.inRange(image) &&
      (differ <= 0 || this.disagreement(image) >= differ));
    const keys = {
      best: (image) => -captionNumber(this.captions(image)[a], number),
      worst: (image) => captionNumber(this.captions(image)[a], number),
      ahead: (image) => -this.difference(image),
      behind: (image) => this.difference(image),
      differ: (image) => -this.disagreement(image),
      apart: (image) => -this.mapDisagreement(image),
      astray: (image) => this.meanOf(image, 'pointing'),
      aim: (image) => -this.meanOf(image, 'pointing'),
      spread: (image) => -this.meanOf(image, 'entropy'),
      sharp: (image) => this.meanOf(image, 'entropy'),
    };
    if (order === 'newest') kept.reverse();
    if (keys[order]) {
      const keyed = new Map(kept.map(({image, i}) => [i, keys[order](image)]));
      const last = (value) => (Number.isNaN(value) ? Infinity : value);
      kept.sort((x, y) => last(keyed.get(x.i)) - last(keyed.get(y.i)) || x.i - y.i);
    }
    return kept.map(({i}) => i);
  }

  // Begins with the worst images first, where the report has these.
  startWithWorst() {
    const {worst} = this.report, {filter} = this;
    filter.order = {pointing: 'astray', entropy: 'spread'}[worst] || 'worst';
    if (filter.order === 'worst' && CAPTION_NUMBERS[worst]) filter.number = worst;
  }

  // The controls; `changed` is called after each change.
  controls(changed) {
    const {report, filter} = this;
    const set = (key) => (value) => {
      filter[key] = value;
      changed();
    };
    const several = report.models.length > 1;
    const names = report.models.map((model, m) => [String(m), model.name]);
    const has = (name) => report.images.some((image) => this.captions(image).some((caption) =>
      !Number.isNaN(captionNumber(caption, name))));
    const numbers = Object.entries(CAPTION_NUMBERS).filter(([name]) => has(name))
      .map(([name, [text]]) => [name, text]);
    if (!numbers.some(([name]) => name === filter.number)) filter.number = numbers[0]?.[0];
    if (report.worst) this.startWithWorst();
    this.search = el('input', {type: 'search', placeholder: report.texts ? null : 'red circle',
      oninput: (event) => set('words')(event.target.value)});
    const parts = [
      el('label', {class: 'field wide'},
        el('span', {}, 'Words of captions (run* finds running)'), this.search),
      selectBox('Number', numbers, filter.number, set('number')),
      numberBox('from', '', {step: 'any'}, set('least')),
      numberBox('to', '', {step: 'any'}, set('most')),
      selectBox('Order', [['data', 'as in the data'], ['best', 'highest number first'],
        ['worst', 'lowest number first'],
        ...(has('pointing') ? [['astray', 'maps beside their objects first'],
          ['aim', 'maps on their objects first']] : []),
        ...(has('entropy') ? [['spread', 'most spread maps first'],
          ['sharp', 'sharpest maps first']] : []),
        ...(several ? [['ahead', 'A minus B, largest first'],
          ['behind', 'B minus A, largest first'],
          ['differ', 'most different words first'],
          ...(report.models.filter(({attention}) => attention).length > 1
            ? [['apart', 'most different maps of the same words first']] : [])] : [])],
      filter.order, set('order')),
    ];
    if (several) {
      parts.push(selectBox('Model A', names, '0', (value) => set('a')(Number(value))),
        selectBox('Model B', names, String(filter.b), (value) => set('b')(Number(value))),
        numberBox('Share of different words from', '', {min: 0, max: 1, step: 0.1},
          (value) => set('differ')(value || 0)));
    }
    return parts;
  }
}
