import type { AuditEventRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { encodeGlobalId } from '../ids.ts';
import { connectionOf } from './connection.ts';

const AuditEventRef = builder.objectRef<AuditEventRow>('AuditEvent');

builder.node(AuditEventRef, {
  description: 'A change that a person or a token made. It is never changed itself.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    actor: t.exposeString('actor', {
      description: 'Who: the name of a user, `token:<name>`, or console for who has the server itself.',
    }),
    action: t.exposeString('action', {
      description: 'What, such as session.cancel, token.create or silence.create.',
    }),
    targetId: t.id({
      nullable: true,
      description: 'Global id of what was changed, which may be gone by now; null: nothing in particular.',
      resolve: ({ targetType, targetId }) => targetType && targetId && encodeGlobalId(targetType, targetId),
    }),
    detail: t.expose('detail', {
      type: 'JSON',
      nullable: true,
      description: 'What else is known, by action; null: nothing.',
    }),
    via: t.exposeString('via', {
      description: 'How they were recognised, as `Viewer.via` says it, or CONSOLE.',
    }),
    address: t.exposeString('address', {
      nullable: true,
      description: 'IP address that they came from, as far as proxies tell that are believed; null: none.',
    }),
  }),
});

export const AuditEventConnection = connectionOf('AuditEvent', AuditEventRef as never, 'changes');
