export { truncate as cutText } from '../truncate.ts';

/** Text that every database and wire takes: NUL and lone surrogates become the replacement character. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}
