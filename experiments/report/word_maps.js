'use strict';
// All maps of a caption at once: a strip of small photos, one for each word, and the alignment matrix of
// words and regions. Of a text, whose regions are its tokens, the matrix shows them all by itself.

const STRIP_PIXELS = 132;  // the longest side of a small photo

// The heat of a weight as [red, green, blue]; below 0 with red and blue exchanged.
const heatColour = (weight, full, colours, signed) => {
  const below = signed && weight < 0;
  const heat = full > 0 ? Math.min(Math.max((below ? -weight : weight) / full, 0), 1) : 0;
  const at = 3 * Math.round(255 * heat), [red, green, blue] = colours.slice(at, at + 3);
  return below ? [blue, green, red] : [red, green, blue];
};

class WordMaps {
  constructor(panel) {
    this.panel = panel;
    const {maps: {rows, cols, words, boxes, times}, decoded} = panel, {tokens} = panel.card.image;
    const kind = tokens ? 'tokens' : times ? 'frames' : 'regions';
    this.isText = Boolean(tokens);
    this.picture = el('canvas', {class: 'alignment', width: tokens?.length ?? rows * cols,
      height: words, role: 'img', 'aria-label': `weights of ${words} words on ` + (tokens
        ? `${tokens.length} tokens` : boxes ? `${cols} ${kind}`
          : `${rows} x ${cols} regions, in reading order`),
      onpointermove: (event) => this.point(event), onpointerdown: (event) => this.point(event),
      onpointerleave: () => panel.card.point(null)});
    this.matrix = el('details', {ontoggle: () => this.draw(), 'data-part': 'alignment',
      open: this.isText},
    el('summary', {}, `Alignment matrix: words \u00d7 ${kind}`),
    el('div', {class: 'matrix', style: `--words:${words}`},
      ...(tokens ? [el('span'), el('ol', {'aria-hidden': 'true'},
        ...tokens.map((token) => el('li', {class: [...token].length < 3 ? 'short' : ''}, token)))] : []),
      el('ul', {'aria-hidden': 'true'}, ...decoded.words.map((word) => el('li', {}, word))),
      this.picture));
    this.small = decoded.words.map(() => el('canvas'));
    this.strip = el('div', {class: 'strip', role: 'group', hidden: true,
      'aria-label': `all maps of ${panel.model.name}`},
    ...decoded.words.map((word, i) => el('button', {type: 'button', class: 'small-map', tabindex: -1,
      'aria-label': `map of ${word}`, onclick: () => panel.card.choose(panel.m, i)},
    this.small[i], el('span', {}, word))));
  }

  // Shows the word of a row of the matrix.
  point(event) {
    const box = this.picture.getBoundingClientRect();
    const word = Math.floor((event.clientY - box.top) / box.height * this.panel.maps.words);
    if (word >= 0 && word < this.panel.maps.words) this.panel.card.point(this.panel.m, word);
  }

  draw() {
    this.strip.hidden = this.isText || !this.panel.card.view.strip;
    if (!this.strip.hidden) this.drawStrip();
    if (this.matrix.open) this.drawMatrix();
  }

  // Marks the word that is shown.
  mark(word) {
    if (!this.strip.hidden)
      [...this.strip.children].forEach((button, i) => button.classList.toggle('on', i === word));
  }

  drawMatrix() {
    const {panel} = this, {words} = panel.maps, {colours} = panel.card.report.heat;
    const {width} = this.picture;  // without the padding behind a text
    const context = this.picture.getContext('2d'), pixels = context.createImageData(width, words);
    for (let word = 0; word < words; ++word) {
      const full = panel.heatFull(word);
      panel.mapOf(word).slice(0, width).forEach((weight, i) => pixels.data.set(
        [...heatColour(weight, full, colours, panel.effectsDrawn()), 255], 4 * (word * width + i)));
    }
    context.putImageData(pixels, 0, 0);
  }

  // Draws the strip, unless it shows the same maps on the same scale already.
  drawStrip() {
    const {panel} = this, photo = panel.card.smallPixels(STRIP_PIXELS);
    if (!photo) return;
    const key = JSON.stringify([panel.viewKey(), panel.decoded.words.map((_, i) => panel.heatFull(i))]);
    if (key === this.drawn) return;
    this.drawn = key;
    this.small.forEach((canvas, i) => {
      canvas.width = photo.width;
      canvas.height = photo.height;
      const context = canvas.getContext('2d'), out = context.createImageData(photo.width, photo.height);
      paintHeat(out, photo, panel.heatOf(i));
      context.putImageData(out, 0, 0);
      panel.drawChosen(context, i);
      canvas.nextSibling.textContent = panel.decoded.words[i] +
        (panel.measures().uniform[i] && !panel.effectsDrawn() ? ' \u00b7 uniform' : '');
    });
  }
}
