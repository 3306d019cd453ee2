/** Lengths (characters) from which text counts as generated: of any characters, and of hexadecimal digits only. */
const SHORTEST = 16;
const SHORTEST_HEX = 24;

/** Signs that names, paths and dates do not have. */
const SIGNS = /[!#$%^&*+~?|]/g;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Matches a part of an ordinary name: a word, an abbreviation or a number, perhaps followed by a short number. */
const WORD =
  /^(?:(?:[A-Z]?[a-z]*|[A-Z]+)\d{0,4}|[a-z]{0,15}(?:[A-Z][a-z]{2,15}|V\d|Of|By|In|To|ID){1,8}\d{0,2}|\d{1,14}[A-Za-z]?)$/;

/** True for text of high entropy, as a generator prints it, and false for words, names, paths, dates and UUIDs. */
export function isGenerated(text: string): boolean {
  const body = text.replace(/=+$/, '');
  if (body.length < SHORTEST || /[\s"'`<>]/.test(body) || UUID.test(body) || !/[A-Za-z]/.test(body))
    return false;
  if (/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(body)) return body.length >= SHORTEST_HEX && /\d/.test(body);
  if (/^[a-z][a-z0-9+]*:\/\//i.test(body) || /^[./~@$]/.test(body) || /[({[]/.test(body)) return false;
  if ((body.match(SIGNS)?.length ?? 0) >= 2) return /\d/.test(body);
  const parts = body.split(/[^A-Za-z0-9]+/);
  const random = parts.filter((part) => !WORD.test(part));
  if (!random.some((part) => part.length >= 6 && /\d|[a-z][A-Z]/.test(part))) return false;
  const lengthOf = (texts: readonly string[]) => texts.reduce((length, part) => length + part.length, 0);
  return lengthOf(parts) - lengthOf(random) <= body.length / 2;
}
