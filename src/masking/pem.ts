import type { Mask } from './masks.ts';

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const LABEL = /[A-Z0-9 ]{1,64}-----/y;
/** What a block's body is made of, with line ends that are escaped or not, headers and quotes of wrapped lines. */
const BODY = /(?:[A-Za-z0-9+/=\s\\>|]|:(?= )|[-,](?=[A-Za-z0-9])|(?:Proc-Type|DEK-Info): [^\n\\]{1,80})*/y;
/** A body shorter than this (base64 characters) is an example in a sentence. */
const SHORTEST_BODY = 16;

/** PEM blocks whose label is wanted, also those that are cut off before their end. */
export function findPem(text: string, replacement: string, wanted: (label: string) => boolean): Mask[] {
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

/** End of the block whose body starts at `body`; 0 when there is no body. */
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
