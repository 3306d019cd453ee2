/**
 * True if two names may belong to one person: equal but for case, or one is the local part of the other's e-mail address.
 * The page may know a person as `ana` whom Slack knows as `ana@example.com`.
 */
export function maybeSamePerson(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a === b || isLocalPart(a, b) || isLocalPart(b, a);
}

function isLocalPart(name: string, address: string): boolean {
  return !name.includes('@') && name !== '' && address.startsWith(`${name}@`);
}
