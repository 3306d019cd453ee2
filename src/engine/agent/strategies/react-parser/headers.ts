/** Kind of section that a header opens. `observation` ends the response: only the engine writes observations. */
type HeaderKind = 'thought' | 'action' | 'input' | 'final' | 'observation';

export interface Header {
  kind: HeaderKind;
  length: number;
  /**
   * Number of white-space characters before the header. At most this many are removed from each line of its
   * section.
   */
  indent: number;
  exactCase: boolean;
  /** True if there is no Markdown around the header. */
  plain: boolean;
  hasColon: boolean;
  /**
   * Markdown emphasis, such as `**`, that opens before the header and may close at the end of its line; '' =
   * none.
   */
  openEmphasis: string;
}

export interface HeaderStyle {
  indent: number;
  /** Markdown emphasis that opens before the section's header (`Header.openEmphasis`). */
  emphasis: string;
  exactCase: boolean;
}

/** Number of characters at the start of a line that are searched for a header. */
export const HEADER_WINDOW = 128;

/** Possible first characters of a line with a header. Lines that start otherwise are skipped quickly. */
const MAY_BEGIN: ReadonlySet<string> = new Set(' \t>#*_`[tTaAfFoO');
const COLON = /[:：]/;
const MAY_LACK_COLON = /Thought|Final/;
const DECORATION = /^([ \t]{0,64})((?:>[ \t]?)?(?:#{1,6}[ \t]{0,4})?)([*_`]{0,3})/;
const WORD =
  /^(thought|action[ \t_-]?input|action|final[ \t_-]?answer|observation)([*_`]{0,3})[ \t]{0,4}([:：]?)/i;
const EXACT = new Set('Thought,Action Input,Action,Final Answer,Observation'.split(','));
/** Headers that need no colon if they are alone on their line. */
const WITHOUT_COLON: ReadonlySet<string> = new Set(['Thought', 'Final Answer', 'Final answer']);

/**
 * Returns the header at the start of a line; `null` if there is none.
 * @param head the first HEADER_WINDOW characters of the line; the complete line if `isWhole`
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

/** A header inside a line, after the end of a sentence. */
interface InlineHeader {
  kind: 'action' | 'input' | 'final';
  /** Offset in the line where the white space and Markdown before the header begin. */
  start: number;
  end: number;
  emphasis: string;
}

const INLINE = /(Final Answer|Action Input|Action)[ \t]?[:：]/g;
/** Number of characters before an inline header that are searched for the end of a sentence. */
const BOUNDARY_WINDOW = 24;
const BOUNDARY = /[.!?。！？]([ \t`*]{0,20})$/;

/** Yields the headers inside a line, in order. */
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

/** Matches `Action Input:` after an action on the same line. */
export const INPUT_ON_ACTION_LINE = /(?<!\w)([*_`]{0,3})action[ \t_-]?input[*_`]{0,3}[ \t]?[:：]/i;
