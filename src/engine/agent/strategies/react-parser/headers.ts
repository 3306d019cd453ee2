/** A word of the format that begins a section, or that ends the response (observation). */
export type HeaderKind = 'thought' | 'action' | 'input' | 'final' | 'observation';

/** A header at the start of a line. */
export interface Header {
  kind: HeaderKind;
  /** Characters up to where the section's text begins. */
  length: number;
  /** Whitespace before it: following lines of an indented response are indented by as much. */
  indent: number;
  /** Its words are written exactly as the format says. */
  exactCase: boolean;
  /** Without Markdown around it. */
  plain: boolean;
  hasColon: boolean;
  /** Emphasis that was opened before the word and not closed after it; it may be closed at the line's end. */
  openEmphasis: string;
}

/** How a section's header was written. */
export interface HeaderStyle {
  indent: number;
  /** Markdown opened before the header that the line's end may close. */
  emphasis: string;
  exactCase: boolean;
}

/** As much of a line is looked at to find a header; longer decoration is text. */
export const HEADER_WINDOW = 128;

/** First characters of lines that may be headers: most lines need no closer look. */
const MAY_BEGIN: ReadonlySet<string> = new Set(' \t>#*_`[tTaAfFoO');
const COLON = /[:：]/;
const MAY_LACK_COLON = /Thought|Final/;
const DECORATION = /^([ \t]{0,64})((?:>[ \t]?)?(?:#{1,6}[ \t]{0,4})?)([*_`]{0,3})/;
const WORD =
  /^(thought|action[ \t_-]?input|action|final[ \t_-]?answer|observation)([*_`]{0,3})[ \t]{0,4}([:：]?)/i;
const EXACT: ReadonlySet<string> = new Set([
  'Thought',
  'Action Input',
  'Action',
  'Final Answer',
  'Observation',
]);
/** A line of its own needs no colon. */
const WITHOUT_COLON: ReadonlySet<string> = new Set(['Thought', 'Final Answer', 'Final answer']);
/**
 * Reads a header at the start of a line.
 * @param head the line's first characters, at most HEADER_WINDOW
 * @param isWhole whether the line ends with them
 */
export function readHeader(head: string, isWhole: boolean): Header | null {
  if (!MAY_BEGIN.has(head[0] ?? '') || !(COLON.test(head) || MAY_LACK_COLON.test(head))) return null;
  const [before = '', indent = '', prefix = '', opening = ''] = DECORATION.exec(head) ?? [];
  const rest = head.slice(before.length);
  const word = WORD.exec(rest);
  if (word === null) return null;
  const [matched, written = '', closing = '', colon = ''] = word;
  const after = rest.slice(matched.length);
  const base = { kind: kindOf(written), indent: indent.length, exactCase: EXACT.has(written) };
  if (colon === '') {
    if (after.trim() !== '' || !isWhole || !WITHOUT_COLON.has(written)) return null;
    return { ...base, length: head.length, plain: before === indent, hasColon: false, openEmphasis: '' };
  }
  const open = closing === '' ? [...opening].reverse().join('') : '';
  const closed = open !== '' && after.startsWith(open);
  return {
    ...base,
    length: before.length + matched.length + (closed ? open.length : 0),
    plain: prefix === '' && opening === '' && closing === '',
    hasColon: true,
    openEmphasis: closed ? '' : open,
  };
}

function kindOf(word: string): HeaderKind {
  const first = word[0]?.toLowerCase();
  if (first === 'a') return word.length > 'action'.length ? 'input' : 'action';
  if (first === 't') return 'thought';
  return first === 'f' ? 'final' : 'observation';
}

/** A header inside a line, where a sentence ends and no line break was written. */
export interface InlineHeader {
  kind: 'action' | 'input' | 'final';
  /** Where the space and Markdown before it begin. */
  start: number;
  end: number;
  /** Markdown right before it. */
  emphasis: string;
}

const INLINE = /(Final Answer|Action Input|Action)[ \t]?[:：]/g;
/** How far back the end of a sentence may be. */
const BOUNDARY_WINDOW = 24;
const BOUNDARY = /[.!?。！？]([ \t`*]{0,20})$/;

/** The headers inside a line's text, in order. */
export function* inlineHeaders(text: string): Generator<InlineHeader> {
  if (!COLON.test(text)) return;
  for (const match of text.matchAll(INLINE)) {
    const boundary = BOUNDARY.exec(text.slice(Math.max(0, match.index - BOUNDARY_WINDOW), match.index));
    if (boundary === null) continue;
    const kind = match[1] === 'Action' ? 'action' : match[1] === 'Action Input' ? 'input' : 'final';
    const decoration = boundary[1] ?? '';
    yield {
      kind,
      start: match.index - decoration.length,
      end: match.index + match[0].length,
      emphasis: /[*`]+$/.exec(decoration)?.[0] ?? '',
    };
  }
}

/** `Action Input:` on the line of its action. */
export const INPUT_ON_ACTION_LINE = /(?<!\w)([*_`]{0,3})action[ \t_-]?input[*_`]{0,3}[ \t]?[:：]/i;
