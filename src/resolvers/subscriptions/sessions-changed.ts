import { builder } from '../../schema/builder.ts';
import { SessionsChanged } from '../../schema/types/session-event.ts';
import { abortable } from './abortable.ts';

builder.subscriptionField('sessionsChanged', (t) =>
  t.field({
    type: SessionsChanged,
    description: 'Any session created, or its status or current stage changed, from now on.',
    subscribe: (_root, _args, { engine }) => abortable((signal) => engine.subscribeSessions(signal)),
    resolve: (session) => session,
  }),
);
