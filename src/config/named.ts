/** Names to values, without a prototype: a name that came from outside finds entries only. */
export type Named<T> = Readonly<Record<string, T>>;

/** Who defined an entry. An entry of a file replaces the built-in one of its name completely. */
export type Origin = 'BUILTIN' | 'FILE';
