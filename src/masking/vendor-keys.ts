import { isObjectName } from './field-values.ts';
import type { Mask, Placeholder } from './masks.ts';
import { characterTable, matchEnd } from './text.ts';
import { ANCHORS, ANYWHERE, AT_WORDS, type Form, pairAt, SAMPLE } from './vendor-forms.ts';

const IN_WORD = characterTable(/[A-Za-z0-9_-]/);
/** Matches the rest of an escape at the start of a word: `n` of `\n`, `2F` of `%2F`, or the end of a terminal colour. */
const ESCAPED = /(?<=\\)[nrt]|(?<=%)[0-9A-F]{2}|(?<=[[;])\d{1,3}m/y;
const ESCAPE_END = /(?:\\[nrt]|%[0-9A-F]{2}|[[;]\d{1,3}m)$/;
/** Masks a key of a form at a position, if there is one. @returns the key's end, or -1 */
type Take = (form: Form, at: number) => number;

export function findVendorKeys(text: string, placeholder: Placeholder): Mask[] {
  const masks: Mask[] = [];
  const take: Take = ({ patterns, regex, rest }, at) => {
    const replacement = placeholder(patterns);
    const sampled = replacement === null ? -1 : matchEnd(regex, text, at);
    if (replacement === null || sampled < 0) return -1;
    if (!isRandom(text.slice(at, Math.min(sampled, at + SAMPLE)))) return -1;
    const end = rest ? matchEnd(rest, text, sampled) : sampled;
    masks.push({ start: at, end, replacement });
    return end;
  };
  for (let at = 0, within = 0; at < text.length; at++) {
    const before = within;
    within = IN_WORD[text.charCodeAt(at)]!;
    if (within > before) takeAtWord(text, at, take);
  }
  const anchors = new RegExp(ANCHORS);
  for (let hit = anchors.exec(text); hit; hit = anchors.exec(text)) {
    let next = hit.index + 1; // a key may start within another
    for (const form of ANYWHERE.get(hit[0])!) next = Math.max(next, takeAround(text, form, hit.index, take));
    anchors.lastIndex = next;
  }
  return masks;
}

function takeAtWord(text: string, start: number, take: Take): void {
  if (AT_WORDS[pairAt(text, start)]?.some((form) => take(form, start) >= 0)) return;
  const code = text.charCodeAt(start - 1);
  if (code !== 92 && code !== 37 && code !== 91 && code !== 59) return; // only \ % [ ; precede an escape's rest
  const at = matchEnd(ESCAPED, text, start);
  if (at >= 0) AT_WORDS[pairAt(text, at)]?.some((form) => take(form, at) >= 0);
}

/** Masks a key whose fixed part is at a position, if there is one. @returns the key's end, or -1 */
function takeAround(text: string, form: Form, anchorAt: number, take: Take): number {
  let at = anchorAt;
  if (form.first)
    while (at > 0 && anchorAt - at < form.first.most && form.first.sign.test(text[at - 1]!)) at--;
  // Allows `/bot`, because URLs of Telegram have it directly before the token.
  const isWithinWord =
    /[A-Za-z0-9]/.test(text[at - 1] ?? '') && text[at] !== '.' && !text.startsWith('/bot', at - 4);
  if (isWithinWord && !ESCAPE_END.test(text.slice(Math.max(0, at - 5), at))) return -1;
  return take(form, at);
}

/** True for text with a digit and a letter, or letters of both cases, that is no name of a Kubernetes object. */
function isRandom(key: string): boolean {
  if (!key.includes('_') && isObjectName(key)) return false;
  return /\d/.test(key) ? /[A-Za-z]/.test(key) : /[a-z]/.test(key) && /[A-Z]/.test(key);
}
