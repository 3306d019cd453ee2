import { truncate } from '../common/truncate.ts';
import type { NotificationEvent } from '../config/enums.ts';
import type { Severity, Verdict } from '../db/enums.ts';

/** Name of the event of a test that a user requested. */
export const TEST_EVENT = 'test';

/** The content of a notification, the same for every channel. Texts are masked and bounded, but not escaped. */
export interface Notice {
  event: NotificationEvent | typeof TEST_EVENT;
  /** One line. */
  title: string;
  /** `null` if the event concerns no session. */
  session: NoticeSession | null;
  /** `null` without a report. */
  verdict: Verdict | null;
  /** `null` if the event concerns no session, or its severity is unknown. */
  severity: Severity | null;
  /** The affected objects; `null` if unknown. */
  affected: string | null;
  /** Recommended actions. */
  toDo: string[];
  /** Cause, failure or reason; `null` if there is none. */
  why: string | null;
  /** The tool call of an approval. */
  call: NoticeCall | null;
  /** URL of the dashboard page. Opening the page changes nothing. */
  link: string;
}

export interface NoticeSession {
  id: string;
  title: string | null;
  alertType: string;
  status: string;
  team: string | null;
}

export interface NoticeCall {
  approvalId: string;
  server: string;
  tool: string;
  /** The masked arguments as indented JSON, cut if they are long. */
  arguments: string;
  status: string;
  requiredApprovals: number;
  /** ISO 8601. */
  expiresAt: string;
  decisions: { actor: string; approved: boolean; comment: string | null }[];
}

/** Verdicts in the words of notifications. */
export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  ACTION_REQUIRED: 'Action required',
  ACTION_SUGGESTED: 'Action suggested',
  NO_ACTION: 'No action needed',
  INCONCLUSIVE: 'Inconclusive',
};

/** Maximum lengths of texts (UTF-16 code units). */
const MAX_TITLE = 200;
const MAX_TEXT = 2_000;
export const MAX_ARGUMENTS = 4_000;
/** Maximum number of recommended actions. */
export const MAX_TO_DO = 5;

/**
 * Matches characters that hide or reorder text: controls except line feed and tab, and the marks of text direction.
 */
const UNSAFE = /(?![\n\t])[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Returns functions that prepare untrusted text for a notice. */
export function createTexts(mask: (text: string) => string) {
  const masked = (text: string): string => {
    try {
      return mask(text.toWellFormed().replace(/\r\n?/g, '\n').replace(UNSAFE, '')).trim();
    } catch {
      return '[withheld: masking it failed]';
    }
  };
  return {
    /** Returns text of several lines. */
    text: (text: string, max = MAX_TEXT) => truncate(masked(text), max),
    /** Returns one line. */
    line(text: string, max = MAX_TITLE) {
      const line = masked(text).replace(/\s+/g, ' ');
      return line.length <= max
        ? line
        : `${line
            .slice(0, max - 1)
            .toWellFormed()
            .replace(/\ufffd$/, '')}…`;
    },
  };
}

export type Texts = ReturnType<typeof createTexts>;

/** A labelled fact of a notice, for channels that show facts in lines. */
export interface Fact {
  label: string;
  value: string;
}

/** Returns the short facts of a notice in their order. */
export function factsOf({ session, verdict, severity, affected, call }: Notice): Fact[] {
  const facts: [string, string | null | undefined][] = [
    ['Verdict', verdict && VERDICT_WORDS[verdict]],
    ['Severity', severity?.toLowerCase()],
    ['Affected', affected],
    ['Alert', session?.title],
    ['Alert type', session?.alertType],
    ['Team', session?.team],
    ['Tool', call && `${call.server}.${call.tool}`],
    ['Approvals needed', call?.status === 'PENDING' ? String(call.requiredApprovals) : null],
    ['Expires', call?.status === 'PENDING' ? call.expiresAt : null],
    ...(call?.decisions ?? []).map(({ actor, approved, comment }): [string, string] => [
      approved ? 'Approved by' : 'Denied by',
      comment === null ? actor : `${actor}: ${comment}`,
    ]),
  ];
  return facts.flatMap(([label, value]) => (value ? [{ label, value }] : []));
}
