'use strict';
// The parts of every page with an explorer: the light and dark themes, and the help with the keys.

const THEMES = ['system', 'light', 'dark'];

const remembered = (value) => {  // a page that is opened from a file may have no storage
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

// Scrolls to a part of the page, or so that it begins `top` pixels below the upper edge of the window, and
// stays there until the visitor does something else: parts above it may grow while they come near the
// window.
let going = null;
const goTo = (target, top = null) => {
  const mine = going = {};
  const stop = () => { if (going === mine) going = null; };
  for (const kind of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    window.addEventListener(kind, stop, {once: true, passive: true, capture: true});
  const end = performance.now() + 1500;
  const placeOf = () => target.getBoundingClientRect().top + window.scrollY;
  let before = null;  // where the target and the window were
  const step = () => {
    // Where the window has moved and the target has not, somebody else has scrolled.
    const scrolled = before && Math.abs(placeOf() - before.place) < 1 &&
      Math.abs(window.scrollY - before.window) > 1;
    if (going !== mine || scrolled || performance.now() > end) return;
    if (top === null) target.scrollIntoView({block: 'start', behavior: 'instant'});
    else window.scrollTo({top: placeOf() - top, behavior: 'instant'});
    before = {place: placeOf(), window: window.scrollY};
    requestAnimationFrame(step);
  };
  step();
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
