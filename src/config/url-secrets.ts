/** Hides user, password and query of all URLs in a text; queries often contain keys. */
export function hideUrlSecrets(text: string): string {
  return text
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]+@/gi, '$1***@')
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/[^?\s#]+)\?[^#\s]+/gi, '$1?***');
}
