import type { Mask } from './masks.ts';
import { matchEnd } from './text.ts';

const LOCAL = /[A-Za-z0-9._%+'-]/;
const DOMAIN = /(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9_-])/y;
/** Maximum length of the part before the @ (characters), as in the mail standard. */
const LONGEST_LOCAL = 64;
/** Matches the part after the @ of systemd units (`user@1000.service`) and file names (`icon@2x.png`). */
const NO_DOMAINS =
  /\.(?:service|socket|timer|target|mount|automount|slice|scope|path|device|swap|png|jpe?g|gif|svg|webp|css|js|ts|tgz|tar|gz|zip|go|py|rb|jar|ya?ml|json|txt|log|mdx?)$|^\d+x\.|^v?\d+\.\d+|^sha\d+\b/i;

export function findEmails(text: string, replacement: string): Mask[] {
  const masks: Mask[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > 0 && at - start < LONGEST_LOCAL && LOCAL.test(text[start - 1]!)) start--;
    while (start < at && /[.'%+-]/.test(text[start]!)) start++;
    if (text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '')) start++;
    if (start === at || text[start - 1] === '@') continue;
    const end = matchEnd(DOMAIN, text, at + 1);
    if (end < 0 || NO_DOMAINS.test(text.slice(at + 1, end)) || text.slice(start, at) === 'git') continue;
    masks.push({ start, end, replacement });
  }
  return masks;
}
