import type { AlertSessionRow } from '../../../db/entities/index.ts';
import { isTerminalStatus, type SlackPoint, type TerminalStatus, type Verdict } from '../../../db/enums.ts';
import type { NewReport } from '../../store/reports.ts';

/** Arguments of `chat.postMessage`, without channel and thread. */
export interface SlackMessage {
  /** Fallback text for notifications and old clients. */
  text: string;
  blocks: Block[];
  metadata: { event_type: string; event_payload: { session_id: string; point: SlackPoint } };
}

interface Block {
  type: 'section';
  block_id?: string;
  text: { type: 'mrkdwn'; text: string; verbatim: true } | { type: 'plain_text'; text: string; emoji: false };
}

export interface MessageInput {
  session: AlertSessionRow;
  report: NewReport | null;
  dashboardUrl: string;
  /** Masks secrets. If masking throws, the message omits the summary. */
  mask: (text: string) => string;
  notes?: readonly string[];
}

const HEADINGS: Readonly<Record<TerminalStatus, string>> = {
  COMPLETED: ':white_check_mark: *Analysis Complete*',
  FAILED: ':x: *Analysis Failed*',
  TIMED_OUT: ':hourglass: *Analysis Timed Out*',
  CANCELLED: ':no_entry_sign: *Analysis Cancelled*',
};
const VERDICTS: Readonly<Record<Verdict, string>> = {
  ACTION_REQUIRED: ':red_circle: *Action Required*',
  ACTION_SUGGESTED: ':large_yellow_circle: *Action Suggested*',
  NO_ACTION: ':white_check_mark: *No Action Needed*',
  INCONCLUSIVE: ':grey_question: *Inconclusive*',
};
const STARTED = ':hourglass_flowing_sand: *Investigation Started*';

const EVENT_TYPE = 'tarsy_session';
const BLOCK_ID_PREFIX = 'tarsy:';

export function sessionMessage(point: SlackPoint, input: MessageInput): SlackMessage {
  const { session } = input;
  const heading = point === 'TERMINAL' ? headingOf(input) : STARTED;
  const type = escapeText(session.alertType);
  const content = point === 'TERMINAL' ? contentOf(input) : '';
  const link = `<${escapeText(`${input.dashboardUrl}/sessions/${session.id}`)}|Open the investigation>`;
  return {
    text: `${heading.replaceAll('*', '')}: ${type}`,
    blocks: [
      { ...formattedText(`${heading}\nAlert type: ${type}`), block_id: blockIdOf(session.id, point) },
      ...(content === '' ? [] : [plainText(content)]),
      ...(input.notes ?? []).map(plainText),
      formattedText(link),
    ],
    metadata: { event_type: EVENT_TYPE, event_payload: { session_id: session.id, point } },
  };
}

function headingOf({ session, report }: MessageInput): string {
  const status: string = session.status;
  if (status === 'COMPLETED' && report) return VERDICTS[report.verdict];
  return isTerminalStatus(status) ? HEADINGS[status] : STARTED;
}

/** Returns a block with TARSy's own words, in which Slack interprets formatting. */
function formattedText(text: string): Block {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}

/** Returns a block with a model's text, which cannot mention, link or format. */
function plainText(text: string): Block {
  return { type: 'section', text: { type: 'plain_text', text, emoji: false } };
}

function contentOf({ session, report, mask }: MessageInput): string {
  const { status, executiveSummary, finalAnalysis } = session;
  const isDone = status === 'COMPLETED';
  const body = isDone ? executiveSummary || finalAnalysis : problemOf(session);
  const text = [isDone && report ? reportSummary(report) : '', body ?? ''].filter(Boolean).join('\n\n');
  if (!text) return '';
  try {
    return blockText(mask(text));
  } catch {
    return '';
  }
}

/** Returns why there is no conclusion; for a cancelled session the reason that the canceller gave, if any. */
function problemOf({ status, errorMessage, cancelReason }: AlertSessionRow): string | null | undefined {
  return status === 'CANCELLED' && cancelReason ? `Reason: ${cancelReason}` : errorMessage;
}

function reportSummary({ headline, confidence, claims }: NewReport): string {
  const checked = claims.filter(({ status }) => status !== 'NOT_CHECKABLE');
  const proven = checked.filter(({ status, onlyUntrusted }) => status === 'SUPPORTED' && !onlyUntrusted);
  const certainty = `Confidence ${Math.round(confidence * 100)} %. ${proven.length} of ${checked.length} claims supported.`;
  return `${headline}\n${certainty}`;
}

/** The fields read from a message of `conversations.history`. */
export interface FoundMessage {
  ts?: string | undefined;
  thread_ts?: string | undefined;
  text?: string | undefined;
  blocks?: unknown;
  attachments?: unknown;
  metadata?: { event_type?: string | undefined; event_payload?: unknown } | undefined;
}

/** True if the metadata or the first block id identifies TARSy's message about this point of the session. */
export function isMessageOf(message: FoundMessage, sessionId: string, point: SlackPoint): boolean {
  const { metadata } = message;
  const payload = (metadata?.event_payload ?? {}) as Record<string, unknown>;
  const hasMetadata =
    metadata?.event_type === EVENT_TYPE && payload.session_id === sessionId && payload.point === point;
  return hasMetadata || firstBlockId(message) === blockIdOf(sessionId, point);
}

export function isOwnMessage(message: FoundMessage): boolean {
  return (
    message.metadata?.event_type === EVENT_TYPE || (firstBlockId(message) ?? '').startsWith(BLOCK_ID_PREFIX)
  );
}

function blockIdOf(sessionId: string, point: SlackPoint): string {
  return `${BLOCK_ID_PREFIX}${point}:${sessionId}`;
}

function firstBlockId({ blocks }: FoundMessage): string | null {
  const first: unknown = Array.isArray(blocks) ? blocks[0] : null;
  if (typeof first !== 'object' || first === null || !('block_id' in first)) return null;
  return typeof first.block_id === 'string' ? first.block_id : null;
}

/** Maximum UTF-16 code units of a block's escaped text, because Slack refuses 3,000 and more. */
const BLOCK_MAX_UNITS = 2900;

const CUT = '\n… (shortened; full text in the dashboard)';

/** Maximum distance (UTF-16 code units) that a cut moves back to the end of a line or word. */
const BOUNDARY_UNITS = 200;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes Slack's three control characters, so that a text cannot mention or link. */
function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

/** Prepares untrusted text for a block: removes control characters, escapes, and cuts at the end of a line or word. */
export function blockText(text: string, maxUnits = BLOCK_MAX_UNITS): string {
  const clean = text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  const escaped = escapeText(clean);
  if (escaped.length <= maxUnits) return escaped;
  const room = maxUnits - CUT.length;
  let kept = '';
  for (const character of clean) {
    const next = escapeText(character);
    if (kept.length + next.length > room) break;
    kept += next;
  }
  return `${cutAtBoundary(kept)}${CUT}`;
}

function cutAtBoundary(text: string): string {
  const earliest = text.length - BOUNDARY_UNITS;
  const line = text.lastIndexOf('\n');
  if (line >= earliest && line > 0) return text.slice(0, line);
  const word = text.lastIndexOf(' ');
  return word >= earliest && word > 0 ? text.slice(0, word) : text;
}
