import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from './columns.ts';

/** An audit entry: a change by a user or a token. A trigger refuses updates of the row. */
export const AuditEvent = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_events',
  properties: {
    id: id(),
    at: createdAt(),
    actor: p.text(),
    action: p.text(),
    targetType: p.text().nullable(), // GraphQL type
    targetId: p.uuid().nullable(), // no foreign key, because entries outlive their target
    detail: p.json<Record<string, unknown>>().nullable(),
    via: p.text(), // how the actor was authenticated
    address: p.text().nullable(),
  },
  indexes: [
    { name: 'audit_events_page', properties: ['at', 'id'] },
    { name: 'audit_events_target', properties: ['targetId', 'at', 'id'] },
  ],
  triggers: [
    {
      name: 'audit_events_kept',
      timing: 'before',
      events: ['update'],
      expression: `create trigger "audit_events_kept" before update on "audit_events" for each row execute function tarsy_audit_is_kept()`,
    },
  ],
});
export type AuditEventRow = InferEntity<typeof AuditEvent>;
