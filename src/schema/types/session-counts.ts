import { builder } from '../builder.ts';
import type { SessionCountsView } from '../context.ts';

const SessionCount = builder.objectRef<SessionCountsView['values'][number]>('SessionCount').implement({
  description: 'How many sessions have a value.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'The value, as a filter takes it.' }),
    count: t.exposeInt('count', { description: 'Sessions that have it.' }),
  }),
});

export const SessionCounts = builder.objectRef<SessionCountsView>('SessionCounts').implement({
  description: 'How many sessions have each value.',
  fields: (t) => ({
    values: t.expose('values', {
      type: [SessionCount],
      description: 'What most have first, at most 200; what none has is left out.',
    }),
    counted: t.exposeInt('counted', { description: 'How many sessions were counted: the newest 20,000.' }),
    whole: t.exposeBoolean('whole', { description: 'False when there are more, which were not counted.' }),
  }),
});
