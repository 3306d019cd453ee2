import { literalPattern } from './timeline-search.ts';

/** Returns at most `limit` matches of `query` in `root` outside `skip`, ignoring case, each within one text node. */
export function findTextRanges(root: Element, query: string, limit: number, skip?: Element): Range[] {
  const pattern = literalPattern(query, 'gi');
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node === skip ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node !== null && ranges.length < limit; node = walker.nextNode()) {
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

/** True if the range is rendered and not hidden. */
export function isVisible({ startContainer: { parentElement } }: Range): boolean {
  return parentElement?.checkVisibility({ visibilityProperty: true }) ?? false;
}
