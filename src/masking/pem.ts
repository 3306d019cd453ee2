import type { Mask } from './masks.ts';
import { matchEnd } from './text.ts';

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const LABEL = /[A-Z0-9 ]{1,64}-----/y;
/** Matches the body of a PEM block: base64, headers, line ends (perhaps escaped) and quote signs before lines. */
const BODY = /(?:[A-Za-z0-9+/=\s\\>|]|:(?= )|[-,](?=[A-Za-z0-9])|(?:Proc-Type|DEK-Info): [^\n\\]{1,80})*/y;
/** Matches a run of base64. A body with only shorter runs is an example in a sentence. */
const BODY_RUN = /[A-Za-z0-9+/=]{16}/;
const LONGEST_LOOK = 4096;

/** Matches a line of base64 that ends at a position. The line may be indented or quoted, its end escaped. */
const LINE_BEFORE =
  /(?<=(?:^|\n|\\n|["'])[ \t>|]{0,40}([A-Za-z0-9+/=]{4,100})(?:\r?\n|(?:\\{1,15}r)?\\{1,15}n)[ \t>|]{0,40})/dy;

/** Finds PEM blocks with a wanted label, including blocks without their beginning or end. */
export function findPem(text: string, replacement: string, wanted: (label: string) => boolean): Mask[] {
  return [...findBlocks(text, replacement, wanted), ...findEnds(text, replacement, wanted)];
}

/** Finds ends of blocks with the lines above them, because the beginning may be missing, as in the tail of a log. */
function findEnds(text: string, replacement: string, wanted: (label: string) => boolean): Mask[] {
  const masks: Mask[] = [];
  for (let end = text.indexOf(END); end >= 0; end = text.indexOf(END, end + END.length)) {
    const stop = matchEnd(LABEL, text, end + END.length);
    if (stop < 0 || !wanted(text.slice(end + END.length, stop))) continue;
    const start = bodyStart(text, end);
    if (hasBody(text, start, end)) masks.push({ start, end: stop, replacement });
  }
  return masks;
}

function bodyStart(text: string, end: number): number {
  for (let start = end; ; ) {
    LINE_BEFORE.lastIndex = start;
    const body = LINE_BEFORE.exec(text)?.indices?.[1];
    if (body === undefined) return start;
    start = body[0];
  }
}

function findBlocks(text: string, replacement: string, wanted: (label: string) => boolean): Mask[] {
  const masks: Mask[] = [];
  let end = -2;
  for (let begin = text.indexOf(BEGIN); begin >= 0; ) {
    const body = matchEnd(LABEL, text, begin + BEGIN.length);
    const next = text.indexOf(BEGIN, begin + BEGIN.length);
    if (body >= 0) {
      if (end !== -1 && end < body) end = text.indexOf(END, body);
      const stop = blockEnd(text, body, next, end);
      if (stop !== null && wanted(text.slice(begin + BEGIN.length, body)))
        masks.push({ start: begin, end: stop, replacement });
    }
    begin = next;
  }
  return masks;
}

/** Returns the end offset of the PEM block whose body starts at `body`; `null` if there is no body. */
function blockEnd(text: string, body: number, next: number, end: number): number | null {
  if (end >= 0 && (next < 0 || end < next)) {
    if (!hasBody(text, body, end)) return null;
    return Math.max(matchEnd(LABEL, text, end + END.length), end + END.length);
  }
  const stop = Math.min(matchEnd(BODY, text, body), next < 0 ? text.length : next);
  return hasBody(text, body, stop) ? stop : null;
}

function hasBody(text: string, start: number, end: number): boolean {
  return BODY_RUN.test(text.slice(start, Math.min(end, start + LONGEST_LOOK)));
}
