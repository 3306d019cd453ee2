/** A text in which addresses show no user and no password. */
export function hideUserInfo(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]+@/gi, '$1***@');
}
