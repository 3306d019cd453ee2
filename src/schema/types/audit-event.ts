import type { AuditEventRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { encodeGlobalId } from '../ids.ts';
import { connectionOf } from './connection.ts';

const AuditEventRef = builder.objectRef<AuditEventRow>('AuditEvent');

builder.node(AuditEventRef, {
  description: 'A change made by a user or token. Audit events are immutable.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Time of the change.' }),
    actor: t.exposeString('actor', {
      description: 'Name of the user, `token:<name>`, or console for an operator on the server itself.',
    }),
    action: t.exposeString('action', {
      description: 'Action, such as session.cancel, token.create or silence.create.',
    }),
    targetId: t.id({
      nullable: true,
      description: 'Global id of the changed object, which may no longer exist; null if there is none.',
      resolve: ({ targetType, targetId }) => targetType && targetId && encodeGlobalId(targetType, targetId),
    }),
    detail: t.expose('detail', {
      type: 'JSON',
      nullable: true,
      description: 'Further details, depending on the action; null if there are none.',
    }),
    via: t.exposeString('via', {
      description: 'Authentication method, as in `Viewer.via`, or CONSOLE.',
    }),
    address: t.exposeString('address', {
      nullable: true,
      description: 'IP address of the client, as reported by trusted proxies; null if unknown.',
    }),
  }),
});

export const AuditEventConnection = connectionOf('AuditEvent', AuditEventRef as never, 'changes');
