/** A passage of a Markdown text, in UTF-16 code units of it, and the sources that support it. */
export interface Citation {
  readonly start: number;
  readonly end: number;
  readonly sources: readonly { readonly number: number; readonly title: string; readonly uri: string }[];
}

/** The class of a mark's link, which no Markdown can give itself. */
export const CITATION = 'citation';

/** What is used of a node of Markdown's syntax tree. */
interface Node {
  type: string;
  value?: string;
  url?: string;
  title?: string;
  data?: { hName?: string; hProperties?: Record<string, unknown> };
  children?: Node[];
  position?: { start: { offset?: number }; end: { offset?: number } };
}

/** A piece of words in the tree, behind which a mark can stand. */
interface Words {
  node: Node;
  parent: Node;
  start: number;
  end: number;
}

/**
 * A plugin of remark that puts a mark behind each cited passage: behind its last words that are neither code nor in the
 * middle of a link.
 */
export function remarkCitations(citations: readonly Citation[]) {
  return (tree: Node): void => {
    const words = wordsOf(tree);
    // From the end: what was split stays right for what comes before it.
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
  // Where signs were escaped, the text is shorter than what it was written as: then the mark stands behind all of it.
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
