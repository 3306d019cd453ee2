import { jsonEnd } from '../../../../mcp/parameters.ts';
import {
  HEADER_WINDOW,
  type Header,
  type HeaderStyle,
  INPUT_ON_ACTION_LINE,
  inlineHeaders,
  readHeader,
} from './headers.ts';
import { createDataEnds, createQuotations, opensValue } from './open-text.ts';
import { isToolNameAt, recoveredName, sectionText } from './section-text.ts';

interface Sections {
  /** The last thought that is not empty; `null` if there is none. */
  thought: string | null;
  final: string | null;
  /** Raw text of the last action, and the input that follows; each `null` if missing. */
  action: string | null;
  input: { raw: string; style: HeaderStyle } | null;
  /** Names of all sections in the response, even of unusable ones. */
  found: ReadonlySet<SectionName>;
  /** Offset where reading stopped: at an observation that the model invented, or at the end of the text. */
  end: number;
}

/**
 * Kind of a section. `draft`: an action within the final answer. Such a draft becomes an action if an input follows,
 * and stays part of the answer otherwise.
 */
export type SectionName = 'preamble' | 'thought' | 'action' | 'input' | 'final' | 'draft';

const PLAIN: HeaderStyle = { indent: 0, emphasis: '', exactCase: true };
const BASED_ON = /^[ \t]*\[Based on/;
/**
 * Phrases of the feedback on malformed responses, which a model may repeat. An observation with such a phrase
 * is not an invented result.
 */
const QUOTED_FEEDBACK = ['Please specify', 'what Action you want to take', 'Error in reasoning'];
/** Matches the line of an action whose arguments in parentheses continue on the next line. */
const OPEN_ARGUMENTS = /^[^\n(]{1,300}\([^)]*$/;
/** Matches the indicator of a YAML block scalar at the end of a line, such as `query: |`. */
const BLOCK_START = /:[ \t]{1,20}[|>][+-]?[ \t]{0,20}$/;
/** Number of characters of an observation's line that are searched for QUOTED_FEEDBACK. */
const OBSERVATION_WINDOW = 512;

/** Reads the sections of a response, in linear time. @param quoted start offsets of lines whose headers are ignored */
export function readSections(text: string, quoted: ReadonlySet<number> = new Set()): Sections {
  const found = new Set<SectionName>();
  let current = { name: 'preamble' as SectionName, begin: 0, style: PLAIN };
  let thought: string | null = null;
  let answer = { begin: 0, end: 0, style: PLAIN };
  let action: string | null = null;
  let input: Sections['input'] = null;
  let end: number | null = null;
  let dataEnd = 0; // headers before this offset are data of an input
  let hasBlock = false; // the input contains a YAML block scalar
  const dataEndOf = createDataEnds(text);
  const isInQuotation = createQuotations(text);

  /** Starts an action. Drops the input if it belongs to the previous action. */
  function beginAction(name: string): void {
    if (action !== null) input = null;
    action = name;
    found.add('action');
  }

  /** Ends the current section at the offset. Returns false if an invented observation in it ends the response. */
  function leave(at: number, next: SectionName | null): boolean {
    const { name, begin, style } = current;
    const raw = text.slice(begin, at);
    const invented = name === 'input' ? inventedAt(raw) : null;
    if (invented !== null) end = begin + invented;
    if (name === 'thought') thought = sectionText(raw, style) || thought;
    else if (name === 'action') action = raw;
    else if (name === 'input') input = { raw: raw.slice(0, invented ?? raw.length), style };
    else if (name === 'final') answer = { begin, end: at, style };
    else if (name === 'draft' && next === 'input') beginAction(raw);
    else if (name === 'draft') answer.end = at;
    return invented === null;
  }

  /** Starts a section. Returns the offset where reading continues; `null` if reading stops. */
  function start(name: SectionName, at: number, begin: number, style: HeaderStyle): number | null {
    if (!leave(at, name)) return null;
    found.add(name);
    if (name === 'action') beginAction('');
    else if (name === 'input') {
      const isProse = current.name === 'preamble' || current.name === 'thought'; // an input is data, not prose
      const recovered = action === null && isProse ? recoveredName(text.slice(current.begin, at)) : null;
      if (recovered !== null) beginAction(recovered);
      input = { raw: '', style };
      dataEnd = dataEndOf(begin);
      hasBlock = false;
    }
    current = { name, begin, style };
    return begin;
  }

  const awaitsInput = () => action !== null && input === null;

  /** Returns the section that a header starts; 'stop' for an invented observation, `null` for ordinary text. */
  function sectionOf(header: Header, at: number): SectionName | 'stop' | null {
    const { name, style } = current;
    const inAnswer = name === 'final' || name === 'draft';
    const asDescribed = header.plain && header.exactCase;
    if (name !== 'input' && name !== 'action' && isInQuotation(at, current.begin)) return null;
    if (name === 'input' && hasBlock && header.indent > style.indent) return null;
    // In an input, `action:` may be a YAML key. A header in lower case counts only if the header of the input
    // was written in lower case too.
    if (name === 'input' && !header.exactCase && style.exactCase) return null;
    switch (header.kind) {
      case 'observation': {
        if (!header.hasColon || (inAnswer && !asDescribed)) return null;
        const line = text.slice(at, at + OBSERVATION_WINDOW).split('\n', 1)[0]!;
        return QUOTED_FEEDBACK.some((words) => line.includes(words)) ? null : 'stop';
      }
      case 'thought':
        return inAnswer && !asDescribed ? null : 'thought';
      case 'final':
        return found.has('final') ? null : 'final';
      case 'action':
        if (!header.hasColon) return null;
        if (!inAnswer && header.exactCase) return 'action';
        if (!isToolNameAt(text, at + header.length)) return null;
        return inAnswer ? 'draft' : 'action';
      case 'input':
        return !header.hasColon || (name === 'final' && !awaitsInput()) ? null : 'input';
    }
  }

  /**
   * Starts the section of the header at the start of a line, if there is one. Returns the offset where
   * reading continues; `null` if reading stops.
   */
  function readLineStart(at: number, lineEnd: number): number | null {
    const head = text.slice(at, Math.min(lineEnd, at + HEADER_WINDOW));
    const header = readHeader(head, lineEnd - at <= HEADER_WINDOW);
    const next = header && sectionOf(header, at);
    if (next === 'stop' || (head.includes('[') && BASED_ON.test(head))) {
      end = at;
      return null;
    }
    if (header === null || next === null) return at;
    const { indent, openEmphasis: emphasis, exactCase } = header;
    return start(next, at, at + header.length, { indent, emphasis, exactCase });
  }

  /**
   * Starts the section of the next header within a line. Returns the offset where reading continues; `null`
   * if there is no further header or reading stops.
   */
  function readWithin(at: number, lineEnd: number): number | null {
    const { name } = current;
    if (name === 'input') return null; // an input is data: a sentence in it is no header
    const rest = text.slice(at, lineEnd);
    if (name === 'action' || name === 'draft') {
      const match = INPUT_ON_ACTION_LINE.exec(rest);
      if (match === null) return null;
      const after = match.index + match[0].length;
      const closes = rest.startsWith(match[1]!, after) ? match[1]!.length : 0;
      return start('input', at + match.index, at + after + closes, PLAIN);
    }
    for (const header of inlineHeaders(rest)) {
      const next = inlineSection(header.kind, at + header.end);
      if (next === null || isInQuotation(at + header.start, current.begin)) continue;
      const { emphasis } = header;
      const closes = emphasis !== '' && rest.startsWith(emphasis, header.end);
      const begin = at + header.end + (closes ? emphasis.length : 0);
      return start(next, at + header.start, begin, { ...PLAIN, emphasis: closes ? '' : emphasis });
    }
    return null;
  }

  function inlineSection(kind: 'action' | 'input' | 'final', after: number): SectionName | null {
    if (kind === 'final') return found.has('final') ? null : 'final';
    if (kind === 'input') return awaitsInput() ? 'input' : null;
    if (!isToolNameAt(text, after)) return null;
    return current.name === 'final' ? 'draft' : 'action';
  }

  /**
   * Treats all following text as data if a line of an action or input leaves a value open. Notes a YAML block
   * scalar.
   */
  function openData(line: string, lineEnd: number): void {
    if (current.name === 'action' && OPEN_ARGUMENTS.test(line)) dataEnd = text.length;
    if (current.name !== 'input' || lineEnd <= dataEnd) return;
    if (opensValue(line)) dataEnd = text.length;
    hasBlock ||= BLOCK_START.test(line);
  }

  for (let at = 0; at < text.length && end === null; ) {
    const eol = text.indexOf('\n', at);
    const lineEnd = eol < 0 ? text.length : eol;
    let next = quoted.has(at) || at < dataEnd ? null : readLineStart(at, lineEnd);
    while (next !== null) next = readWithin(next, lineEnd);
    openData(text.slice(Math.max(at, current.begin), lineEnd), lineEnd);
    at = lineEnd + 1;
  }
  leave(end ?? text.length, null);
  const final = sectionText(text.slice(answer.begin, answer.end), answer.style) || null;
  return { thought, final, action, input, found, end: end ?? text.length };
}

/** Returns the offset of an observation invented after or instead of the input's JSON; `null` if there is none. */
function inventedAt(raw: string): number | null {
  const opening = /^\s*(?:`[`\w\s]*(?=[{[])|(?=[{[]|Observation[ \t]?[:：]))/.exec(raw)?.[0].length;
  if (opening === undefined) return null;
  const observation = /(?<!\w)Observation[ \t]?[:：]/g;
  observation.lastIndex = raw[opening] === 'O' ? opening : (jsonEnd(raw, opening) ?? raw.length);
  return observation.exec(raw)?.index ?? null;
}
