'use strict';
// Tables of numbers, each with a copy button and a link to the same numbers as CSV; and commands with a
// copy button.

// A cell is a text, a number, or {value, text, note, more, share}: text is shown, note stands on a
// line below it, and share (0 to 1) is drawn as a bar behind it. more, {name: number}, becomes columns
// of its own in the CSV.
const cellValue = (cell) => (cell !== null && typeof cell === 'object' ? cell.value : cell);
const cellText = (cell) => {
  if (cell !== null && typeof cell === 'object') return cell.text ?? shown(cell.value);
  return typeof cell === 'number' ? shown(cell) : String(cell ?? '\u2013');
};

const plainCell = (cell) => {
  const value = cellValue(cell);
  return value === null || value === undefined || Number.isNaN(value) ? '' : String(value);
};

// The text of a cell for the clipboard: its number or, where it has `more`, the text that is shown.
const copiedCell = (cell) => (cell?.more
  ? [cellText(cell), cell.note].filter(Boolean).join(' ') : plainCell(cell));

// `rows`, the head first, with the numbers in `more` as columns: "CIDEr", "CIDEr low", ...
const spreadColumns = ([head, ...rows]) => {
  const names = head.map((_, i) =>
    [...new Set(rows.flatMap((row) => Object.keys(row[i]?.more || {})))]);
  return [head.flatMap((name, i) => [name, ...names[i].map((more) => `${name} ${more}`)]),
    ...rows.map((row) => row.flatMap((cell, i) =>
      [cell, ...names[i].map((more) => cell?.more?.[more] ?? null)]))];
};

// A cell as CSV. A spreadsheet must not mistake text for a formula, hence the apostrophe.
const csvCell = (cell) => {
  let text = plainCell(cell);
  if (typeof cellValue(cell) !== 'number' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const copyText = async (text, button) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el('textarea', {class: 'hidden'});
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
    button.focus();
  }
  const before = button.textContent;
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = before; }, 1500);
};

const commandLine = (text) => el('div', {class: 'command'}, el('pre', {tabindex: 0}, text),
  el('button', {type: 'button', 'aria-label': 'Copy the command',
    onclick: (event) => copyText(text, event.currentTarget)}, 'Copy'));

// The buttons of a table: rows() gives a list of lists, the head first.
const numberTools = (name, rows) => {
  const csv = spreadColumns(rows()).map((row) => row.map(csvCell).join(',')).join('\r\n');
  return el('p', {class: 'tools'},
    el('button', {type: 'button', 'aria-label': `Copy ${name}`,
      onclick: (event) => copyText(rows().map((row) => row.map(copiedCell).join('\t')).join('\n'),
        event.currentTarget)}, 'Copy'),
    el('a', {download: `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.csv`,
      'aria-label': `${name} as CSV`,
      href: `data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`}, 'CSV'));
};

// A table: `head` has the names of the columns, and each of `rows` a list of cells, of which the first
// is the name of the row.
const numberTable = (name, head, rows) => {
  const cell = (value, i) => {
    if (i === 0) return el('th', {scope: 'row'}, cellText(value));
    const number = typeof cellValue(value) === 'number';
    const node = el('td', {class: number ? 'number' : ''}, cellText(value),
      value?.note ? el('span', {class: 'note'}, value.note) : null);
    if (value?.share !== undefined && value.share !== null)
      node.style.setProperty('--share', `${(100 * value.share).toFixed(1)}%`);
    if (value?.share !== undefined && value.share !== null) node.classList.add('barred');
    return node;
  };
  const body = el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map(cell))));
  return el('div', {class: 'table-block'},
    numberTools(name, () => [head, ...rows]),
    el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': name},
      el('table', {}, el('caption', {class: 'hidden'}, name),
        el('thead', {}, el('tr', {}, ...head.map((text, i) => el('th', {scope: 'col',
          class: rows.some((row) => typeof cellValue(row[i]) === 'number') ? 'number' : ''},
        text)))),
        body)));
};

// A table of the program (core/base/table.h): columns with key and label, and rows by key.
const drawnTable = (name, {columns, rows}) => numberTable(name, columns.map(({label}) => label),
  rows.map((row) => columns.map(({key, share, significant}) => {
    const value = row[key];
    if (typeof value !== 'number') return value;
    if (share) return {value, share: value};
    if (significant) return {value, text: value.toPrecision(3)};
    return Number.isInteger(value) ? {value, text: String(value)} : value;
  })));
