/** Returns the label of each choice by its key. */
export function namesOf<Key extends string>(choices: Readonly<Record<Key, { label: string }>>) {
  const names = Object.entries<{ label: string }>(choices).map(([key, { label }]) => [key, label]);
  return Object.fromEntries(names) as Record<Key, string>;
}
