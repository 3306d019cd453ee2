import { builder } from '../../schema/builder.ts';
import { SessionsChanged } from '../../schema/types/session-event.ts';
import { StreamSource, seenBy } from './stream-source.ts';

builder.subscriptionField('sessionsChanged', (t) =>
  t.field({
    type: SessionsChanged,
    description: 'Any session created, or its status or current stage changed, from now on.',
    subscribe: (_root, _args, { engine, viewer }) =>
      new StreamSource(seenBy(viewer, engine.subscribeSessions())),
    resolve: (session) => session,
  }),
);
