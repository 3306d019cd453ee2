import { literalPattern } from './find-text.ts';

/** Elements that a line of text does not cross. */
const BLOCKS = 'address,article,aside,button,dd,div,dt,h1,h2,h3,h4,h5,h6,li,main,p,pre,section,td,th';

/**
 * Returns at most `limit` matches of `query` in `root` outside `skip`, ignoring case. A match may cross inline elements,
 * such as bold text, but no blocks.
 */
export function findTextRanges(root: Element, query: string, limit: number, skip?: Element): Range[] {
  const pattern = literalPattern(query, 'gi');
  const ranges: Range[] = [];
  for (const nodes of textRuns(root, skip)) {
    for (const match of nodes
      .map(({ data }) => data)
      .join('')
      .matchAll(pattern)) {
      ranges.push(rangeIn(nodes, match.index, match.index + match[0].length)!);
      if (ranges.length === limit) return ranges;
    }
  }
  return ranges;
}

/** Returns the range of the characters from `start` to `end` of an element's text; `null` if its text is shorter. */
export function rangeOfText(element: Element, start: number, end: number): Range | null {
  return rangeIn([...textRuns(element)].flat(), start, end);
}

/** Yields the text nodes in page order, those of one block together. */
function* textRuns(root: Element, skip?: Element): Generator<Text[]> {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node === skip ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  let run: Text[] = [];
  let block: Element | null = null;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    const own = node.parentElement?.closest(BLOCKS) ?? null;
    if (own !== block && run.length > 0) {
      yield run;
      run = [];
    }
    block = own;
    run.push(node);
  }
  if (run.length > 0) yield run;
}

function rangeIn(nodes: readonly Text[], start: number, end: number): Range | null {
  const range = document.createRange();
  let before = 0;
  let begun = false;
  for (const node of nodes) {
    const after = before + node.length;
    if (!begun && start < after) {
      range.setStart(node, start - before);
      begun = true;
    }
    if (begun && end <= after) {
      range.setEnd(node, end - before);
      return range;
    }
    before = after;
  }
  return null;
}

/** True if the range is rendered and not hidden. */
export function isVisible({ startContainer: { parentElement } }: Range): boolean {
  return parentElement?.checkVisibility({ visibilityProperty: true }) ?? false;
}
