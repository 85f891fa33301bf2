'use strict';
// One model's view of one image: the photo with the heat, the caption whose words choose the map, and
// the numbers of the caption.

const UNIFORM_HEAT = 0.25;    // the most heat that a uniform map may show
const SMALLEST_CANVAS = 288;  // pixels of the longest side; smaller pictures are enlarged

const barWidth = (share) => `${Math.round(100 * Math.min(Math.max(share, 0), 1))}%`;

class Panel {
  // What the visitor points at is reported to `card`: point(m, word), choose(m, word), place({x, y}).
  constructor(card, m) {
    this.card = card;
    this.m = m;
    this.model = card.report.models[m];
    this.maps = null;
    this.words = [];
    this.build();
  }

  build() {
    const name = this.model.name;
    this.canvas = el('canvas', {class: 'photo', tabindex: this.model.attention ? 0 : -1,
      role: 'img',
      onpointermove: (event) => this.pointerPlace(event),
      onpointerdown: (event) => this.pointerPlace(event),
      onpointerleave: (event) => {
        if (event.pointerType === 'mouse' && !this.selfView()) this.card.place(null);
      },
      onkeydown: (event) => this.moveCell(event),
      onblur: () => { if (!this.selfView()) this.card.place(null); }});
    // The words run in the direction of their script.
    this.caption = el('div', {class: 'caption', role: 'group', dir: 'auto',
      'aria-label': `caption of ${name}`});
    this.readout = el('p', {class: 'readout'});
    this.effect = el('p', {class: 'readout effect', hidden: true});
    this.scores = el('p', {class: 'scores'});
    this.regime = el('span', {class: 'muted'});
    this.mapName = el('span', {class: 'muted map-name'});
    this.more = el('div', {class: 'more'});
    this.node = el('section', {class: 'panel', 'aria-label': name, 'data-model': this.m},
      el('h4', {}, swatch(this.m), el('span', {class: 'model-name'}, name), deadBadge(this.model),
        ' ', this.regime, this.mapName),
      this.canvas, this.caption, this.readout, this.effect, this.scores,
      this.more);
  }

  // Loads the caption of the chosen regime, and everything that depends on it.
  load() {
    const {image, report, view} = this.card;
    this.decoded = captionOf(image, this.model, this.m, view.regime);
    this.maps = this.model.attention && this.decoded.words.length ? new Maps(this.decoded) : null;
    this.self = selfMapsOf(image.models[this.m], this.maps);
    this.regime.textContent = this.model.attention
      ? [this.decoded.regime, this.model.later_map].filter(Boolean).join(', ') : 'no attention';
    const numbers = Object.entries(this.decoded.scores || {})
      .map(([key, score]) => `${metricName(key)} ${score.toFixed(2)}`);
    if (!this.decoded.finished) numbers.push('cut off at the largest length');
    this.scores.replaceChildren(numbers.join(' \u00b7 '));
    if (this.decoded.verdict) {
      const verdict = {true: 'true of the scene', false: 'false of the scene',
        not_parsed: 'not understood'};
      this.scores.append(' ', el('span', {class: `verdict ${this.decoded.verdict}`},
        verdict[this.decoded.verdict]));
    }
    this.measured = null;
    this.words = this.decoded.words.map((word, i) => this.wordButton(word, i));
    this.caption.replaceChildren(...(this.words.length ? this.words
      : [el('em', {class: 'muted'}, 'empty caption')]));
    this.more.replaceChildren(...[this.alternatives(), this.alignment()].filter(Boolean));
    return this;
  }

  wordButton(word, i) {
    const bar = (kind, value) => (typeof value === 'number'
      ? el('span', {class: `bar ${kind}`}, el('span', {style: `width:${barWidth(value)}`})) : null);
    return el('button', {type: 'button', class: 'word', tabindex: i === 0 ? 0 : -1,
      'data-index': i, 'aria-pressed': 'false', 'aria-label': `${word}, ${this.numbersOf(i)}`,
      onpointerenter: (event) => { if (event.pointerType === 'mouse') this.card.point(this.m, i); },
      onpointerleave: () => this.card.point(null),
      onclick: () => this.card.choose(this.m, i),
      onfocus: () => this.card.choose(this.m, i)},
    el('span', {class: 'text'}, word),
    el('span', {class: 'bars', 'aria-hidden': 'true'}, bar('p', this.decoded.p[i]),
      bar('gate', this.decoded.gate?.[i]),
      bar('entropy', this.maps ? this.measures().entropy[i] : null)));
  }

  numbersOf(i) {
    const decoded = this.decoded, parts = [`p ${shown(decoded.p[i], 2)}`];
    if (decoded.gate) parts.push(`gate ${shown(decoded.gate[i], 2)}`);
    if (decoded.sentinel) parts.push(`sentinel ${shown(decoded.sentinel[i], 2)}`);
    if (this.maps) parts.push(`entropy ${shown(this.measures().entropy[i], 2)}`);
    return parts.join(', ');
  }

  // For each word's map in the chosen layer and head: the largest weight, the entropy, and whether the
  // map is uniform.
  measures() {
    const {layer, head, drawn} = this.card.view, key = `${layer}/${head}/${drawn}`;
    if (this.measured?.key !== key) {
      const maps = this.decoded.words.map((_, i) => this.mapOf(i));
      const shown = maps.map((map) => this.maps.shown(map));
      const spreads = maps.map((_, i) => this.maps.spread(i, layer, head));
      this.measured = {key, largest: shown.map(this.effectsDrawn() ? largestSize
        : (map) => Math.max(...map)),
        entropy: spreads.map(({entropy}) => entropy),
        uniform: spreads.map(({uniform}) => uniform)};
    }
    return this.measured;
  }

  // Updates the numbers and bars of the words after another layer or head was chosen.
  follow() {
    if (!this.maps || this.followed === this.measures()) return;
    this.followed = this.measures();
    this.words.forEach((button, i) => {
      const bar = button.querySelector('.bar.entropy span'), value = this.followed.entropy[i];
      if (bar) bar.style.width = barWidth(value ?? 0);
      button.setAttribute('aria-label', `${this.decoded.words[i]}, ${this.numbersOf(i)}`);
    });
  }

  // Whether the maps shown are those that hits and scores are about.
  showsDefault() {
    return !this.maps || this.maps.isDefault(this.card.view.layer, this.card.view.head);
  }

  nounAt(i) { return (this.decoded.nouns || []).find((noun) => noun.word === i); }

  readoutOf(i, link) {
    const parts = [el('b', {}, this.decoded.words[i]),
      link === 'place' ? ' \u00b7 word in the same place' : '',
      ` \u00b7 ${this.numbersOf(i)}`];
    if (this.maps && this.measures().uniform[i]) parts.push(' \u00b7 uniform');
    const noun = this.nounAt(i);
    if (noun && 'hit' in noun && this.showsDefault()) {
      const where = noun.centre ? '\u2713 on its object'
        : noun.hit ? '\u2713 touches its object' : '\u2717 beside its object';
      parts.push(' \u00b7 ', el('span', {class: noun.hit ? 'hit' : 'miss'}, where));
    } else if (noun && !('hit' in noun) && noun.boxes.length === 0) {
      parts.push(' \u00b7 ', el('span', {class: 'miss'}, '\u2717 the picture has no such object'));
    }
    return parts;
  }

  alternatives() {
    if (!this.decoded.others?.length) return null;
    const lines = [[this.decoded.words.join(' '), this.decoded.logprob], ...this.decoded.others];
    return el('details', {}, el('summary', {}, `Beam: the best ${lines.length} captions`),
      el('ol', {class: 'beam'}, ...lines.map(([text, logprob]) => el('li', {dir: 'auto'}, text, ' ',
        el('span', {class: 'muted number'}, `log p ${shown(logprob, 2)}`)))));
  }

  alignment() {
    if (!this.maps) return null;
    const {rows, cols} = this.maps;
    const picture = el('canvas', {class: 'alignment', width: rows * cols,
      height: this.maps.words, role: 'img',
      'aria-label': `weights of ${this.maps.words} words on ${rows} x ${cols} regions, in ` +
        'reading order'});
    this.matrix = el('details', {ontoggle: () => this.drawAlignment(),
      'data-part': 'alignment'},
    el('summary', {}, 'Alignment matrix: words \u00d7 regions'),
    el('div', {class: 'matrix', style: `--words:${this.maps.words}`},
      el('ul', {'aria-hidden': 'true'}, ...this.decoded.words.map((word) => el('li', {}, word))),
      picture));
    this.matrixPicture = picture;
    return this.matrix;
  }

  drawAlignment() {
    if (!this.matrix?.open) return;
    const context = this.matrixPicture.getContext('2d'), colours = this.card.report.colours;
    const pixels = context.createImageData(this.maps.regions, this.maps.words);
    for (let word = 0; word < this.maps.words; ++word) {
      const full = this.heatFull(word), map = this.mapOf(word);
      map.forEach((weight, i) => {
        const below = this.effectsDrawn() && weight < 0;
        const heat = full > 0 ? Math.min(Math.max((below ? -weight : weight) / full, 0), 1) : 0;
        const at = 4 * (word * this.maps.regions + i), colour = 3 * Math.round(255 * heat);
        const [red, green, blue] = colours.slice(colour, colour + 3);
        pixels.data.set(below ? [blue, green, red, 255] : [red, green, blue, 255], at);
      });
    }
    context.putImageData(pixels, 0, 0);
  }

  weightsOf(word) { return this.maps.of(word, this.card.view.layer, this.card.view.head); }

  // The view of SELF_VIEWS that is drawn; null where it is another or the model lacks it.
  selfView() {
    const {drawn} = this.card.view;
    return this.self && SELF_VIEWS[drawn] && this.self.has(drawn) ? drawn : null;
  }

  // Whether the effects of regions are drawn instead of the weights.
  effectsDrawn() { return this.card.view.drawn === 'effects' && this.decoded.effects !== null; }

  // What is drawn for a word: its weights or the effects on it.
  mapOf(word) { return this.effectsDrawn() ? this.decoded.effects[word] : this.weightsOf(word); }

  // The weight that is drawn as full heat; uniform maps and effects of nearly nothing stay faint on
  // every scale.
  heatFull(word) {
    const {largest, uniform} = this.measures();
    if (this.effectsDrawn()) return Math.max(this.scaleOf(word), EFFECT_HEAT);
    return uniform[word] ? Math.max(this.scaleOf(word), largest[word] / UNIFORM_HEAT)
      : this.scaleOf(word);
  }

  scaleOf(word) {
    const {scale, fixed} = this.card.view, {largest} = this.measures();
    if (scale === 'word') return largest[word];
    if (scale === 'fixed') return fixed;
    return scale === 'image' ? this.card.largest() : Math.max(...largest);
  }

  // The word that is shown first: of the words that are no function words, if there are any, the one
  // whose map has the largest weight.
  sharpest() {
    if (!this.maps) return this.words.length ? 0 : -1;
    const {largest} = this.measures(), {words} = this.decoded;
    const names = words.map((word) => !FUNCTION_WORDS.has(word));
    const certainty = largest.map((weight, i) => (names.includes(true) && !names[i] ? -1 : weight));
    return certainty.indexOf(Math.max(...certainty));
  }

  // Shows ", layer 0, head max" or ", effects of regions", where the map that is drawn is not the default one.
  nameMap() {
    const {layer, head} = this.card.view, parts = [], kind = this.selfView();
    if (this.effectsDrawn()) {
      parts.push('effects of regions');
    } else if (kind && kind !== 'read') {
      parts.push(SELF_VIEWS[kind]);
    } else {
      if (this.maps?.layers > 1 && layer !== 'last') parts.push(`layer ${layer}`);
      if (this.maps?.heads > 1 && head !== 'mean') parts.push(`head ${head}`);
    }
    this.mapName.textContent = parts.map((part) => `, ${part}`).join('');
  }

  // Draws the photo with the map of `word` (-1: without a map), or with the cell at `place` marked.
  draw({word, place}) {
    this.nameMap();
    const {image, view, report} = this.card;
    const photo = this.card.photoPixels(SMALLEST_CANVAS);
    if (!photo) return;
    if (this.canvas.width !== photo.width || this.canvas.height !== photo.height) {
      this.canvas.width = photo.width;
      this.canvas.height = photo.height;
    }
    // Whole pictures are written to the canvas, so it is best kept in memory that scripts can reach.
    const context = this.canvas.getContext('2d', {willReadFrequently: true});
    const cell = place && this.maps
      ? cellAt(place.x, place.y, this.maps.rows, this.maps.cols, this.decoded.seen) : -1;
    const own = this.regionRow(word, cell);  // in a view of what regions attend to
    const heat = this.maps && ((word >= 0 && !place) || own);
    if (heat) {
      const out = context.createImageData(photo.width, photo.height);
      paintHeat(out, photo, {map: own ? own.weights : this.mapOf(word), rows: this.maps.rows,
        cols: this.maps.cols, cells: this.maps.cells, seen: this.decoded.seen, style: view.style,
        full: own ? Math.max(...own.weights) : this.heatFull(word),
        colours: report.colours,
        signed: own ? own.weights.some((weight) => weight < 0) : this.effectsDrawn()});
      context.putImageData(out, 0, 0);
      if (!own) this.drawChosen(context, word);
    } else {
      context.putImageData(photo, 0, 0);
    }
    if (view.boxes) this.drawBoxes(context, word, image);
    const marked = own ? own.cell : cell;
    if (marked >= 0)
      frame(context, cellBox(marked, this.maps.rows, this.maps.cols, this.decoded.seen));
    if (!own) this.showEffect(context, heat ? word : -1, cell);
    this.canvas.dataset.word = heat ? word : '';
    if (own) {
      this.effect.hidden = true;
      this.canvas.setAttribute('aria-label', `${image.id}: ${own.text}`);
      this.light(-1);
      this.readout.textContent = own.text;
      return;
    }
    this.canvas.setAttribute('aria-label', heat
      ? `${image.id}: ${this.effectsDrawn() ? 'effects of regions in' : 'attention of'} ` +
        `${this.model.name} for ${this.decoded.words[word]}`
      : `${image.id}${place ? ', one region marked' : ''}`);
    this.light(cell);
    if (this.selfView() === 'read' && word >= 0) this.lightRead(word);
  }

  // What is drawn in a view of what regions attend to: of the region at which the visitor points or,
  // until he does, of the one with the largest weight of the word that is shown.
  regionRow(word, cell) {
    const kind = this.selfView();
    if (!kind || kind === 'read') return null;
    const {regions} = this.card.view, {cols} = this.maps;
    if (kind === 'token' || (kind === 'rolled' && cell < 0)) {
      if (kind === 'rolled' && word < 0) return null;
      const row = kind === 'token' ? this.self.token(regions) : this.self.rolled(this.mapOf(word));
      const subject = kind === 'token' ? 'the class token' : this.decoded.words[word];
      return {...row, cell: -1, text: selfLine(kind, row, -1, subject, cols)};
    }
    const from = cell >= 0 ? cell : word >= 0 ? peakOf(this.mapOf(word)) : this.regionBefore ?? 0;
    this.regionBefore = from;
    const row = kind === 'taken' ? this.self.taken(regions, from)
      : this.self.given(kind === 'rolled' ? 'rollout' : regions, from);
    return {...row, cell: from, text: selfLine(kind, row, from, '', cols)};
  }

  // Lights the words before a word by how much it attends to them.
  lightRead(word) {
    const {name, weights} = this.self.read(this.card.view.words, word), most = Math.max(...weights);
    this.words.forEach((button, i) => {
      const lit = i < word && most > 0 ? Math.max(weights[i + 1], 0) / most : 0;
      button.style.setProperty('--lit', lit.toFixed(3));
      button.classList.toggle('lit', lit > 0.5);
    });
    const read = this.decoded.words.slice(0, word)
      .map((text, i) => `${text} ${shown(weights[i + 1], 2)}`);
    this.readout.replaceChildren(el('b', {}, this.decoded.words[word]), ` \u00b7 ${name} attends to ` +
      [`the start ${shown(weights[0], 2)}`, ...read].join(', '));
  }

  // Says what p of a word is without one region: without that of the largest weight or effect of the
  // word that is shown, which is marked, or without the cell at which the visitor points, for the word
  // on which it has the largest effect.
  showEffect(context, word, cell) {
    const {effects, p, words} = this.decoded;
    this.effect.hidden = !effects || !this.maps;
    if (this.effect.hidden || (word < 0 && cell < 0)) {
      this.effect.textContent = '\u00a0';
      return;
    }
    if (cell >= 0) {
      const sizes = effects.map((map) => Math.abs(map[cell])), most = peakOf(sizes);
      this.effect.replaceChildren(...effectLine(words[most], p[most], effects[most][cell]));
      return;
    }
    const map = this.mapOf(word), cells = this.maps.shown(map.map((_, i) => i));
    const peak = cells[peakOf(this.maps.shown(map))];
    if (peak !== this.maps.chosen(word, this.card.view.layer))
      frame(context, cellBox(peak, this.maps.rows, this.maps.cols, this.decoded.seen),
        {dash: [4, 3]});
    this.effect.replaceChildren(...effectLine(words[word], p[word], effects[word][peak],
      this.maps.shown(this.weightsOf(word)), this.maps.shown(effects[word])));
  }

  drawChosen(context, word) {
    const at = this.maps.chosen(word, this.card.view.layer);
    if (at >= 0) frame(context, cellBox(at, this.maps.rows, this.maps.cols, this.decoded.seen));
  }

  drawBoxes(context, word, image) {
    for (const thing of image.objects || [])
      frame(context, thing.box, {line: 1, dash: [4, 3]});
    const noun = word >= 0 ? this.nounAt(word) : null;
    for (const box of noun?.boxes || [])
      frame(context, box, {line: 2,
        light: !this.showsDefault() ? '#fff' : noun.hit === false ? '#ff9d92' : '#8ff0b0'});
  }

  // Lights each word up by its weight on a cell; the word with the largest weight is fully lit.
  light(cell) {
    const weights = cell < 0 ? [] : this.decoded.words.map((_, i) => this.mapOf(i)[cell]);
    const most = Math.max(...weights, 0);
    this.words.forEach((button, i) => {
      const lit = cell >= 0 && most > 0 ? Math.max(weights[i], 0) / most : 0;
      button.style.setProperty('--lit', lit.toFixed(3));
      button.classList.toggle('lit', lit > 0.5);
    });
    if (cell >= 0) {
      const fed = peakOf(weights);
      this.readout.replaceChildren(`The cell in row ${Math.floor(cell / this.maps.cols)}, ` +
        `column ${cell % this.maps.cols} has its largest ` +
        `${this.effectsDrawn() ? 'effect on' : 'weight for'} `,
      el('b', {}, this.decoded.words[fed]), `: ${shown(weights[fed])}`);
    }
  }

  // Marks the word that is shown. link: 'own' where the word is pointed at or chosen in this panel;
  // 'word' where it is the same word as in another panel, 'place' where it only has the same place.
  mark(word, link) {
    this.follow();
    this.words.forEach((button, i) => {
      button.classList.toggle('on', i === word);
      button.classList.toggle('linked', i === word && link !== 'own');
      button.classList.toggle('placed', i === word && link === 'place');
      button.setAttribute('aria-pressed', String(i === word));
      if (i === word && link === 'place')
        button.setAttribute('aria-description', 'word in the same place');
      else button.removeAttribute('aria-description');
      button.tabIndex = i === Math.max(word, 0) ? 0 : -1;
    });
    this.readout.replaceChildren(...(word >= 0 ? this.readoutOf(word, link)
      : [el('span', {class: 'muted'}, this.card.released ? '\u00a0' : 'no word in the same place')]));
  }

  pointerPlace(event) {
    if (!this.maps) return;
    const box = this.canvas.getBoundingClientRect();
    this.card.place({x: (event.clientX - box.left) / box.width,
      y: (event.clientY - box.top) / box.height});
  }

  moveCell(event) {
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1],
      ArrowDown: [0, 1]}[event.key];
    if (!step || !this.maps) return;
    event.preventDefault();
    event.stopPropagation();
    const {rows, cols, cells: [left, top, right, bottom]} = this.maps, seen = this.decoded.seen;
    const now = this.card.placed
      ? cellAt(this.card.placed.x, this.card.placed.y, rows, cols, seen) : -1;
    const clamp = (value, first, end) => Math.min(Math.max(value, first), end - 1);
    const column = now < 0 ? Math.floor((left + right) / 2)
      : clamp(now % cols + step[0], left, right);
    const row = now < 0 ? Math.floor((top + bottom) / 2)
      : clamp(Math.floor(now / cols) + step[1], top, bottom);
    const [x, y, w, h] = cellBox(row * cols + column, rows, cols, seen);
    this.card.place({x: x + w / 2, y: y + h / 2});
  }
}
