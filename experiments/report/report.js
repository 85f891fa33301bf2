'use strict';
// Starts the page: reads the data, names the report, builds the sections.

const THEMES = ['system', 'light', 'dark'];

const remembered = (value) => {  // files may have no storage
  try {
    if (value !== undefined) localStorage.setItem('saccade-theme', value);
    return localStorage.getItem('saccade-theme');
  } catch {
    return null;
  }
};

const startTheme = () => {
  const button = document.querySelector('#theme-button');
  const set = (theme) => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  let theme = THEMES.includes(remembered()) ? remembered() : 'system';
  set(theme);
  button.addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    set(theme);
    remembered(theme);
  });
};

const startHelp = () => {
  const help = document.querySelector('#help');
  const open = () => { if (!help.open) help.showModal(); };
  document.querySelector('#help-button').addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    if (event.key !== '?' || event.target.closest?.('input, select, textarea')) return;
    event.preventDefault();
    open();
  });
};

const start = () => {
  const report = JSON.parse(document.querySelector('#data').textContent);
  report.colours = bytesOf(report.colours);
  const name = report.comparison?.name || report.title;
  document.title = `${name} \u00b7 saccade report`;
  document.querySelector('#title').textContent = name;
  const count = report.images.length;
  document.querySelector('#subtitle').textContent = `${report.dataset}, ${report.split}: ` +
    (count < report.split_images ? `${count} of ${report.split_images} images, evenly taken`
      : `${count} images`) +
    `; ${report.models.length === 1 ? 'one model' : `${report.models.length} models`}`;
  document.querySelector('#remarks').append(...report.remarks.map((text) =>
    el('p', {class: 'remark'}, text)));
  startTheme();
  startHelp();
  const sections = [curvesSection, scoresSection, healthSection, configSection, againSection]
    .map((make) => make(report)).filter(Boolean);
  document.querySelector('#sections').append(...sections);
  const explorer = new Explorer(report, document.querySelector('#explorer'));
  document.querySelector('#nav').append(
    ...[explorer.root, ...sections].map((part) => el('li', {},
      el('a', {href: `#${part.id}`}, part.querySelector('h2').textContent))));
};

start();
