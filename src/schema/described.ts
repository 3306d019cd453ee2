/** Returns the values of a GraphQL enum from their descriptions. A missing or additional value does not compile. */
export function described<Words extends readonly string[]>(meanings: Record<Words[number], string>) {
  const entries = Object.entries<string>(meanings).map(([word, description]) => [word, { description }]);
  return Object.fromEntries(entries) as Record<Words[number], { description: string }>;
}
