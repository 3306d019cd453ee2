/** Minimum length of a search in the API (characters), because shorter texts have no trigram. */
export const MIN_SEARCH = 3;

export function isLongEnough(search: string): boolean {
  return [...search.trim()].length >= MIN_SEARCH;
}
