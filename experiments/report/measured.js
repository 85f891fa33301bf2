'use strict';
// The sections of what `saccade report` measured inside the models: what each attention head does, which
// gradient reaches the regions, and the words near a word.

// The models with this measure, each with what was measured.
const measuredOf = (report, name) => report.models.map((model) => ({model,
  own: model.measured?.[name], images: model.measured?.images})).filter(({own}) => own);

// The parts of the models, each under the model's name where there are several.
const byModel = (parts) => parts.map(({model, nodes}) => (parts.length === 1
  ? el('div', {class: 'measured'}, ...nodes)
  : el('details', {class: 'measured', open: true}, el('summary', {}, model.name), ...nodes)));

// A drawing keeps its size, so that its text can be read; a narrow window scrolls it.
const pictureFigure = ({title, picture}) => el('figure', {class: 'drawn'},
  el('figcaption', {}, title),
  el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title},
    el('img', {src: picture, alt: title, loading: 'lazy'})));

const leftOut = (reasons) => reasons.map((reason) => el('p', {class: 'remark'}, `Left out: ${reason}.`));

const headsSection = (report) => {
  const measured = measuredOf(report, 'heads');
  if (!measured.length) return null;
  const {images} = measured[0], {columns = []} = measured.find(({own}) => own.table)?.own.table || {};
  return section('heads', 'Heads',
    el('p', {class: 'muted'}, `What each attention head does, over ${countedItems(report, images)}. ` +
      'A head\u2019s name is its place, layer and number. Its kind is the largest of its shares; it is ' +
      'redundant where a head before it has nearly the same weights, and specialised where it attends ' +
      'to one position or to what it reads. Closest is the head of the same place whose weights are ' +
      'most alike.'),
    ...byModel(measured.map(({model, own}) => ({model, nodes: [...leftOut(own.left_out),
      ...(own.table ? [drawnTable(`Heads of ${model.name}`, own.table), ...own.pictures
        .filter(({name}) => name !== 'heads.profiles').map(pictureFigure)] : [])]}))),
    el('dl', {class: 'notes'}, ...columns.filter(({text}) => text).flatMap(({label, text}) =>
      [el('dt', {}, label), el('dd', {}, text)])));
};

const gradientsSection = (report) => {
  const measured = measuredOf(report, 'gradients');
  if (!measured.length) return null;
  return section('gradients', 'Gradients',
    el('p', {class: 'muted'}, 'How the weight of a region goes together with the norm of the gradient ' +
      'of \u2212log p that reaches it through the glimpse of each word: as a value, from which the context ' +
      'is made, and as a key, from which the weights are made. The correlation is over all words and ' +
      'regions, and within words it is the mean over words. Measured on the captions of ' +
      `${countedItems(report, measured[0].images)}. The pictures show the mean norms.`),
    ...byModel(measured.map(({model, own}) => ({model, nodes: own.left_out ? leftOut([own.left_out])
      : [drawnTable(`Gradients of ${model.name}`, own.table), ...own.pictures.map(pictureFigure)]}))));
};

const neighbourText = (list = []) => list.map(({word, cosine}) =>
  `${word}\u00a0${cosine.toFixed(2)}`).join(', ');

const neighbourNodes = (model, {word, captions, tokens, stages}) => {
  if (stages.length === 1)
    return [el('h3', {dir: 'auto'}, word),
      numberTable(`Words near ${word}, ${model.name}`, ['stage', 'near it'],
        [[stages[0].name, neighbourText(stages[0].neighbours[0])]]),
      el('p', {class: 'muted'}, 'The words of this decoder do not attend to each other, so there is no ' +
        'other stage.')];
  const places = captions.map((_, c) => (captions.length > 1 ? `near it in caption ${c + 1}` : 'near it'));
  // In the embedding a word has one vector, whatever the caption.
  const rows = stages.map(({name, between, neighbours}) => [name, ...(captions.length > 1 ? [between] : []),
    ...captions.map((_, c) => neighbourText(neighbours[Math.min(c, neighbours.length - 1)]))]);
  return [el('h3', {dir: 'auto'}, word),
    el('ol', {class: 'captions-of-word'}, ...captions.map((text) => el('li', {dir: 'auto'}, text))),
    numberTable(`Words near ${word}, ${model.name}`,
      ['stage', ...(captions.length > 1 ? ['between the captions'] : []), ...places], rows),
    el('p', {class: 'muted'}, `Found among ${tokens} words of captions.`)];
};

const wordsSection = (report) => {
  const measured = measuredOf(report, 'words');
  if (!measured.length) return null;
  return section('words', 'Words near a word',
    el('p', {class: 'muted'}, 'The words whose vectors are nearest, with the cosine, in the embedding and, ' +
      'in a decoder of transformers, before and after the self-attention of each layer and behind the ' +
      'last one. There a word has another vector in every caption, because it takes up the words before ' +
      'it and the picture; \u201cbetween the captions\u201d is the cosine of its two vectors.'),
    ...byModel(measured.map(({model, own}) => ({model,
      nodes: own.flatMap((words) => neighbourNodes(model, words))}))));
};
