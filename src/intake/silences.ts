import { type Actor, recordAudit } from '../audit.ts';
import { ConflictError, NotFoundError, ValidationError } from '../common/errors.ts';
import { replaceUnstorable } from '../common/storable.ts';
import { uuidv7 } from '../common/uuidv7.ts';
import { compileMatchers, MatcherError, parseMatcher } from '../config/matchers.ts';
import type { SilenceRow } from '../db/entities/index.ts';
import type { Queryable, Transaction } from '../db/queryable.ts';
import { SilenceExistsError } from './errors.ts';
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
    await refuseEqual(tx, input);
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

/** Key of the PostgreSQL advisory lock under which silences are created; "sile" as bytes. */
const LOCK = 0x73696c65;

/** @throws SilenceExistsError if a silence with the same matchers and teams overlaps the new one in time */
async function refuseEqual(tx: Queryable, input: NewSilence): Promise<void> {
  const { startsAt, endsAt } = input;
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
  const others = await readRows<SilenceRow>(
    tx,
    `select to_jsonb(s) as row from silences s where ends_at > greatest(coalesce($1, now()), now()) and starts_at < $2
     order by ends_at desc`,
    [startsAt, endsAt],
  );
  const equal = others.find((silence) => coverageKey(silence) === coverageKey(input));
  if (equal) throw new SilenceExistsError(equal);
}

/** Returns a key that is equal for silences of the same alerts, in any order and spelling of their matchers. */
function coverageKey({
  matchers,
  teams = null,
}: Pick<NewSilence, 'matchers'> & Partial<Pick<SilenceRow, 'teams'> | Pick<NewSilence, 'teams'>>): string {
  const parsed = matchers
    .map(parseMatcher)
    .map(({ name, operator, value }) => JSON.stringify([name, operator, value]));
  return JSON.stringify([[...new Set(parsed)].sort(), teams && [...teams].sort()]);
}

function check({ matchers, comment, startsAt, endsAt }: NewSilence): void {
  checkMatchers(matchers);
  const refuse = (problem: string, field: string) => {
    throw new ValidationError(problem, field);
  };
  if (comment.trim() === '') refuse('Give a reason in the comment; other users read it.', 'comment');
  if (comment.length > MAX_COMMENT)
    refuse(`The comment has ${comment.length} characters; at most ${MAX_COMMENT} are allowed.`, 'comment');
  if (endsAt.getTime() <= Math.max(Date.now(), startsAt?.getTime() ?? 0))
    refuse('A silence must end in the future, and after its start.', 'endsAt');
}

/** @throws ValidationError if a matcher is wrong, or if all together would cover nearly everything */
export function checkMatchers(matchers: readonly string[]): void {
  const refuse = (problem: string, field = 'matchers') => {
    throw new ValidationError(problem, field);
  };
  if (matchers.length === 0)
    refuse('A silence needs at least one matcher, because without one it would cover everything.');
  if (matchers.length > MAX_MATCHERS)
    refuse(`A silence can have at most ${MAX_MATCHERS} matchers; ${matchers.length} were given.`);
  for (const [index, matcher] of matchers.entries()) {
    const problem = problemOf(matcher);
    if (problem !== null) refuse(`"${matcher.slice(0, 100)}": ${problem}.`, `matchers.${index}`);
  }
  if (matchers.every(coversNothingGiven))
    refuse(
      'Every matcher also matches alerts without its label, so the silence would cover nearly everything. Add a matcher that requires a label, such as severity="warning".',
    );
}

function problemOf(matcher: string): string | null {
  try {
    parseMatcher(matcher);
    return matcher.includes('\0') ? 'a matcher must not contain the character NUL' : null;
  } catch (error) {
    if (error instanceof MatcherError) return error.message;
    throw error;
  }
}

/** True for matchers that match alerts without the label, such as `a=~"x?"`, and for negative ones. */
function coversNothingGiven(matcher: string): boolean {
  return parseMatcher(matcher).operator.startsWith('!') || compileMatchers([matcher])({});
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
      throw new ConflictError('The silence has already ended.');
    }
    await recordAudit(tx, by, { action: 'silence.end', target: { type: 'Silence', id } });
    return silence;
  });
}
