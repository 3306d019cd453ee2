/** Each of the words with what it means: one too many or too few does not compile. */
export function described<Words extends readonly string[]>(meanings: Record<Words[number], string>) {
  const entries = Object.entries<string>(meanings).map(([word, description]) => [word, { description }]);
  return Object.fromEntries(entries) as Record<Words[number], { description: string }>;
}
