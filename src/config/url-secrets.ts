/** A text in which addresses show no user, no password, and not what stands behind `?`, which is often a key. */
export function hideUrlSecrets(text: string): string {
  return text
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]+@/gi, '$1***@')
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/[^?\s#]+)\?[^#\s]+/gi, '$1?***');
}
