import { objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import type { WaitingView } from '../views.ts';

export const Waiting = objectType<WaitingView>('Waiting', 'Why something waits.', (t) => ({
  reason: t.expose('reason', { type: enums.WaitReason, description: 'Kind of the cause.' }),
  message: t.exposeString('message', { description: 'The cause in a sentence, for people.' }),
  since: t.expose('since', { type: 'DateTime', description: 'When the wait began.' }),
  until: t.expose('until', {
    type: 'DateTime',
    nullable: true,
    description: 'When the wait ends at the latest; null if only an event ends it.',
  }),
}));
