const FENCE = /^\s*(?:```|~~~)/;
const FENCE_END = /^\s*(?:```|~~~)\s*$/;
const THINKING = /^\s*<think(?:ing)?>/;
const THINKING_END = /<\/think(?:ing)?>/;
const QUOTED = /^\s*(?:>|["“].*["”]\s*$)/;

/** Where the lines begin that are thinking which is marked as such, code in a fence, or a quotation, as from a log. */
export function quotedLines(text: string): ReadonlySet<number> {
  const quoted = new Set<number>();
  let closing: RegExp | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const isOpening = closing === null;
    if (isOpening) closing = THINKING.test(line) ? THINKING_END : FENCE.test(line) ? FENCE_END : null;
    if (closing !== null || QUOTED.test(line)) quoted.add(at);
    if (closing?.test(isOpening ? line.replace(FENCE, '') : line)) closing = null;
    at += line.length + 1;
  }
  return quoted;
}
