import type { Mask } from './masks.ts';

const LONGEST = 600;
const END = /[\s"'`<>\\]/;

/** Finds passwords in URLs, and tokens in place of a user: `scheme://user:password@host`. */
export function findUrlPasswords(text: string, replacement: string): Mask[] {
  const masks: Mask[] = [];
  // Searches for `//` instead of `://`, because colons are far more frequent than slashes.
  for (let at = text.indexOf('//'); at >= 0; at = text.indexOf('//', at + 2)) {
    if (text.charCodeAt(at - 1) !== 58) continue; // :
    const start = at + 2;
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
    const user = text.slice(start, colon < 0 || colon > host ? Math.max(start, host) : colon);
    if (isToken(user)) masks.push({ start, end: start + user.length, replacement });
    if (colon < 0 || host <= colon + 1) continue;
    const password = text.slice(colon + 1, host);
    // Skips a port and a path that contains an @: host:port/path@…
    if (/^\d{1,5}[/?]/.test(password) || isStandIn(password)) continue;
    masks.push({ start: colon + 1, end: host, replacement });
  }
  return masks;
}

function isToken(user: string): boolean {
  return /^[A-Za-z0-9_]{16,}$/.test(user) && /\d/.test(user) && /[A-Za-z]/.test(user);
}

function isStandIn(password: string): boolean {
  return /^(?:\[MASKED_[A-Z0-9_]+\]|\*+|x{3,}|\$\{[^}]*\}|\$\([^)]*\)|\$\w+|<[^>]*>|\{\{.*\}\}|%s|redacted)$/i.test(
    password,
  );
}
