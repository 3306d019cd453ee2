/** The API's own limit: shorter texts have no trigram. */
export const MIN_SEARCH = 3;

/** Long enough for the API to look for. */
export function isLongEnough(search: string): boolean {
  return [...search.trim()].length >= MIN_SEARCH;
}
