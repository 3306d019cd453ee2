import { literal } from './timeline-search.ts';

/** Where a text stands inside an element, at most so many times; each within one piece of text. */
export function rangesOf(root: Element, wanted: string, most: number, skip?: Element): Range[] {
  const pattern = literal(wanted, 'gi');
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node === skip ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node !== null && ranges.length < most; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    for (const match of node.data.matchAll(pattern)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      ranges.push(range);
    }
  }
  return ranges;
}

/** Whether the reader could see it, if they went there. */
export function isShown({ startContainer: { parentElement } }: Range): boolean {
  return parentElement?.checkVisibility({ visibilityProperty: true }) ?? false;
}
