'use strict';
// One image of the explorer: its photo under the heat of every model, linked words, references and
// boxes.

class Card {
  constructor(explorer, image, number) {
    this.explorer = explorer;
    this.report = explorer.report;
    this.view = explorer.view;
    this.image = image;
    this.number = number;
    this.chosen = null;   // {m, word}: the word that stays until another is chosen
    this.pointed = null;  // {m, word}: the word under the pointer
    this.placed = null;   // {x, y}: the place of the photo under the pointer, in shares
    this.panels = null;   // built when the card comes near the window
    this.node = el('article', {class: 'card', 'data-image': image.id, tabindex: -1,
      'aria-label': `${itemWord(this.report, 1)} ${image.id}`});
  }

  get built() { return this.panels !== null; }

  build() {
    if (this.built) return;
    this.heading = el('h3', {}, this.image.id);
    this.summary = el('p', {class: 'card-summary muted'});
    this.panels = this.report.models.map((_, m) => new Panel(this, m));
    this.row = el('div', {class: 'panels'});
    this.node.append(el('header', {class: 'card-head'}, this.heading, this.summary, this.tools()),
      el('div', {class: 'card-body'}, this.row, this.references()));
    this.photo = new Image();
    this.photo.addEventListener('load', () => this.refresh());
    this.photo.src = this.image.photo;
    this.reload();
  }

  // The buttons of an uploaded image.
  tools() {
    if (!this.explorer.live) return null;
    const captions = () => this.visible().map((panel) =>
      `${panel.model.name}: ${panel.decoded.words.join(' ')}`).join('\n');
    return el('p', {class: 'tools'},
      el('button', {type: 'button', onclick: (event) =>
        copyText(captions(), event.currentTarget)}, 'Copy captions'),
      el('button', {type: 'button', 'aria-label': `Remove ${this.image.id}`,
        onclick: () => this.explorer.remove(this)}, 'Remove'));
  }

  references() {
    const count = this.image.references.length;
    if (!count && !this.image.objects) return null;
    const objects = this.image.objects
      ? [el('p', {class: 'muted'}, 'In the scene: ',
        this.image.objects.map((thing) => thing.label).filter(Boolean).join(', '))] : [];
    return el('details', {class: 'references', open: true},
      el('summary', {}, count === 1 ? '1 reference' : `${count} references`),
      el('ul', {}, ...this.image.references.map((text) => el('li', {dir: 'auto'}, text))), ...objects);
  }

  // Shows the captions of another regime, or of other models.
  reload() {
    if (!this.built) return;
    const visible = this.visible();
    visible.forEach((panel) => panel.load());
    this.row.replaceChildren(...visible.map((panel) => panel.node));
    this.row.style.setProperty('--panels', visible.length);
    this.most = null;
    if (this.chosen && !visible.some((panel) =>
      panel.m === this.chosen.m && this.chosen.word < panel.words.length)) this.chosen = null;
    if (!this.chosen && visible.length)
      this.chosen = {m: visible[0].m, first: true,
        word: firstWord(visible[0].decoded, visible[0].maps && visible[0].measures().largest)};
    this.explorer.summarize(this);
    this.refresh();
  }

  // Shows other captions of the same photo.
  renew(answer) {
    Object.assign(this.image, answer);
    this.pointed = this.placed = null;
    if (this.chosen?.first) this.chosen = null;  // the page chose it, not the visitor
    this.reload();
  }

  // Whether no word is pointed at or chosen.
  get released() { return this.placed || (!this.pointed && !(this.chosen?.word >= 0)); }

  visible() { return this.panels.filter((panel) => !this.view.hidden.has(panel.m)); }

  photoPixels(smallest) {
    if (!this.photo?.complete || !this.photo.naturalWidth) return null;
    if (!this.pixels) {
      const {naturalWidth: width, naturalHeight: height} = this.photo;
      const grow = Math.max(1, smallest / Math.max(width, height));
      const canvas = el('canvas', {width: Math.round(width * grow),
        height: Math.round(height * grow)});
      const context = canvas.getContext('2d', {willReadFrequently: true});
      context.imageSmoothingQuality = 'high';
      context.drawImage(this.photo, 0, 0, canvas.width, canvas.height);
      this.pixels = context.getImageData(0, 0, canvas.width, canvas.height);
    }
    return this.pixels;
  }

  // The photo with a longest side of so many pixels.
  smallPixels(longest) {
    if (!this.photo?.complete || !this.photo.naturalWidth) return null;
    if (!this.small) {
      const {naturalWidth: width, naturalHeight: height} = this.photo;
      const scale = longest / Math.max(width, height);
      const canvas = el('canvas', {width: Math.max(1, Math.round(width * scale)),
        height: Math.max(1, Math.round(height * scale))});
      const context = canvas.getContext('2d', {willReadFrequently: true});
      context.imageSmoothingQuality = 'high';
      context.drawImage(this.photo, 0, 0, canvas.width, canvas.height);
      this.small = context.getImageData(0, 0, canvas.width, canvas.height);
    }
    return this.small;
  }

  // The weight of full heat on the scale `image`: the largest weight of all models that are shown.
  largest() {
    const {layer, head, drawn, measure} = this.view, key = `${layer}/${head}/${drawn}/${measure}`;
    if (this.most?.key !== key)
      this.most = {key, value: Math.max(0, ...this.visible().filter((panel) => panel.maps)
        .flatMap((panel) => panel.measures().largest))};
    return this.most.value;
  }

  refresh() {
    if (!this.built) return;
    const now = this.placed ? null : this.pointed || this.chosen;
    const source = now && this.panels[now.m];
    for (const panel of this.visible()) {
      const own = now && panel.m === now.m;
      const word = !now || now.word < 0 ? -1
        : own ? now.word : linkedWord(source.decoded.words, now.word, panel.decoded.words);
      const same = word >= 0 && panel.decoded.words[word] === source.decoded.words[now.word];
      panel.mark(word, own ? 'own' : same ? 'word' : 'place');
      panel.draw({word, place: this.placed});
    }
  }

  point(m, word) {
    this.pointed = m === null ? null : {m, word};
    this.placed = null;
    this.refresh();
  }

  choose(m, word) {
    this.chosen = {m, word};
    this.pointed = null;
    this.placed = null;
    this.explorer.setCurrent(this.number);
    if (!this.explorer.live) showLink(linkTo(this.image.id, this.report.models[m].name, word));
    this.refresh();
  }

  place(where) {
    if (!where && !this.placed) return;
    this.placed = where;
    this.pointed = null;
    this.refresh();
  }

  release() {
    this.chosen = {m: this.visible()[0]?.m ?? 0, word: -1};
    this.pointed = this.placed = null;
    this.refresh();
  }

  // Moves the focus `by` words along the caption, or to the linked word of the model `up` panels away.
  move(by, up) {
    const visible = this.visible();
    const now = this.chosen || {m: visible[0].m, word: 0};
    let at = Math.max(visible.findIndex((panel) => panel.m === now.m), 0);
    let word = Math.max(now.word, 0);
    if (up !== 0) {
      const next = (at + up + visible.length) % visible.length;
      word = Math.max(linkedWord(visible[at].decoded.words, word, visible[next].decoded.words), 0);
      at = next;
    }
    const buttons = visible[at].words;
    if (!buttons.length) return;
    buttons[Math.min(Math.max(word + by, 0), buttons.length - 1)].focus();
  }
}
