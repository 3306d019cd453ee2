import { type Actor, recordAudit } from '../audit.ts';
import { ConflictError, NotFoundError, ValidationError } from '../common/errors.ts';
import { replaceUnstorable } from '../common/storable.ts';
import { uuidv7 } from '../common/uuidv7.ts';
import { MatcherError, parseMatcher } from '../config/matchers.ts';
import type { SilenceRow } from '../db/entities/index.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import { decodeRow } from '../engine/live/event-log.ts';

export interface NewSilence {
  matchers: readonly string[];
  comment: string;
  startsAt: Date | null;
  endsAt: Date;
  /** The teams whose alerts it covers, besides alerts without a team; `null` for all. */
  teams: readonly string[] | null;
}

const MAX_MATCHERS = 20;
const MAX_COMMENT = 1000;

export async function createSilence(
  transaction: Transaction,
  input: NewSilence,
  by: Actor,
): Promise<SilenceRow> {
  check(input);
  return transaction(async (tx) => {
    const silence = await insertSilence(tx, input, by.name);
    await recordAudit(tx, by, {
      action: 'silence.create',
      target: { type: 'Silence', id: silence.id },
      detail: { matchers: silence.matchers, until: silence.endsAt.toISOString() },
    });
    return silence;
  });
}

async function insertSilence(tx: Queryable, input: NewSilence, createdBy: string): Promise<SilenceRow> {
  const { rows } = await tx.query<{ row: Record<string, unknown> }>(
    `insert into silences (id, matchers, comment, created_by, starts_at, ends_at, teams)
     values ($1, $2, $3, $4, coalesce($5, now()), $6, $7) returning to_jsonb(silences) as row`,
    [
      uuidv7(),
      input.matchers,
      replaceUnstorable(input.comment).text.trim(),
      createdBy,
      input.startsAt,
      input.endsAt,
      input.teams,
    ],
  );
  return decodeRow(rows[0]!.row);
}

function check({ matchers, comment, startsAt, endsAt }: NewSilence): void {
  if (matchers.length === 0)
    throw new ValidationError(
      'A silence needs at least one matcher: without one it would cover everything.',
      'matchers',
    );
  if (matchers.length > MAX_MATCHERS)
    throw new ValidationError(
      `A silence has at most ${MAX_MATCHERS} matchers; ${matchers.length} were given.`,
      'matchers',
    );
  for (const [index, matcher] of matchers.entries()) {
    const problem = problemOf(matcher);
    if (problem !== null)
      throw new ValidationError(`"${matcher.slice(0, 100)}": ${problem}.`, `matchers.${index}`);
  }
  if (matchers.every(coversNothingGiven))
    throw new ValidationError(
      'A silence needs a matcher that does not also match alerts without its label.',
      'matchers',
    );
  if (comment.trim() === '') throw new ValidationError('Say why: others will read it.', 'comment');
  if (comment.length > MAX_COMMENT)
    throw new ValidationError(
      `The comment has ${comment.length} characters, at most ${MAX_COMMENT} are kept.`,
      'comment',
    );
  if (endsAt.getTime() <= Math.max(Date.now(), startsAt?.getTime() ?? 0))
    throw new ValidationError('A silence must end after now, and after it begins.', 'endsAt');
}

function problemOf(matcher: string): string | null {
  try {
    parseMatcher(matcher);
    return matcher.includes('\0') ? 'a matcher is text without NUL' : null;
  } catch (error) {
    if (error instanceof MatcherError) return error.message;
    throw error;
  }
}

/** True for matchers such as `a=""` or `a!="b"`, which alone would cover nearly everything. */
function coversNothingGiven(matcher: string): boolean {
  const { operator, value } = parseMatcher(matcher);
  return operator === '=' ? value === '' : operator === '=~' ? value === '.*' : true;
}

/** Ends a silence now. @throws NotFoundError, ConflictError if it has ended */
export async function endSilence(transaction: Transaction, id: string, by: Actor): Promise<SilenceRow> {
  return transaction(async (tx) => {
    const silence = await closeSilence(tx, id, by.name);
    await recordAudit(tx, by, { action: 'silence.end', target: { type: 'Silence', id } });
    return silence;
  });
}

async function closeSilence(tx: Queryable, id: string, endedBy: string): Promise<SilenceRow> {
  const { rows } = await tx.query<{ row: Record<string, unknown> }>(
    `update silences set ends_at = now(), starts_at = least(starts_at, now()), ended_by = $2
     where id = $1 and ends_at > now() returning to_jsonb(silences) as row`,
    [id, endedBy],
  );
  if (rows[0]) return decodeRow(rows[0].row);
  const known = await tx.query('select 1 from silences where id = $1', [id]);
  if (known.rows.length === 0) throw new NotFoundError('There is no silence with this id.');
  throw new ConflictError('The silence has ended already.');
}
