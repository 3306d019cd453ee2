import type { Mask } from './masks.ts';

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const LABEL = /[A-Z0-9 ]{1,64}-----/y;
/** Matches a block's body with its headers, line ends that may be escaped, and quotes of wrapped lines. */
const BODY = /(?:[A-Za-z0-9+/=\s\\>|]|:(?= )|[-,](?=[A-Za-z0-9])|(?:Proc-Type|DEK-Info): [^\n\\]{1,80})*/y;
/** Minimum length of a body (base64 characters); a shorter one is an example in a sentence. */
const SHORTEST_BODY = 16;

/** Matches a body line before a position. The line may be indented or quoted, and its end may be escaped. */
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
    LABEL.lastIndex = end + END.length;
    const label = LABEL.exec(text)?.[0];
    if (label === undefined || !wanted(label)) continue;
    const start = bodyStart(text, end);
    if (hasBody(text.slice(start, Math.min(end, start + 4096))))
      masks.push({ start, end: end + END.length + label.length, replacement });
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
    LABEL.lastIndex = begin + BEGIN.length;
    const label = LABEL.exec(text)?.[0];
    const next = text.indexOf(BEGIN, begin + BEGIN.length);
    if (label !== undefined) {
      const body = begin + BEGIN.length + label.length;
      if (end !== -1 && end < body) end = text.indexOf(END, body);
      const stop = blockEnd(text, body, next, end);
      if (stop > 0 && wanted(label)) masks.push({ start: begin, end: stop, replacement });
    }
    begin = next;
  }
  return masks;
}

/** Returns the end of the block whose body starts at `body`; 0 if there is no body. */
function blockEnd(text: string, body: number, next: number, end: number): number {
  if (end >= 0 && (next < 0 || end < next)) {
    if (!hasBody(text.slice(body, Math.min(end, body + 4096)))) return 0;
    LABEL.lastIndex = end + END.length;
    return LABEL.test(text) ? LABEL.lastIndex : end + END.length;
  }
  BODY.lastIndex = body;
  BODY.test(text);
  const stop = Math.min(BODY.lastIndex, next < 0 ? text.length : next);
  return hasBody(text.slice(body, Math.min(stop, body + 4096))) ? stop : 0;
}

function hasBody(text: string): boolean {
  const longest = text.match(/[A-Za-z0-9+/=]{4,}/g) ?? [];
  return longest.some((run) => run.length >= SHORTEST_BODY);
}
