import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Actor, recordAudit } from '../../audit.ts';
import { type CaseDocument, type CaseExpectation, orderedDocument } from '../../cases/document.ts';
import { CaseError } from '../../cases/errors.ts';
import { parseCaseDocument } from '../../cases/parse-document.ts';
import { ConflictError, NotFoundError, ValidationError } from '../../common/errors.ts';
import { toStorable } from '../../common/storable.ts';
import { uuidv7 } from '../../common/uuidv7.ts';
import { chainForAlertType } from '../../config/resolve.ts';
import type { Config } from '../../config/types.ts';
import type { CaseRow } from '../../db/entities/index.ts';
import { isTerminalStatus, TERMINAL_SESSION_STATUSES } from '../../db/enums.ts';
import type { Queryable, Transaction } from '../../db/queryable.ts';
import type { Masking } from '../../masking/masking.ts';
import type { CreateCaseInput } from '../api/cases.ts';
import { asArguments, expectationOf, readRecordedSession, recordCase } from '../features/cases/record.ts';
import { insertCase, isReplay } from '../features/cases/store.ts';

export interface CaseDeps {
  db: Queryable;
  transaction: Transaction;
  config: Config;
  masking: Masking;
  logger: Logger;
}

/** Implements `Engine.createCase`. */
export async function createCase(deps: CaseDeps, input: CreateCaseInput, by: Actor): Promise<CaseRow> {
  const session = await readRecordedSession(deps.db, input.sessionId);
  if (session === null) throw new NotFoundError(`There is no session ${input.sessionId}.`);
  if (!isTerminalStatus(session.status))
    throw new ConflictError(
      `The investigation has not ended yet (${session.status}). Make the case when it has.`,
    );
  if (await isReplay(deps.db, session.id))
    throw new ConflictError('The session is a replay itself. Make the case of an investigation.');
  const expect = { ...expectationOf(session), ...givenOf(input) };
  const runbook = session.runbook ?? configuredRunbook(deps);
  const recorded = await recordCase(deps.db, session, { name: input.name, expect, runbook });
  const document = checkedDocument(JSON.stringify(recorded));
  return store(deps, { document, team: session.team, sourceSessionId: session.id }, by);
}

function givenOf({
  verdict,
  mustSay,
  mustNotSay,
  entities,
  cause,
  causes,
}: CreateCaseInput): Partial<CaseExpectation> {
  return {
    ...(verdict && { verdict }),
    ...(mustSay && { must_say: [...mustSay] }),
    ...(mustNotSay && { must_not_say: [...mustNotSay] }),
    ...(entities && { entities: [...entities] }),
    ...(cause && { cause }),
    ...(causes && { causes: [...causes] }),
  };
}

/** Returns the configured runbook, masked: the one that agents got if the alert had none. */
function configuredRunbook({ config, masking }: CaseDeps): string | null {
  return masking.maskRunbook(config.defaults.runbook.trim()) || null;
}

/** Implements `Engine.importCase`. Masks secrets, so that a case holds none, wherever it comes from. */
export async function importCase(
  deps: CaseDeps,
  { document: json, team }: { document: string; team: string | null },
  by: Actor,
): Promise<CaseRow> {
  const document = await masked(deps.masking, checkedDocument(json));
  const chain = chainForAlertType(deps.config, document.alert_type)?.chain;
  return store(deps, { document, team: team ?? chain?.team ?? null, sourceSessionId: null }, by);
}

/** Parses a document. @throws ValidationError */
function checkedDocument(json: string): CaseDocument {
  try {
    return parseCaseDocument(json);
  } catch (error) {
    if (!(error instanceof CaseError)) throw error;
    const [first] = error.issues;
    const isName = first?.path === 'name';
    throw new ValidationError(`The case cannot be used: ${error.message}`, isName ? 'name' : 'document');
  }
}

/** Number of calls that are masked before other requests have their turn. */
const MASKED_AT_ONCE = 50;

async function masked(masking: Masking, document: CaseDocument): Promise<CaseDocument> {
  const { alert, runbook, notes } = document;
  try {
    const calls: CaseDocument['calls'] = [];
    for (const [index, call] of document.calls.entries()) {
      if (index % MASKED_AT_ONCE === 0) await turn();
      calls.push({
        ...call,
        arguments: asArguments(masking.maskArguments(call.server, JSON.stringify(call.arguments))),
        output: masking.maskToolResult(call.server, toStorable(call.output)),
      });
    }
    return orderedDocument({
      ...document,
      alert: masking.maskAlert(toStorable(alert)),
      ...(runbook !== undefined && { runbook: masking.maskRunbook(toStorable(runbook)) }),
      ...(notes !== undefined && { notes: masking.maskAlert(toStorable(notes)) }),
      calls,
    });
  } catch {
    throw new ValidationError('Secrets in the case could not be masked. Remove them.', 'document');
  }
}

function store(
  { transaction }: CaseDeps,
  added: { document: CaseDocument; team: string | null; sourceSessionId: string | null },
  by: Actor,
): Promise<CaseRow> {
  const id = uuidv7();
  return transaction(async (tx) => {
    const row = await insertCase(tx, { id, ...added, createdBy: by.name });
    if (row.id === id)
      await recordAudit(tx, by, {
        action: 'case.create',
        target: { type: 'Case', id },
        detail: { name: row.name, session: added.sourceSessionId },
      });
    return row;
  });
}

/** Implements `Engine.deleteCase`. Hides the sessions of its replays, which the retention then deletes. */
export async function deleteCase({ transaction }: CaseDeps, id: string, by: Actor): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ name: string }>('select name from cases where id = $1 for update', [
      id,
    ]);
    if (!rows[0]) throw new NotFoundError(`There is no case ${id}.`);
    const { rows: running } = await tx.query(
      `select 1 from replays p join alert_sessions s on s.id = p.session_id
       where p.case_id = $1 and s.deleted_at is null and s.status <> all($2) limit 1`,
      [id, TERMINAL_SESSION_STATUSES],
    );
    if (running.length > 0)
      throw new ConflictError(
        'Replays of the case are running. Cancel their sessions, or wait until they end.',
      );
    await tx.query(
      `update alert_sessions set deleted_at = now()
       where deleted_at is null and id in (select session_id from replays where case_id = $1)`,
      [id],
    );
    await tx.query('delete from cases where id = $1', [id]);
    await recordAudit(tx, by, {
      action: 'case.delete',
      target: { type: 'Case', id },
      detail: { name: rows[0].name },
    });
  });
}
