const SEPARATOR = /^(?=---[ \t\r]*$)/m;
const ANCHOR = /[:-][ \t]{1,8}&[\w-]/;
const ALIAS = /[:-][ \t]{1,8}\*[\w-]/;

/**
 * The documents of a YAML stream, each with the separator before it; together they are the text. Each is read for
 * itself: a bracket or quote that is open at its end says nothing about the next. A text with aliases is one: no YAML lets
 * them name an anchor of another document, but a reader may follow them.
 */
export function splitDocuments(text: string): string[] {
  const refers = text.includes('&') && text.includes('*') && ANCHOR.test(text) && ALIAS.test(text);
  return refers ? [text] : text.split(SEPARATOR);
}
