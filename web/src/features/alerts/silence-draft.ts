import type { CombinedError } from 'urql';
import { labelsByKey } from '../../components/end-time-field.tsx';
import { errorText } from '../../components/notice.tsx';
import type { CreateSilenceInput, CreateSilenceMutation } from '../../graphql/gen/documents.ts';

const HOUR_MS = 3_600_000;

/** Fixed durations that the form offers, in addition to `until` (a chosen end). */
export const DURATIONS = {
  '30m': { label: '30 minutes', ms: HOUR_MS / 2 },
  '1h': { label: '1 hour', ms: HOUR_MS },
  '2h': { label: '2 hours', ms: 2 * HOUR_MS },
  '8h': { label: '8 hours', ms: 8 * HOUR_MS },
  '1d': { label: '1 day', ms: 24 * HOUR_MS },
  '3d': { label: '3 days', ms: 72 * HOUR_MS },
  '7d': { label: '7 days', ms: 168 * HOUR_MS },
} as const;
export type Length = keyof typeof DURATIONS | 'until';

export const DURATION_LABELS = { ...labelsByKey(DURATIONS), until: 'Until…' } satisfies Record<
  Length,
  string
>;

export interface SilenceDraft {
  /** Alertmanager matchers, one per line. */
  readonly matchers: string;
  readonly comment: string;
  readonly length: Length;
  /** Chosen end if `length` is `until` (RFC 3339, UTC); `null` if not chosen yet. */
  readonly until: string | null;
}

/** Error messages by field; `form` holds errors that belong to no field. */
export type SilenceErrors = Partial<Record<'matchers' | 'comment' | 'end' | 'form', string>>;

/** Returns the mutation's input, or an error if the end is missing. `now` is the server's time (ms). */
export function silenceInput(draft: SilenceDraft, now: number): CreateSilenceInput | SilenceErrors {
  const { matchers, comment, length, until } = draft;
  const endsAt = length === 'until' ? until : new Date(now + DURATIONS[length].ms).toISOString();
  if (endsAt === null) return { end: 'Choose an end time.' };
  return { matchers: matchersOf({ matchers }), comment, endsAt };
}

export function matchersOf({ matchers }: Pick<SilenceDraft, 'matchers'>): string[] {
  return linesOf(matchers).map(({ text }) => text);
}

export function isInput(input: CreateSilenceInput | SilenceErrors): input is CreateSilenceInput {
  return 'endsAt' in input;
}

/** Returns the server's refusal as the message of its field, with the line if there are several; else sets `form`. */
export function silenceErrors(
  draft: SilenceDraft,
  outcome: CreateSilenceMutation['createSilence'] | undefined,
  error: CombinedError | undefined,
): SilenceErrors {
  if (outcome?.__typename === 'SilenceExistsError') return { form: outcome.message };
  if (outcome?.__typename !== 'ValidationError')
    return {
      form: error === undefined ? 'Unexpected response from the server.' : errorText(error),
    };
  const { field, message } = outcome;
  const [name, index] = field?.split('.') ?? [];
  if (name === 'matchers') {
    const lines = linesOf(draft.matchers);
    const line = index === undefined ? undefined : lines[Number(index)];
    return {
      matchers: line === undefined || lines.length === 1 ? message : `Line ${line.number}: ${message}`,
    };
  }
  if (name === 'comment') return { comment: message };
  return name === 'endsAt' ? { end: message } : { form: message };
}

/** Returns the non-empty lines with their numbers, from 1. */
function linesOf(text: string): { text: string; number: number }[] {
  return text
    .split('\n')
    .map((line, index) => ({ text: line.trim(), number: index + 1 }))
    .filter((line) => line.text !== '');
}
