const SEPARATOR = /^---[ \t\r]*$/gm;
const ANCHOR = /(?<=[:-][ \t]{1,8})&([\w-]{1,64})/g;
const ALIAS = /(?<=[:-][ \t]{1,8})\*([\w-]{1,64})/g;

/**
 * The documents of a YAML stream, each with the separator before it; together they are the text. Each is read for
 * itself: a bracket or quote that is open at its end says nothing about the next.
 */
export function splitDocuments(text: string): string[] {
  const documents: string[] = [];
  let start = 0;
  for (const { index } of text.matchAll(SEPARATOR)) {
    if (index > start) documents.push(text.slice(start, index));
    start = index;
  }
  documents.push(text.slice(start));
  const mayRefer = documents.length > 1 && text.includes('&') && text.includes('*');
  return mayRefer && referToOthers(documents) ? [text] : documents;
}

/** No YAML allows it, but a reader that takes them for one document would follow such an alias. */
function referToOthers(documents: readonly string[]): boolean {
  const anchors = documents.map((document) => names(document, ANCHOR));
  const anywhere = new Set(anchors.flatMap((own) => [...own]));
  return documents.some((document, at) =>
    names(document, ALIAS)
      .values()
      .some((name) => !anchors[at]!.has(name) && anywhere.has(name)),
  );
}

function names(document: string, pattern: RegExp): Set<string> {
  return new Set(document.matchAll(pattern).map((found) => found[1]!));
}
