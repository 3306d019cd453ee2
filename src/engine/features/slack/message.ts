import type { AlertSessionRow } from '../../../db/entities/index.ts';
import {
  isTerminalStatus,
  QUALITY_RATINGS,
  type QualityRating,
  type SlackPoint,
  type TerminalStatus,
  type Verdict,
} from '../../../db/enums.ts';
import { toOneLine } from '../../prompt-text/untrusted.ts';
import type { NewReport } from '../../store/reports.ts';
import { reportBlocks } from './report-blocks.ts';
import {
  type Block,
  type Button,
  blockText,
  escapeText,
  formatted,
  plain,
  section,
  withoutMarks,
} from './text.ts';

/** Arguments of `chat.postMessage`, without channel and thread. */
export interface SlackMessage {
  /** Fallback text for notifications and old clients. */
  text: string;
  blocks: Block[];
  metadata: { event_type: string; event_payload: { session_id: string; point: SlackPoint } };
}

export interface MessageInput {
  session: AlertSessionRow;
  report: NewReport | null;
  dashboardUrl: string;
  /** Masks secrets. If masking throws, the message omits the summary. */
  mask: (text: string) => string;
  notes?: readonly string[];
  /** True if users may act from Slack, so that the message has buttons. */
  isInteractive: boolean;
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

/** Maximum UTF-16 code units of an alert type. */
const TYPE_MAX_UNITS = 200;

/** Maximum UTF-16 code units of a note, such as that of a budget. */
const NOTE_MAX_UNITS = 300;

/** Maximum UTF-16 code units of a question, and of the text of a user who asked for an investigation. */
const QUESTION_MAX_UNITS = 300;
const ORIGIN_MAX_UNITS = 600;

const EVENT_TYPE = 'tarsy_session';
const BLOCK_ID_PREFIX = 'tarsy:';

export function sessionMessage(point: 'STARTED' | 'TERMINAL', input: MessageInput): SlackMessage {
  const { session, isInteractive } = input;
  const isEnd = point === 'TERMINAL';
  const heading = isEnd ? headingOf(input) : STARTED;
  const type = blockText(toOneLine(session.alertType, TYPE_MAX_UNITS), 2 * TYPE_MAX_UNITS, '…');
  const isReviewed = isEnd && isInteractive && session.status !== 'CANCELLED';
  return pointMessage(point, session.id, {
    text: `${heading.replaceAll('*', '')}: ${type}`,
    blocks: [
      section(formatted(`${heading}\nAlert type: ${type}`)),
      ...(isEnd ? contentOf(input) : originOf(input)),
      ...(input.notes ?? []).map((note) => section(plain(blockText(note, NOTE_MAX_UNITS)))),
      ...(isReviewed ? [{ type: 'actions', elements: reviewButtons(input) } as const] : []),
      section(formatted(linkTo(input))),
    ],
  });
}

/** Returns the answer to a question, or why there is none. */
export function answerMessage(
  point: SlackPoint,
  input: MessageInput,
  { question, text, isAnswered }: { question: string; text: string; isAnswered: boolean },
): SlackMessage {
  const shown = (untrusted: string, max?: number) => {
    try {
      return blockText(input.mask(untrusted), max);
    } catch {
      return '';
    }
  };
  const quoted = shown(toOneLine(question, QUESTION_MAX_UNITS), 2 * QUESTION_MAX_UNITS);
  const answer = shown(withoutMarks(text)) || 'No text can be shown here. Open the investigation.';
  return pointMessage(point, input.session.id, {
    text: isAnswered ? ':speech_balloon: Answer' : ':x: No Answer',
    blocks: [
      section(formatted(isAnswered ? ':speech_balloon: *Answer*' : ':x: *No Answer*')),
      ...(quoted === '' ? [] : [section(plain(`Question: ${quoted}`))]),
      section(plain(answer)),
      section(formatted(linkTo(input))),
    ],
  });
}

/** Marks a message as that of a point, so that a later attempt finds it. */
export function pointMessage(
  point: SlackPoint,
  sessionId: string,
  { text, blocks: [first, ...blocks] }: { text: string; blocks: Block[] },
): SlackMessage {
  return {
    text,
    blocks: first ? [{ ...first, block_id: blockIdOf(sessionId, point) }, ...blocks] : blocks,
    metadata: { event_type: EVENT_TYPE, event_payload: { session_id: sessionId, point } },
  };
}

function linkTo({ dashboardUrl, session }: MessageInput): string {
  return sessionLink(dashboardUrl, session.id);
}

export function sessionLink(dashboardUrl: string, sessionId: string): string {
  return `<${escapeText(sessionUrl(dashboardUrl, sessionId))}|Open the investigation>`;
}

export const sessionUrl = (dashboardUrl: string, sessionId: string) =>
  `${dashboardUrl}/sessions/${sessionId}`;

/** Returns who asked for an investigation, and of what; nothing if the alert's own message says it. */
function originOf({ session, mask }: MessageInput): Block[] {
  const { slackMessageFingerprint, title, author } = session;
  if (slackMessageFingerprint != null) return [];
  try {
    const asked = `${mask(title ?? '')}\nAsked by ${author}`;
    return [section(plain(blockText(asked, ORIGIN_MAX_UNITS)))];
  } catch {
    return [];
  }
}

/** Action ids of the buttons that rate a session or show its claims; their value is the session's id. */
export const RATE_ACTION = 'tarsy_rate:';
export const WHY_ACTION = 'tarsy_why';

const RATINGS: Readonly<Record<QualityRating, string>> = {
  ACCURATE: 'Accurate',
  PARTIALLY_ACCURATE: 'Partly accurate',
  INACCURATE: 'Wrong',
};

function reviewButtons({ session, report }: MessageInput): Button[] {
  const button = (text: string, action: string): Button => ({
    type: 'button',
    text: plain(text),
    action_id: action,
    value: session.id,
  });
  return [
    ...QUALITY_RATINGS.map((rating) => button(RATINGS[rating], `${RATE_ACTION}${rating}`)),
    ...(report ? [button('Why?', WHY_ACTION)] : []),
  ];
}

function headingOf({ session, report }: MessageInput): string {
  const status: string = session.status;
  if (status === 'COMPLETED' && report) return VERDICTS[report.verdict];
  return isTerminalStatus(status) ? HEADINGS[status] : STARTED;
}

/** Returns the blocks about how a session ended; none if masking fails. */
function contentOf(input: MessageInput): Block[] {
  const { session, report } = input;
  const isDone = session.status === 'COMPLETED';
  const body = isDone ? session.executiveSummary || session.finalAnalysis : problemOf(session);
  try {
    const text = blockText(input.mask(withoutMarks(body ?? '')));
    const title = isDone && report ? [section(formatted('*Summary*'))] : [];
    return [
      ...(isDone && report ? reportBlocks(report, { ...input, cost: costOf(session) }) : []),
      ...(text === '' ? [] : [...title, section(plain(text))]),
    ];
  } catch {
    return [];
  }
}

/** Returns the cost of the investigation; `null` if it is not known completely. */
function costOf({ costUsd, unpricedCalls }: AlertSessionRow): number | null {
  return unpricedCalls === 0 ? costUsd : null;
}

/** Returns why there is no conclusion; for a cancelled session the reason that the canceller gave, if any. */
function problemOf({ status, errorMessage, cancelReason }: AlertSessionRow): string | null | undefined {
  return status === 'CANCELLED' && cancelReason ? `Reason: ${cancelReason}` : errorMessage;
}

/** The fields read from a message of `conversations.history`. */
export interface FoundMessage {
  user?: string | undefined;
  /** Set for streaming messages, also after their end. */
  streaming_state?: string | undefined;
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

/**
 * True if the message is the session's stream, which has no metadata before its end. The link and the ids of its cards
 * contain the session's id.
 */
export function isStreamOf(message: FoundMessage, sessionId: string, botUserId: string): boolean {
  const { user, streaming_state: state, text, blocks } = message;
  return (
    user === botUserId &&
    state !== undefined &&
    textsIn([text, blocks]).some((part) => part.includes(sessionId))
  );
}

/** Maximum depth of blocks and attachments that are searched; Slack's own have fewer levels. */
const MAX_DEPTH = 8;

/** Returns all texts in a part of a message. */
export function textsIn(value: unknown, depth = MAX_DEPTH): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((part) => textsIn(part, depth - 1));
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
