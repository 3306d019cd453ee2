/** Limits of a cache: number of texts (a full cache is emptied), and length of a cached text (UTF-16 code units). */
const MAX_TEXTS = 1000;
const MAX_LENGTH = 256;

/** Caches the results of a pure function of a text, because most requests repeat the same few texts. */
export function memoizeText<T extends string | boolean>(of: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const said = known.get(text) ?? of(text);
    if (!known.has(text) && text.length <= MAX_LENGTH) {
      if (known.size === MAX_TEXTS) known.clear();
      known.set(text, said);
    }
    return said;
  };
}
