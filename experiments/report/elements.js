'use strict';
// Elements of the page. Data become text nodes and attribute values and are never parsed as markup.

const SVG = 'http://www.w3.org/2000/svg';

const setAttributes = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'style') node.style.cssText = value;  // the content security policy allows this
    else node.setAttribute(name, value === true ? '' : String(value));
  }
};

// el('p', {class: 'muted', onclick: f}, 'text', child)
const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  setAttributes(node, attributes);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};

const svg = (tag, attributes = {}, ...children) => {
  const node = document.createElementNS(SVG, tag);
  setAttributes(node, attributes);
  node.append(...children);
  return node;
};

// A number as text: with `places` decimals (fewer for large numbers), whole numbers from 10 on without,
// tiny ones with an exponent; a dash where there is no number.
const shown = (value, places = 3) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return '\u2013';
  if (Number.isInteger(value) && Math.abs(value) >= 10) return value.toLocaleString('en-US');
  if (Math.abs(value) >= 100) return value.toFixed(1);
  if (value !== 0 && Math.abs(value) < 0.5 * 10 ** -places) return value.toExponential(0);
  return value.toFixed(Math.abs(value) >= 10 ? Math.min(places, 2) : places);
};

// What a page shows: "1 image", "20 texts".
const itemWord = ({texts}, count = 2) => `${texts ? 'text' : 'image'}${count === 1 ? '' : 's'}`;
const countedItems = (report, count) => `${count} ${itemWord(report, count)}`;

// METRICS is the registry of metrics (metric_list.h), which the program writes before these scripts. A
// run of another version may have recorded a number that it does not know.
const metricName = (name) => {
  const at = name.lastIndexOf('/');  // of one of several joined data sets: SET/METRIC
  const own = name.slice(at + 1);
  return (at < 0 ? '' : `${name.slice(0, at)}: `) + (METRICS[own]?.label || own.replaceAll('_', ' '));
};

// Metrics in the order of the registry, unknown ones last; and those that are shown without being asked
// for.
const inTableOrder = (names) => {
  const order = Object.keys(METRICS);
  const place = (name) => (METRICS[name] ? order.indexOf(name) : order.length);
  return [...names].sort((a, b) => place(a) - place(b));
};
// Results of texts have headlines of their own; they are known by the share of exact matches.
const areOfTexts = (names) => [...names].includes('exact_match');
const headlineMetrics = (names) => inTableOrder(names).filter((name) =>
  METRICS[name]?.[areOfTexts(names) ? 'headline_of_texts' : 'headline']);

// The badge beside the name of a model whose attention looks dead, so that its maps show no place.
const deadBadge = (model) => (model.dead
  ? el('span', {class: 'badge', title: model.dead}, 'attention looks dead') : null);

// A text that explains itself where the pointer rests on it.
const tip = (text, title, attributes = {}) => el('span', {class: 'tip', title, ...attributes}, text);

// A labelled select of [value, text] pairs.
const selectBox = (label, choices, value, onchange) => {
  const select = el('select', {onchange: (event) => onchange(event.target.value)},
    ...choices.map(([key, text]) => el('option', {value: key}, text)));
  select.value = value;
  return el('label', {class: 'field'}, el('span', {}, label), select);
};

const numberBox = (label, value, attributes, onchange) => el('label', {class: 'field'},
  el('span', {}, label),
  el('input', {type: 'number', value, inputmode: 'decimal', ...attributes,
    oninput: (event) => onchange(event.target.value === '' ? null : Number(event.target.value))}));

const checkBox = (label, checked, onchange) => el('label', {class: 'check'},
  el('input', {type: 'checkbox', checked, onchange: (event) => onchange(event.target.checked)}),
  el('span', {}, label));

// The colour of model number m, as a CSS value, and the dash of its line.
const modelColour = (m) => `var(--series-${m % 8})`;
const modelDash = (m) => ['', '6 3', '2 3', '8 3 2 3'][Math.floor(m / 8) % 4];
const swatch = (m) => el('span', {class: 'swatch', style: `background:${modelColour(m)}`,
  'aria-hidden': 'true'});
