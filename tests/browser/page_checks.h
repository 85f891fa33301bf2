// Checks of any page for what everybody needs to read and use it.
#pragma once

namespace saccade::test {

// A function body that returns the visible texts whose colour is too close to that of their
// background (WCAG 2.1).
inline constexpr const char* kLowContrasts = R"(
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) =>
    v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const low = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.getClientRects().length || e.closest('script, noscript, .hidden')) continue;
    const style = getComputedStyle(e);
    const colour = rgba(e.closest('svg') ? style.fill : style.color);
    const a = light(colour), b = light(ground(e));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) low.push(e.textContent.slice(0, 30) + ' ' + contrast.toFixed(2));
  }
  return low;)";

// An expression for the usable elements that have no name.
inline constexpr const char* kNameless =
    "[...document.querySelectorAll('button, a, select, input, canvas[tabindex], [role=img], "
    "[role=region]')].filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || "
    "e.closest('label')?.textContent.trim())).map((e) => e.outerHTML.slice(0, 80))";

// An expression for the visible elements that the Tab key has to reach: all that can be used, but
// the words of a caption and others that take no part in the order, which arrow keys reach.
inline constexpr const char* kReachable =
    "[...document.querySelectorAll('button, a[href], select, input, summary, [tabindex]')].filter("
    "(e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility())";

}  // namespace saccade::test
