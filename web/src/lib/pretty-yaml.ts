import { isCollection, parseAllDocuments, visit } from 'yaml';

/** YAML with one member a line, comments kept; null when the text is no mapping and no list, or is broken. */
export function prettyYaml(text: string): string | null {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents) || documents.length === 0) return null;
  if (documents.some((document) => document.errors.length > 0 || !isCollection(document.contents)))
    return null;
  for (const document of documents) {
    visit(document, {
      Collection: (_, node) => {
        node.flow = node.items.length === 0;
      },
    });
  }
  try {
    // Aliases stay names: what they stand for is not written out, however often.
    return documents.map((document) => document.toString({ lineWidth: 0 }).trimEnd()).join('\n');
  } catch {
    return null; // YAML can say what it cannot write, such as an alias that nothing defines
  }
}
