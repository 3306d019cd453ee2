import { createHash, timingSafeEqual } from 'node:crypto';

/** True if a text is one of the secrets, in constant time: hashes of equal length are compared. */
export function matchesAny(given: string, secrets: readonly string[]): boolean {
  const hash = sha256(given);
  // All secrets are compared, so that the time does not reveal which one matched.
  return secrets.map((secret) => timingSafeEqual(hash, sha256(secret))).includes(true);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
