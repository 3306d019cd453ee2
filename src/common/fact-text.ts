export interface FactParts {
  subject: string;
  attribute: string;
  value: string;
  unit: string | null;
  negated: boolean;
  window: string | null;
  filter: string | null;
}

/** Returns a fact of a claim as text, such as `web-1 · restarts = 17` or `no errors found (last 10 min; web-1)`. */
export function factText({ subject, attribute, value, unit, negated, window, filter }: FactParts): string {
  if (attribute === 'absent') {
    const where = [window, filter].filter((part) => part !== null).join('; ');
    return `${negated ? '' : 'no '}${subject} found${where === '' ? '' : ` (${where})`}`;
  }
  const name = attribute === subject ? subject : `${subject} · ${attribute}`;
  return `${name} = ${negated ? 'not ' : ''}${value}${unit === null ? '' : ` ${unit}`}`;
}

/** Returns a claim's problems without those of its facts, which callers show at each fact; `null` if none remains. */
export function otherProblems(
  problem: string | null,
  facts: readonly { problem: string | null }[],
): string | null {
  const rest = facts.reduce((text, fact) => text.replace(fact.problem ?? '', ''), problem ?? '');
  return rest.replace(/\s+/g, ' ').trim() || null;
}
