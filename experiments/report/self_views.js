'use strict';
// All maps of regions or words among themselves at once: small matrices of every layer and head, of
// which one is chosen; the matrix that is chosen, in which a row is a region of the photo; and lines from
// each word to the words that it attends to.

const TOKEN_HEIGHT = 22;  // pixels between the words of the two columns
const LINES_WIDTH = 360;

// A canvas in which each row of a map is drawn against its own largest weight.
const matrixCanvas = (rows, colours, attributes) => {
  const canvas = el('canvas', {width: rows[0].length, height: rows.length, ...attributes});
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(canvas.width, canvas.height);
  rows.forEach((row, r) => {
    const full = Math.max(...row);
    row.forEach((weight, i) =>
      pixels.data.set([...heatColour(weight, full, colours, true), 255], 4 * (r * row.length + i)));
  });
  context.putImageData(pixels, 0, 0);
  return canvas;
};

class SelfViews {
  constructor(panel) {
    this.panel = panel;
    this.body = el('div', {class: 'self-views'});
    this.node = el('details', {'data-part': 'self', ontoggle: () => this.draw()},
      el('summary', {}, 'Attention among regions and words, all layers and heads'), this.body);
  }

  draw() {
    if (!this.node.open) return;
    const {self, card} = this.panel, {regions, words} = card.view;
    const key = `${regions}|${words}`;
    if (key !== this.drawn) {
      this.drawn = key;
      const parts = [];
      if (self.maps.size) parts.push(...this.regionParts(SelfMaps.pick(self.maps, regions)));
      if (self.words.size) parts.push(...this.wordParts(SelfMaps.pick(self.words, words)));
      this.body.replaceChildren(...parts);
    }
    this.light(this.panel.shownWord ?? -1);
  }

  // Small matrices of all maps; a click chooses one.
  choices(maps, chosen, part, drawn) {
    const {colours} = this.panel.card.report.heat;
    return el('div', {class: 'small-matrices', role: 'group', 'aria-label': `maps of ${part}`},
      ...[...maps].map(([name, rows]) => el('button', {type: 'button', title: name,
        'aria-label': name, 'aria-pressed': String(name === chosen),
        onclick: () => this.panel.card.explorer.choose({[part]: name, drawn})},
      matrixCanvas(rows, colours, {class: 'small-matrix'}))));
  }

  regionParts({name, rows}) {
    const {panel} = this, first = rows.length - panel.self.regions;
    const line = el('p', {class: 'muted self-line'}, 'Point at the matrix: its rows attend to its columns.');
    const point = (event) => {
      const box = matrix.getBoundingClientRect(), n = rows.length;
      const at = (share) => Math.min(Math.max(Math.floor(share * n), 0), n - 1);
      const row = at((event.clientY - box.top) / box.height);
      const column = at((event.clientX - box.left) / box.width);
      const token = (i) => (i < first ? (i === 0 && panel.self.classToken ? 'the class token'
        : `token ${i}`) : placeName(i - first, panel.maps));
      line.textContent = `${token(row)} \u2192 ${token(column)}: ${shown(rows[row][column])}`;
      if (row < first) return;
      panel.card.explorer.choose({drawn: 'given'}, ['given', 'taken']);
      panel.card.place(panel.centreOf(row - first));
    };
    const matrix = matrixCanvas(rows, panel.card.report.heat.colours, {class: 'region-matrix', role: 'img',
      'aria-label': `${name}: weights of ${rows.length} regions on each other`,
      onpointermove: point, onpointerdown: point});
    return [el('h5', {}, 'Regions \u00d7 regions', el('span', {class: 'muted'}, `, ${name}`)),
      this.choices(panel.self.maps, name, 'regions', 'given'), matrix, line];
  }

  wordParts({name, rows}) {
    const texts = this.panel.decoded.words;
    const middle = (i) => (i + 0.5) * TOKEN_HEIGHT;
    const word = (text, x, i, anchor, attributes) => svg('text', {x, y: middle(i) + 5,
      'text-anchor': anchor, tabindex: -1, ...attributes}, text);
    this.lines = rows.map((row, t) => [...row.slice(0, t + 1)].map((weight, i) => svg('line', {
      x1: 120, y1: middle(t + 1), x2: LINES_WIDTH - 120, y2: middle(i),
      'stroke-opacity': Math.max(weight, 0).toFixed(3)})));
    const {card, m} = this.panel;
    const height = (texts.length + 1) * TOKEN_HEIGHT;
    const picture = svg('svg', {class: 'word-lines', viewBox: `0 0 ${LINES_WIDTH} ${height}`,
      role: 'img', 'aria-label': `${name}: which words each word attends to`},
    ...this.lines.flat(),
    ...texts.map((text, t) => word(text, 112, t + 1, 'end', {class: 'from',
      onpointerenter: () => card.point(m, t), onpointerleave: () => card.point(null),
      onclick: () => card.choose(m, t)})),
    ...['<start>', ...texts].map((text, i) => word(text, LINES_WIDTH - 112, i, 'start',
      {onpointerenter: () => this.lightOnly((t, at) => at === i),
        onpointerleave: () => this.light(this.panel.shownWord ?? -1)})));
    return [el('h5', {}, 'Words \u00d7 words', el('span', {class: 'muted'}, `, ${name}`)),
      this.choices(this.panel.self.words, name, 'words', 'read'), picture];
  }

  lightOnly(is) {
    this.lines?.forEach((row, t) => row.forEach((line, i) =>
      line.classList.toggle('faint', !is(t, i))));
  }

  // Shows the lines of one word; of all (-1).
  light(word) { this.lightOnly((t) => word < 0 || t === word); }
}
