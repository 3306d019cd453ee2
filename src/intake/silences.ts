import { type Actor, recordAudit } from '../audit.ts';
import { ConflictError, NotFoundError, ValidationError } from '../common/errors.ts';
import { replaceUnstorable } from '../common/storable.ts';
import { uuidv7 } from '../common/uuidv7.ts';
import { MatcherError, parseMatcher } from '../config/matchers.ts';
import type { SilenceRow } from '../db/entities/index.ts';
import type { Transaction } from '../db/queryable.ts';
import { readRows } from './store/rows.ts';

export interface NewSilence {
  matchers: readonly string[];
  comment: string;
  startsAt: Date | null;
  endsAt: Date;
  /** The teams whose alerts the silence covers, in addition to alerts without a team; `null` for all teams. */
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
  const values = [
    uuidv7(),
    input.matchers,
    replaceUnstorable(input.comment).text.trim(),
    by.name,
    input.startsAt,
    input.endsAt,
    input.teams,
  ];
  return transaction(async (tx) => {
    const [silence] = await readRows<SilenceRow>(
      tx,
      `insert into silences (id, matchers, comment, created_by, starts_at, ends_at, teams)
       values ($1, $2, $3, $4, coalesce($5, now()), $6, $7) returning to_jsonb(silences) as row`,
      values,
    );
    const { id, matchers, endsAt } = silence!;
    await recordAudit(tx, by, {
      action: 'silence.create',
      target: { type: 'Silence', id },
      detail: { matchers, until: endsAt.toISOString() },
    });
    return silence!;
  });
}

function check({ matchers, comment, startsAt, endsAt }: NewSilence): void {
  const refuse = (problem: string, field = 'matchers') => {
    throw new ValidationError(problem, field);
  };
  if (matchers.length === 0)
    refuse('A silence needs at least one matcher: without one it would cover everything.');
  if (matchers.length > MAX_MATCHERS)
    refuse(`A silence has at most ${MAX_MATCHERS} matchers; ${matchers.length} were given.`);
  for (const [index, matcher] of matchers.entries()) {
    const problem = problemOf(matcher);
    if (problem !== null) refuse(`"${matcher.slice(0, 100)}": ${problem}.`, `matchers.${index}`);
  }
  if (matchers.every(coversNothingGiven))
    refuse('A silence needs a matcher that does not also match alerts without its label.');
  if (comment.trim() === '') refuse('Say why: others will read it.', 'comment');
  if (comment.length > MAX_COMMENT)
    refuse(`The comment has ${comment.length} characters, at most ${MAX_COMMENT} are kept.`, 'comment');
  if (endsAt.getTime() <= Math.max(Date.now(), startsAt?.getTime() ?? 0))
    refuse('A silence must end after now, and after it begins.', 'endsAt');
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

/** Ends a silence now. @throws NotFoundError, ConflictError if the silence has ended */
export async function endSilence(transaction: Transaction, id: string, by: Actor): Promise<SilenceRow> {
  return transaction(async (tx) => {
    const [silence] = await readRows<SilenceRow>(
      tx,
      `update silences set ends_at = now(), starts_at = least(starts_at, now()), ended_by = $2
       where id = $1 and ends_at > now() returning to_jsonb(silences) as row`,
      [id, by.name],
    );
    if (!silence) {
      const known = await tx.query('select 1 from silences where id = $1', [id]);
      if (known.rows.length === 0) throw new NotFoundError('There is no silence with this id.');
      throw new ConflictError('The silence has ended already.');
    }
    await recordAudit(tx, by, { action: 'silence.end', target: { type: 'Silence', id } });
    return silence;
  });
}
