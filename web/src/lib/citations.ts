/** A range of a Markdown text (UTF-16 code units) and its sources. */
export interface Citation {
  readonly start: number;
  readonly end: number;
  readonly sources: readonly { readonly number: number; readonly title: string; readonly uri: string }[];
}

/** Class of a citation link, which Markdown itself cannot set. */
export const CITATION = 'citation';

/** The used parts of a Markdown syntax tree node. */
interface Node {
  type: string;
  value?: string;
  url?: string;
  title?: string;
  data?: { hName?: string; hProperties?: Record<string, unknown> };
  children?: Node[];
  position?: { start: { offset?: number }; end: { offset?: number } };
}

/** A text or link node after which a mark can be placed. */
interface Words {
  node: Node;
  parent: Node;
  start: number;
  end: number;
}

/** A remark plugin that adds a mark behind each cited passage, never inside code or a link. */
export function remarkCitations(citations: readonly Citation[]) {
  return (tree: Node): void => {
    const words = wordsOf(tree);
    // From the end, so that earlier offsets stay valid after a split.
    for (const citation of citations.toSorted((a, b) => b.end - a.end)) {
      const last = words.findLast(({ start, end }) => start < citation.end && end > citation.start);
      if (last) mark(last, citation);
    }
  };
}

function wordsOf(parent: Node): Words[] {
  return (parent.children ?? []).flatMap((node) => {
    const { start, end } = node.position ?? {};
    if (node.type === 'text' || node.type === 'link')
      return [{ node, parent, start: start?.offset ?? 0, end: end?.offset ?? 0 }];
    return wordsOf(node);
  });
}

function mark(words: Words, { end, sources }: Citation): void {
  const { node, parent, start } = words;
  const place = (parent.children ?? []).indexOf(node) + 1;
  const behind: Node[] = [{ type: 'citation', data: { hName: 'sup' }, children: sources.map(linkTo) }];
  const { value = '' } = node;
  // Escapes make the text shorter than its source, so offsets do not fit: the mark goes behind the whole text.
  if (node.type === 'text' && end < words.end && value.length === words.end - start) {
    behind.push({ type: 'text', value: value.slice(end - start) });
    node.value = value.slice(0, end - start);
    words.end = end;
  }
  parent.children?.splice(place, 0, ...behind);
}

function linkTo({ number, title, uri }: Citation['sources'][number]): Node {
  const children = [{ type: 'text', value: `[${number}]` }];
  return { type: 'link', url: uri, title, data: { hProperties: { className: [CITATION] } }, children };
}
