import { isGenerated } from './generated.ts';
import type { Mask } from './masks.ts';
import { characterTable, eachRun } from './text.ts';

/** Minimum length of a run (characters); shorter runs are mostly words and numbers. */
const SHORTEST_RUN = 20;
const IN_RUN = characterTable(/[A-Za-z0-9+/_-]/);
const EQUALS = 61;
const SHORT = /:[ \t]{0,8}\\{0,15}["']?([A-Za-z0-9+/]{2,18}={0,2})(?=[\s"'\\,}\]]|$)/g;
/** Matches the text before harmless base64: digests, integrity values, list cursors. */
const HARMLESS_BEFORE =
  /(?:(?:continue|integrity|digest|etag|checksum|resourceVersion|fingerprint)\W{0,8}|sha\d{1,3}[-:=]|SHA256:|MD5:|\/|@)$/i;

/** Finds base64 of at least 20 characters, but not words, paths, hex or identifiers. */
export function findBase64(text: string, replacement: string): Mask[] {
  const masks: Mask[] = [];
  eachRun(text, IN_RUN, SHORTEST_RUN, (start, runEnd) => {
    let end = runEnd;
    while (text.charCodeAt(end) === EQUALS) end++;
    const padding = end - runEnd;
    // A run after `=`, or with text directly after its own `=`, belongs to a list of settings.
    const continues = padding > 0 && IN_RUN[text.charCodeAt(end)] === 1;
    if (padding > 2 || continues || text.charCodeAt(start - 1) === EQUALS) return;
    if (!looksEncoded(text.slice(start, end))) return;
    if (HARMLESS_BEFORE.test(text.slice(Math.max(0, start - 32), start))) return;
    masks.push({ start, end, replacement });
  });
  return masks;
}

/** Finds base64 of 4–19 characters after a colon that decodes to plain text and is no word. */
export function findShortBase64(text: string, replacement: string): Mask[] {
  const masks: Mask[] = [];
  for (const match of text.matchAll(SHORT)) {
    const run = match[1]!;
    if (run.length > 19 || run.length < 4 || run.length % 4 !== 0) continue;
    if (!run.endsWith('=') && !/[a-z0-9][A-Z]/.test(run)) continue;
    if (!decodesToText(run)) continue;
    const end = match.index + match[0].length;
    masks.push({ start: end - run.length, end, replacement });
  }
  return masks;
}

const SAMPLE = 256;

function looksEncoded(run: string): boolean {
  const sample = run.slice(0, SAMPLE).replace(/=+$/, '');
  if (/^[0-9a-fA-F-]+$/.test(sample)) return false;
  if (run.endsWith('=')) return run.length % 4 === 0 && /\d|[a-z][A-Z]|[A-Z][a-z]/.test(sample);
  if (/[-_]/.test(sample) || sample.startsWith('/')) return false;
  const isText = run.length % 4 === 0 && decodesToText(sample.slice(0, 64));
  return isText ? !/^[a-z]+$|^[A-Z]+$/.test(sample) : /[a-z]/.test(sample) && isGenerated(sample);
}

function decodesToText(run: string): boolean {
  const bytes = Buffer.from(run, 'base64');
  return bytes.length > 0 && bytes.every((byte) => (byte >= 32 && byte < 127) || byte === 10 || byte === 9);
}

/** True if base64 decodes to `user:password` in plain ASCII. */
export function isEncodedLogin(text: string): boolean {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]{4,}={0,2}$/.test(text)) return false;
  const bytes = Buffer.from(text, 'base64');
  for (const byte of bytes) if (byte < 32 || byte > 126) return false;
  return bytes.includes(58); // :
}
