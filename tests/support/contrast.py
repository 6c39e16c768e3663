"""Which texts of a page are hard to read, computed in a browser."""

#: The texts that have less contrast to the ground below them than WCAG 2.2 asks for at level AA: 4.5, and
#: of large letters 3. Boards are tested where they are drawn.
FAINT = """(() => {
  const parsed = (text) => [...text.match(/[0-9.]+/g).map(Number), 1].slice(0, 4);
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const painted = parsed(getComputedStyle(at).backgroundColor);
      if (painted[3] > 0.99) return painted;
    }
    return [255, 255, 255, 1];
  };
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility() || element.disabled) continue;
    if (element.closest("script, style, svg.board, [hidden]")) continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const colour = parsed(element.closest("svg") ? style.fill : style.color);
    const [low, high] = [luminance(colour), luminance(ground(element))].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    seen += 1;
    if (ratio < (large ? 3 : 4.5)) found.push([walker.currentNode.textContent.trim().slice(0, 40), ratio]);
  }
  return { seen, found };
})()"""
