import { builder } from '../builder.ts';
import type { Viewer as ViewerValue } from '../context.ts';

export const Viewer = builder.objectRef<ViewerValue>('Viewer').implement({
  description: 'Who sends the request, as the server knows them.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Recorded as author of what they do.' }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'Their address; null when the proxy gives none.',
    }),
    groups: t.exposeStringList('groups', {
      description: 'Their groups, as the proxy gives them; empty when it gives none.',
    }),
    via: t.exposeString('via', {
      description: 'How they were recognised: NONE (nobody signs in, the name is a label) or PROXY.',
    }),
  }),
});
