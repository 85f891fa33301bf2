'use strict';
// A panel as a picture of its own: the model, the photo with the heat, and the caption, in which the word
// is marked; as PNG, or as SVG, whose text stays text.

const SAVED = {width: 720, pad: 16, font: 22, line: 32, small: 15};  // pixels

const download = (name, address) => {
  const link = el('a', {href: address, download: name});
  document.body.append(link);  // some browsers follow no link outside of the page
  link.click();
  link.remove();
};

const fileName = (...parts) => parts.join('-').replaceAll(/[^\p{L}\p{N}._-]+/gu, '_');

// Where the words of a caption stand, in lines that are no wider than the picture: [{text, x, y}].
const placeWords = (words, context) => {
  const {width, pad, font, line} = SAVED;
  context.font = `${font}px system-ui, 'DejaVu Sans', sans-serif`;
  const space = context.measureText('\u00a0').width, rest = [];
  let x = pad, y = 0;
  for (const text of words) {
    const wide = context.measureText(text).width;
    if (x > pad && x + wide > width - pad) {
      x = pad;
      y += line;
    }
    rest.push({text, x, y, wide});
    x += wide + 1.6 * space;
  }
  return rest;
};

// What both formats show: {height, head, photo: [x, y, w, h], words, word, foot}.
const layOut = (panel, context) => {
  const {width, pad, font, line, small} = SAVED;
  const {canvas, decoded, card, model} = panel;
  const photo = [pad, pad + small + 12, width - 2 * pad, 0];
  photo[3] = Math.round(photo[2] * canvas.height / canvas.width);
  const top = photo[1] + photo[3] + font + 14;
  const words = placeWords(decoded.words, context).map((word) => ({...word, y: word.y + top}));
  const foot = (words.at(-1)?.y ?? top) + line;
  return {height: foot + pad, photo, words, word: panel.shownWord ?? -1, foot: [pad, foot],
    head: [model.name, panel.regime.textContent, card.image.id].filter(Boolean).join(' \u00b7 '),
    note: panel.bar.text};
};

const panelPng = (panel) => {
  const canvas = el('canvas', {width: SAVED.width, height: 10});
  let context = canvas.getContext('2d');
  const {height, photo, words, word, head, note, foot} = layOut(panel, context);
  canvas.height = height;
  context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, SAVED.width, height);
  const write = (text, x, y, size, colour, weight = 400) => {
    context.font = `${weight} ${size}px system-ui, 'DejaVu Sans', sans-serif`;
    context.fillStyle = colour;
    context.fillText(text, x, y);
  };
  write(head, SAVED.pad, SAVED.pad + SAVED.small - 2, SAVED.small, '#565e67');
  context.imageSmoothingQuality = 'high';
  context.drawImage(panel.canvas, ...photo);
  words.forEach(({text, x, y, wide}, i) => {
    if (i === word) {
      context.fillStyle = '#cfe3f5';
      context.fillRect(x - 4, y - SAVED.font, wide + 8, SAVED.font + 8);
    }
    write(text, x, y, SAVED.font, '#1b1f24');
  });
  write(note, ...foot, SAVED.small, '#565e67');
  return canvas.toDataURL('image/png');
};

const panelSvg = (panel) => {
  const {height, photo, words, word, head, note, foot} =
    layOut(panel, el('canvas').getContext('2d'));
  const text = (content, x, y, size, fill) => svg('text', {x, y, 'font-size': size, fill}, content);
  const [x, y, width, tall] = photo;
  const root = svg('svg', {xmlns: SVG, viewBox: `0 0 ${SAVED.width} ${height}`, width: SAVED.width,
    height, 'font-family': "system-ui, 'DejaVu Sans', sans-serif"},
  svg('rect', {width: SAVED.width, height, fill: '#fff'}),
  text(head, SAVED.pad, SAVED.pad + SAVED.small - 2, SAVED.small, '#565e67'),
  svg('image', {x, y, width, height: tall, href: panel.canvas.toDataURL('image/png')}),
  ...words.flatMap((one, i) => [
    ...(i === word ? [svg('rect', {x: one.x - 4, y: one.y - SAVED.font, width: one.wide + 8,
      height: SAVED.font + 8, fill: '#cfe3f5'})] : []),
    text(one.text, one.x, one.y, SAVED.font, '#1b1f24')]),
  text(note, ...foot, SAVED.small, '#565e67'));
  return `data:image/svg+xml;charset=utf-8,${
    encodeURIComponent(new XMLSerializer().serializeToString(root))}`;
};

// The buttons that save a panel and, on a page that can be opened again, copy a link to its word.
const panelTools = (panel) => {
  const {card, model} = panel;
  const name = () => fileName(card.image.id.split('/').at(-1), model.name,
    panel.shownWord >= 0 ? `${panel.shownWord}-${panel.decoded.words[panel.shownWord]}` : 'photo');
  const button = (text, what, onclick) => el('button', {type: 'button', onclick,
    'aria-label': `${what} of ${model.name}`, title: what}, text);
  const link = (event) => copyText(location.href.replace(/#.*/, '') +
    linkTo(card.image.id, model.name, panel.shownWord ?? -1), event.currentTarget);
  return el('p', {class: 'tools panel-tools'},
    button('PNG', 'Save this picture as PNG', () => download(`${name()}.png`, panelPng(panel))),
    button('SVG', 'Save this picture as SVG', () => download(`${name()}.svg`, panelSvg(panel))),
    card.explorer.live || card.report.embedded ? null
      : button('Link', `Copy a link to this ${itemWord(card.report, 1)}, model and word`, link));
};
