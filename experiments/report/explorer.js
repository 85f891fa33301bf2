'use strict';
// The attention explorer: the cards of images, the controls of what all cards show, and the keys.

class Explorer {
  // With `live`, images are added by add() and shown newest first, and there are no controls to find
  // images.
  constructor(report, root, {live = false} = {}) {
    this.report = report;
    this.root = root;
    this.live = live;
    this.view = {regime: '', layer: 'last', head: 'mean', drawn: 'weights', measure: 'weights',
      scale: 'caption', fixed: 0.2, style: 'smooth', cover: 'heat',
      strip: report.models.length === 1,  // beside a single photo there is room for it
      boxes: Boolean(report.boxes), hidden: new Set()};
    this.ramp = rampOf(report.heat.colours);
    this.seeds = [...new Set(report.models.map((model) => model.seed))]
      .filter((seed) => seed !== undefined);
    this.hideSeeds(this.seeds.length ? String(this.seeds[0]) : '');
    this.regimes = [...new Set(report.models.flatMap((model) => model.regimes))];
    this.finder = new Finder(report, this.view);
    if (live) this.finder.filter.order = 'newest';
    this.cards = [];
    this.order = [];
    this.current = -1;
    this.found = root.querySelector('#found');
    this.list = root.querySelector('#cards');
    this.watch = new IntersectionObserver((entries) => entries.forEach((entry) => {
      if (!entry.isIntersecting) return;
      this.watch.unobserve(entry.target);
      this.cards[Number(entry.target.dataset.number)].build();
    }), {rootMargin: '600px 0px'});
    report.images.forEach((image) => this.makeCard(image));
    root.querySelector('#controls').append(...this.controls());
    root.addEventListener('keydown', (event) => this.onWordKey(event));
    document.addEventListener('keydown', (event) => this.onKey(event));
    this.filter();
  }

  makeCard(image) {
    const card = new Card(this, image, this.cards.length);
    card.node.dataset.number = card.number;
    this.cards.push(card);
    this.watch.observe(card.node);
    return card;
  }

  // The models, what is folded away, and the legend.
  controls() {
    const {report, live} = this, parts = [this.viewControls()];
    if (!live && (report.dataset || report.images.length > 1))
      parts.push(this.findControls(), this.overview());
    return [el('div', {class: 'toolbar'}, ...(report.models.length > 1 ? [this.modelChips()] : []),
      ...parts), this.legend()];
  }

  // Small pictures of all images that are shown, in their order; a click goes to the image.
  overview() {
    const {report} = this;
    this.thumbs = el('div', {class: 'thumbs'});
    this.thumbsFold = el('details', {class: 'controls', 'data-part': 'overview',
      ontoggle: () => this.showThumbs()}, el('summary', {}, `All ${itemWord(report)}`), this.thumbs);
    return this.thumbsFold;
  }

  showThumbs() {
    if (!this.thumbsFold?.open) return;
    const m = Math.max(this.report.models.findIndex((_, i) => !this.view.hidden.has(i)), 0);
    this.thumbs.replaceChildren(...this.order.map((i) => {
      const {image} = this.cards[i];
      const text = captionOf(image, this.report.models[m], m, this.view.regime).words.join(' ');
      return el('button', {type: 'button', class: 'thumb', title: text,
        onclick: () => this.showCard(this.cards[i])},
      el('img', {src: image.photo, alt: '', loading: 'lazy'}),
      el('span', {dir: 'auto'}, text || image.id));
    }));
  }

  // Scrolls to a card and stays there while those above it grow.
  showCard(card) {
    card.build();
    this.setCurrent(card.number);
    goTo(card.node);
  }

  add(image) {
    this.report.images.push(image);
    const card = this.makeCard(image);
    this.filter();
    this.setCurrent(card.number);
    return card;
  }

  remove(card) {
    card.image.removed = true;
    this.filter();
  }

  most(key) { return Math.max(1, ...this.report.models.map((model) => model[key])); }

  viewControls() {
    const {report, view} = this;
    const set = (key, reload) => (value) => {
      view[key] = value;
      this.fixedField.hidden = view.scale !== 'fixed';
      this.hideSelf();
      if (key === 'layer') this.followLayer();
      this.update(reload);
    };
    const numbers = (count) => [...Array(count).keys()].map((i) => [String(i), String(i)]);
    this.boxes = {};
    const keep = (name, label) => {
      this.boxes[name] = label.querySelector('select, input');
      return label;
    };
    const parts = [];
    if (this.seeds.length > 1)
      parts.push(keep('seed', selectBox('Seed', [...this.seeds.map((seed) => [String(seed),
        String(seed)]), ['', 'all']], String(this.seeds[0]), (seed) => this.chooseSeed(seed))));
    if (this.regimes.length > 1)
      parts.push(keep('regime', selectBox('Regime', [['', 'each model\u2019s own'],
        ...this.regimes.map((name) => [name, name])], '', set('regime', true))));
    if (this.most('layers') > 1)
      parts.push(this.withSlider(keep('layer', selectBox('Layer', [['last', 'last'],
        ...numbers(this.most('layers')), ['mean', 'mean']], 'last', set('layer')))));
    if (this.most('heads') > 1)
      parts.push(keep('head', selectBox('Head', [['mean', 'mean'], ...numbers(this.most('heads')),
        ['max', 'max']], 'mean', set('head'))));
    const drawn = [['weights', 'weights'],
      ...(report.occlusion ? [['effects', 'effects of removing a region']] : []),
      ...(report.self_attention ? selfViews(report).map((key) => [key, SELF_VIEWS[key]]) : [])];
    if (drawn.length > 1) parts.push(keep('drawn', selectBox('Drawn', drawn, view.drawn, set('drawn'))));
    for (const part of report.self_attention ? ['regions', 'words'] : []) {
      const names = selfNames(report, part);
      if (!names.length) continue;
      view[part] = names[0];
      parts.push(keep(part, selectBox(`Among ${part}`, names.map((name) => [name, name]), names[0],
        set(part))));
    }
    if (report.models.some(({attention}) => attention))
      parts.push(keep('measure', selectBox('Weights', [['weights', 'as they are'],
        ['relative', 'over a uniform map'],
        ...(report.models.some(({gate}) => gate) ? [['gated', 'times the gate']] : [])],
      view.measure, set('measure'))));
    parts.push(keep('scale', selectBox('Full heat is', [
      ['word', 'the word\u2019s largest weight'], ['caption', 'the caption\u2019s largest'],
      ['image', 'the largest of all models'], ['fixed', 'a fixed weight']], view.scale,
    set('scale'))));
    this.fixedField = numberBox('Weight', view.fixed, {min: 0.01, step: 0.01},
      (value) => { if (value > 0) set('fixed')(value); });
    this.fixedField.hidden = true;
    parts.push(this.fixedField, keep('style', selectBox('Map', [['smooth', 'smooth'],
      ['cells', 'cells']], view.style, set('style'))),
    keep('cover', selectBox(report.texts ? 'Picture' : 'Photo', [['heat', 'paler, below all colours (heat)'],
      ['blend', 'as it is without weight (blend)']], view.cover, set('cover'))));
    this.hideSelf();
    if (report.boxes)
      parts.push(keep('boxes', checkBox('Boxes', view.boxes, set('boxes'))));
    parts.push(keep('strip', checkBox('All words', view.strip, set('strip'))));
    return el('details', {class: 'controls', 'data-part': 'view'}, el('summary', {}, 'View'),
      el('div', {class: 'fields', role: 'group', 'aria-label': 'View'}, ...parts));
  }

  // Adds a slider over the layers to the field that chooses one.
  withSlider(field) {
    const select = field.querySelector('select'), last = this.most('layers') - 1;
    this.layerSlider = el('input', {type: 'range', min: 0, max: last, step: 1, value: last,
      'aria-label': 'Layer, from the first to the last', oninput: (event) => {
        select.value = event.target.value;
        select.dispatchEvent(new Event('change'));
      }});
    return el('div', {class: 'slid'}, field, this.layerSlider);
  }

  followLayer() {
    const {layer} = this.view;
    if (layer !== 'mean') this.layerSlider.value = layer === 'last' ? this.layerSlider.max : layer;
    this.layerSlider.classList.toggle('idle', layer === 'mean');
  }

  // Sets values of the view by its controls. `drawn` stays what it is where that is in `keep`.
  choose(values, keep = []) {
    for (const [name, value] of Object.entries(values)) {
      const box = this.boxes[name];
      if (!box || box.value === value || (name === 'drawn' && keep.includes(box.value))) continue;
      box.value = value;
      box.dispatchEvent(new Event('change'));
    }
  }

  // Hides the choice of a map among regions or words where it is not drawn.
  hideSelf() {
    const {drawn} = this.view, hide = (part, is) => {
      if (this.boxes[part]) this.boxes[part].closest('.field').hidden = is;
    };
    hide('regions', !SELF_VIEWS[drawn] || drawn === 'read' || drawn === 'rolled');
    hide('words', drawn !== 'read');
    if (this.effectsLegend) this.effectsLegend.hidden = drawn !== 'effects';
  }

  modelChips() {
    this.chips = this.report.models.map((model, m) => el('button', {type: 'button', class: 'chip',
      'aria-pressed': String(!this.view.hidden.has(m)), onclick: () => this.toggleModel(m)},
    swatch(m), model.name, deadBadge(model)));
    return el('div', {class: 'chips', role: 'group', 'aria-label': 'Models that are shown'},
      ...this.chips);
  }

  legend() {
    const kinds = [['p', 'probability', true],
      ['gate', 'gate', this.report.models.some((model) => model.gate)],
      ['entropy', 'entropy', this.report.models.some((model) => model.attention)]];
    this.effectsLegend = this.report.occlusion ? el('span', {hidden: true}, 'Effects of removing a ' +
      'region: the warmer, the less probable the word is without it; blue, where it is more probable')
      : null;
    return el('p', {class: 'legend muted'}, 'Under a word: ',
      ...kinds.filter(([, , has]) => has).map(([kind, text]) => el('span', {class: 'key'},
        el('span', {class: `bar ${kind}`, 'aria-hidden': 'true'}, el('span', {style: 'width:100%'})),
        tip(text, TIPS[kind]))), this.effectsLegend);
  }

  findControls() {
    this.findFold = el('details', {class: 'controls', 'data-part': 'find'},
      el('summary', {}, 'Find and sort'), el('div', {class: 'fields', role: 'group',
        'aria-label': 'Find and sort'}, ...this.finder.controls(() => this.filter())));
    return this.findFold;
  }

  // Hides the models of other seeds; '' hides none.
  hideSeeds(chosen) {
    this.report.models.forEach(({seed}, m) => {
      if (seed === undefined) return;
      if (chosen === '' || String(seed) === chosen) this.view.hidden.delete(m);
      else this.view.hidden.add(m);
    });
  }

  chooseSeed(chosen) {
    this.hideSeeds(chosen);
    this.pressChips();
    this.update(true);
  }

  pressChips() {
    this.chips?.forEach((chip, m) =>
      chip.setAttribute('aria-pressed', String(!this.view.hidden.has(m))));
  }

  toggleModel(m) {
    const {hidden} = this.view;
    if (hidden.has(m)) hidden.delete(m);
    else if (hidden.size + 1 < this.report.models.length) hidden.add(m);
    this.pressChips();
    this.update(true);
  }

  // With `reload`, other captions or other models are shown; else the same captions are drawn anew.
  update(reload) {
    this.cards.forEach((card) => (reload ? card.reload() : card.refresh()));
    if (reload) this.filter();
  }

  filter() {
    this.order = this.finder.found();
    this.list.replaceChildren(...this.order.map((i) => this.cards[i].node));
    const all = this.report.images.filter((image) => !image.removed).length;
    const items = countedItems(this.report, all);
    this.found.textContent = this.order.length === all ? items : `${this.order.length} of ${items}`;
    this.cards.forEach((card) => this.summarize(card));
    this.showThumbs();
  }

  summarize(card) {
    if (card.built) card.summary.replaceChildren(...this.summaryOf(card.image)
      .flatMap((part, i) => (i ? [' \u00b7 ', part] : [part])));
  }

  // What the line beside an image's name says, part by part.
  summaryOf(image) {
    const parts = this.live ? [`${image.width} \u00d7 ${image.height} pixels`,
      `${shown(image.seconds, 2)} s`] : [];
    const words = this.finder.disagreement(image);
    if (Number.isNaN(words)) return parts;  // a single model is shown
    const {a, b, number} = this.finder.filter, {models} = this.report;
    const difference = this.finder.difference(image);
    if (a !== b && !Number.isNaN(difference))
      parts.push(`${CAPTION_NUMBERS[number][0]}: ${models[a].name} minus ${models[b].name} is ` +
        `${difference < 0 ? '\u2212' : '+'}${shown(Math.abs(difference), 2)}`);
    parts.push(tip(`words differ by ${shown(words, 2)}`, TIPS.differ));
    const maps = this.finder.mapDisagreement(image);
    if (!Number.isNaN(maps)) parts.push(tip(`maps of the same words by ${shown(maps, 2)}`, TIPS.apart));
    return parts;
  }

  setCurrent(number) {
    if (this.current === number) return;
    this.cards[this.current]?.node.classList.remove('current');
    this.current = number;
    this.cards[number]?.node.classList.add('current');
  }

  // Goes to the next image (by = 1) or to the previous one (by = -1).
  step(by) {
    if (!this.order.length) return;
    const at = this.order.indexOf(this.current);
    const next = at < 0 ? 0 : Math.min(Math.max(at + by, 0), this.order.length - 1);
    const card = this.cards[this.order[next]];
    this.showCard(card);
    card.move(0, 0);
  }

  // Handles the arrow keys where a word has the focus.
  onWordKey(event) {
    if (!event.target.classList?.contains('word') || event.altKey || event.ctrlKey || event.metaKey)
      return;
    const card = this.cards[Number(event.target.closest('.card').dataset.number)];
    const move = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1],
      ArrowDown: [0, 1]}[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    card.move(...move);
  }

  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest?.('input, select, textarea, dialog')) return;
    const cycle = (name) => () => {
      const box = this.boxes[name];
      if (!box) return;
      if (box.type === 'checkbox') box.checked = !box.checked;
      else box.selectedIndex = (box.selectedIndex + 1) % box.options.length;
      box.dispatchEvent(new Event('change'));
    };
    const arrow = (by) => () => {
      if (document.activeElement === document.body && this.current >= 0)
        this.cards[this.current].move(by, 0);
    };
    const keys = {
      j: () => this.step(1), k: () => this.step(-1),
      r: cycle('regime'), l: cycle('layer'), h: cycle('head'), s: cycle('scale'),
      e: cycle('drawn'),
      c: cycle('style'), v: cycle('cover'), m: cycle('measure'), w: cycle('strip'), b: cycle('boxes'),
      '/': () => {
        if (!this.findFold) return;
        this.findFold.open = true;
        this.finder.search.focus();
      },
      ArrowLeft: arrow(-1), ArrowRight: arrow(1),
      Escape: () => this.cards[this.current]?.built && this.cards[this.current].release(),
    };
    const digit = Number(event.key);
    if (digit >= 1 && digit <= this.report.models.length && this.chips) {
      this.toggleModel(digit - 1);
      event.preventDefault();
    } else if (keys[event.key]) {
      keys[event.key]();
      if (event.key === '/') event.preventDefault();
    }
  }
}
