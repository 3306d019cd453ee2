/** A range of a Markdown text (UTF-16 code units) and its sources. */
export interface Citation {
  readonly start: number;
  readonly end: number;
  readonly sources: readonly { readonly number: number; readonly title: string; readonly uri: string }[];
}

/** CSS class of citation links. A model cannot fake such a link, because Markdown cannot set a class. */
export const CITATION = 'citation';

/** A node of a Markdown syntax tree, with only the properties used here. */
interface Node {
  type: string;
  value?: string;
  url?: string;
  title?: string;
  data?: { hName?: string; hProperties?: Record<string, unknown> };
  children?: Node[];
  position?: { start: { offset?: number }; end: { offset?: number } };
}

/** A text or link node behind which a citation mark can be placed. */
interface Words {
  node: Node;
  parent: Node;
  start: number;
  end: number;
}

/** Creates a remark plugin that adds a mark behind each cited passage, but not inside code or a link. */
export function remarkCitations(citations: readonly Citation[]) {
  return (tree: Node): void => {
    const words = wordsOf(tree);
    // Starts at the end of the text, so that earlier offsets stay valid after a split.
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
  // Escapes make a node's text shorter than its source. Offsets then do not fit, so the mark goes behind the node.
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
