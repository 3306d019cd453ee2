/** The API's minimum (characters), because shorter texts have no trigram. */
export const MIN_SEARCH = 3;

export function isLongEnough(search: string): boolean {
  return [...search.trim()].length >= MIN_SEARCH;
}
