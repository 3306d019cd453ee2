import type { AuditEventRow } from '../../db/entities/index.ts';
import type { AuditPageArgs } from '../../schema/args.ts';
import { decodeGlobalId, isUuid } from '../../schema/ids.ts';
import type { Page } from '../../schema/views.ts';
import { ID_COLUMN, type List, momentColumn, readPage } from './page.ts';
import type { ReadDb } from './tables.ts';

export function readAuditEvents({ pool, tables }: ReadDb, args: AuditPageArgs): Promise<Page<AuditEventRow>> {
  const list: List<AuditEventRow> = {
    table: tables.auditEvent,
    key: [momentColumn('at', ({ at }) => at), ID_COLUMN],
    descending: true,
    where: ({ add, any, given }) => [
      ...any('actor', args.actor),
      ...any('action', args.action),
      ...(args.targetId == null ? [] : [`t.target_id = ${add(keyOfAny(args.targetId))}`]),
      ...given('at >=', args.from),
      ...given('at <', args.to),
    ],
  };
  return readPage(pool, list, args);
}

/** Returns the key of a UUID or of a global id of any type. `null` for other text, which then matches nothing. */
function keyOfAny(id: string): string | null {
  const key = isUuid(id) ? id : (decodeGlobalId(id)?.id ?? '');
  return isUuid(key) ? key.toLowerCase() : null;
}
