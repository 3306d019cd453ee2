/** A text object of Block Kit. Slack interprets formatting in `mrkdwn` only. */
export type TextObject =
  | { type: 'mrkdwn'; text: string; verbatim: true }
  | { type: 'plain_text'; text: string; emoji: false };

export interface Button {
  type: 'button';
  text: TextObject;
  action_id: string;
  value: string;
  style?: 'primary' | 'danger';
  confirm?: { title: TextObject; text: TextObject; confirm: TextObject; deny: TextObject };
}

/** The blocks of Block Kit that TARSy uses. */
export type Block =
  | { type: 'section'; block_id?: string; text: TextObject }
  | { type: 'section'; block_id?: string; fields: TextObject[] }
  | { type: 'actions'; block_id?: string; elements: Button[] }
  | { type: 'plan'; block_id?: string; title: string; tasks: TaskBlock[] };

export type TaskStatus = 'pending' | 'in_progress' | 'complete' | 'error';

/** A task card of a plan. Slack shows title and details as plain text. */
export interface TaskBlock {
  type: 'task_card';
  task_id: string;
  title: string;
  status: TaskStatus;
  details?: {
    type: 'rich_text';
    elements: [{ type: 'rich_text_section'; elements: [{ type: 'text'; text: string }] }];
  };
}

/** Returns a text object with TARSy's own words, in which Slack interprets formatting. */
export function formatted(text: string): TextObject {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** Returns a text object for a text from `blockText`, in which Slack interprets neither mentions nor links nor formatting. */
export function plain(text: string): TextObject {
  return { type: 'plain_text', text, emoji: false };
}

export function section(text: TextObject): Block {
  return { type: 'section', text };
}

/** Maximum UTF-16 code units of a block's escaped text, because Slack refuses 3,000 and more. */
const BLOCK_MAX_UNITS = 2900;

const CUT = '\n… (shortened; full text in the dashboard)';

/** Maximum distance (UTF-16 code units) that a cut moves back to the end of a line or word. */
const BOUNDARY_UNITS = 200;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes Slack's three control characters, so that a text cannot mention or link. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

/** Removes the marks of Markdown for bold text and headings, because plain text shows them as characters. */
export function withoutMarks(text: string): string {
  return text.replace(/\*\*(?! )([^*\n]+)(?<! )\*\*/g, '$1').replace(/^#{1,6} +/gm, '');
}

/** Prepares untrusted text for a block: removes control characters, escapes, and cuts at the end of a line or word. */
export function blockText(text: string, maxUnits = BLOCK_MAX_UNITS, cut = CUT): string {
  const clean = text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  const escaped = escapeText(clean);
  if (escaped.length <= maxUnits) return escaped;
  const room = maxUnits - cut.length;
  let kept = '';
  for (const character of clean) {
    const next = escapeText(character);
    if (kept.length + next.length > room) break;
    kept += next;
  }
  return `${cutAtBoundary(kept)}${cut}`;
}

function cutAtBoundary(text: string): string {
  const earliest = text.length - BOUNDARY_UNITS;
  const line = text.lastIndexOf('\n');
  if (line >= earliest && line > 0) return text.slice(0, line);
  const word = text.lastIndexOf(' ');
  return word >= earliest && word > 0 ? text.slice(0, word) : text;
}
