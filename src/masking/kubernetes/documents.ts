const SEPARATOR = /^(?=---[ \t\r]*$)/m;
const ANCHOR = /[:-][ \t]{1,8}&[\w-]/;
const ALIAS = /[:-][ \t]{1,8}\*[\w-]/;

/**
 * Splits a YAML stream into documents, each with the separator before it. Each is read separately, so that an open bracket
 * or quote does not affect the next. A text with aliases stays whole, because a lax reader may follow them into another
 * document.
 */
export function splitDocuments(text: string): string[] {
  const refers = text.includes('&') && text.includes('*') && ANCHOR.test(text) && ALIAS.test(text);
  return refers ? [text] : text.split(SEPARATOR);
}
