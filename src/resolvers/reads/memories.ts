import { visibilityParameter, visibleSql } from '../../access/visibility.ts';
import type { MemoryRow } from '../../db/entities/index.ts';
import { toSearchWords } from '../../engine/features/memory/recall.ts';
import type { MemoryPageArgs } from '../../schema/args.ts';
import { badUserInput } from '../../schema/errors.ts';
import type { Page } from '../../schema/views.ts';
import { ID_COLUMN, type List, momentColumn, readPage } from './page.ts';
import type { ReadDb } from './tables.ts';

const MAX_SEARCH = 200;

export async function readMemories(db: ReadDb, args: MemoryPageArgs): Promise<Page<MemoryRow>> {
  const search = args.search?.trim() ?? '';
  if (search.length > MAX_SEARCH) throw badUserInput(`A search has at most ${MAX_SEARCH} characters.`);
  const list: List<MemoryRow> = {
    table: db.tables.memory,
    key: [momentColumn('created_at', ({ createdAt }) => createdAt), ID_COLUMN],
    descending: true,
    where: ({ add, any }) => [
      visibleSql('t.team', add(visibilityParameter(db.sight))),
      ...(args.includeDeprecated ? [] : ['not t.deprecated']),
      ...any('alert_type', args.alertType),
      ...(search === '' ? [] : [found(search, add)]),
    ],
  };
  return readPage(search === '' ? db.pool : db.search, list, args);
}

/** Returns the condition that a memory contains all words. The last one may be incomplete and matches as a prefix. */
function found(search: string, add: (value: unknown) => string): string {
  const words =
    toSearchWords(search)
      .match(/[\p{L}\p{N}]+/gu)
      ?.slice(0, search.split(/[^\p{L}\p{N}]+/u).length) ?? [];
  const last = words.at(-1);
  if (last === undefined) return 'false';
  const all = (list: readonly string[]) => `plainto_tsquery('english', ${add(list.join(' '))})`;
  return `(t.document @@ ${all(words)} or t.document @@ (${all(words.slice(0, -1))} && to_tsquery('simple', ${add(`${last}:*`)})))`;
}
