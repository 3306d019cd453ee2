import type { Mask } from './masks.ts';

/** Longest user and password of a URL that are looked for (characters). */
const LONGEST = 600;
const END = /[\s"'`<>\\]/;

/** Passwords in URLs: `scheme://user:password@host`. */
export function findUrlPasswords(text: string, replacement: string): Mask[] {
  const masks: Mask[] = [];
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const start = at + 3;
    let end = start;
    let host = -1;
    let colon = -1;
    let slash = -1;
    for (; end < text.length && end - start < LONGEST; end++) {
      const char = text[end]!;
      if (END.test(char) || text.startsWith('://', end)) break;
      if (char === '@' && (slash < 0 || colon >= 0)) host = end;
      if (char === ':' && colon < 0) colon = end;
      if ((char === '/' || char === '?') && slash < 0) {
        slash = end;
        if (host >= 0) break;
      }
    }
    if (colon < 0 || host <= colon + 1) continue;
    const password = text.slice(colon + 1, host);
    // host:port/path@…
    if (/^\d{1,5}[/?]/.test(password) || isStandIn(password)) continue;
    masks.push({ start: colon + 1, end: host, replacement });
  }
  return masks;
}

function isStandIn(password: string): boolean {
  return /^(?:\[MASKED_[A-Z0-9_]+\]|\*+|x{3,}|\$\{[^}]*\}|\$\([^)]*\)|\$\w+|<[^>]*>|\{\{.*\}\}|%s|redacted)$/i.test(
    password,
  );
}
