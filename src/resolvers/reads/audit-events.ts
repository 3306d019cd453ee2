import type { AuditEventRow } from '../../db/entities/index.ts';
import type { AuditPageArgs } from '../../schema/args.ts';
import { decodeGlobalId, isUuid } from '../../schema/ids.ts';
import type { Page } from '../../schema/views.ts';
import { readPage } from './page.ts';
import { any, parameters } from './parameters.ts';
import type { ReadDb } from './tables.ts';

export function readAuditEvents({ pool, tables }: ReadDb, args: AuditPageArgs): Promise<Page<AuditEventRow>> {
  const { values, add } = parameters();
  const where = [
    ...any('actor', args.actor, add),
    ...any('action', args.action, add),
    ...(args.targetId == null ? [] : [`t.target_id = ${add(keyOfAny(args.targetId))}`]),
    ...(args.from == null ? [] : [`t.at >= ${add(args.from)}`]),
    ...(args.to == null ? [] : [`t.at < ${add(args.to)}`]),
  ];
  return readPage(
    pool,
    { table: tables.auditEvent, where, values, column: 'at', moment: ({ at }) => at, newestFirst: true },
    args,
  );
}

/** Returns the key in a global id of any type or a UUID; `null`, which matches nothing, for other text. */
function keyOfAny(id: string): string | null {
  const key = isUuid(id) ? id : (decodeGlobalId(id)?.id ?? '');
  return isUuid(key) ? key.toLowerCase() : null;
}
