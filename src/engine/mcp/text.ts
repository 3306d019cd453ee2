/** Text that every database and wire takes: NUL and lone surrogates become the replacement character. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}

/** The first `max` characters, with a note of what was cut. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).toWellFormed()}\n[cut: ${max} of ${text.length} characters shown]`;
}
