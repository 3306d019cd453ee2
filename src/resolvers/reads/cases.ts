import { visibilityParameter, visibleSql } from '../../access/visibility.ts';
import type { CaseRow, ReplayRow } from '../../db/entities/index.ts';
import type { Queryable } from '../../db/queryable.ts';
import { type CheckedReplay, readCheckedReplays } from '../../engine/features/cases/results.ts';
import { agreementWithSource } from '../../engine/features/report/agreement.ts';
import type { CasePageArgs, PageArgs } from '../../schema/args.ts';
import { badUserInput } from '../../schema/errors.ts';
import type { Page, ReplayResultView } from '../../schema/views.ts';
import { ID_COLUMN, type List, momentColumn, readPage } from './page.ts';
import type { ReadDb } from './tables.ts';
import type { Shown } from './visible-rows.ts';

const MAX_SEARCH = 200;

/** Condition for a visible replay `t`: its case and its session are visible. */
export const replayShown: Shown = (place) =>
  `exists (select 1 from cases c join alert_sessions s on s.id = t.session_id
    where c.id = t.case_id and s.deleted_at is null and ${visibleSql('c.team', place)})`;

export function readCases(db: ReadDb, args: CasePageArgs): Promise<Page<CaseRow>> {
  const search = args.search?.trim() ?? '';
  if (search.length > MAX_SEARCH) throw badUserInput(`A search has at most ${MAX_SEARCH} characters.`);
  const list: List<CaseRow> = {
    table: db.tables.case,
    key: [momentColumn('created_at', ({ createdAt }) => createdAt), ID_COLUMN],
    descending: true,
    where: ({ add }) => [
      visibleSql('t.team', add(visibilityParameter(db.sight))),
      ...(search === '' ? [] : [`strpos(lower(t.name || ' ' || t.alert_type), lower(${add(search)})) > 0`]),
    ],
  };
  return readPage(db.pool, list, args);
}

export function readReplays(db: ReadDb, caseId: string, args: PageArgs): Promise<Page<ReplayRow>> {
  const list: List<ReplayRow> = {
    table: db.tables.replay,
    key: [momentColumn('created_at', ({ createdAt }) => createdAt), ID_COLUMN],
    descending: true,
    where: ({ add }) => [`t.case_id = ${add(caseId)}`, replayShown(add(visibilityParameter(db.sight)))],
  };
  return readPage(db.pool, list, args);
}

/** Returns the state of each replay, and the checks of those that have ended. */
export async function readReplayResults(db: Queryable, ids: readonly string[]): Promise<ReplayResultView[]> {
  const found = new Map((await readCheckedReplays(db, ids)).map((replay) => [replay.id, viewOf(replay)]));
  return ids.map((id) => found.get(id) ?? GONE);
}

/** Result of a replay that was deleted while a client read it. */
const GONE: ReplayResultView = {
  ...{ status: 'CANCELLED', passed: null, confidentlyWrong: false, checks: [] },
  ...{ unrecordedCalls: 0, costUsd: null, agreement: null },
};

function viewOf({ id: _id, claims, sourceClaims, ...replay }: CheckedReplay): ReplayResultView {
  const agreement = agreementWithSource(claims ?? [], claims === null ? [] : (sourceClaims ?? []));
  return { ...replay, agreement };
}
