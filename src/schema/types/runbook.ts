import type { ListedRunbook } from '../../engine/runbooks/listing.ts';
import { builder } from '../builder.ts';

export const Runbook = builder.objectRef<ListedRunbook>('Runbook').implement({
  fields: (t) => ({
    url: t.exposeString('url'),
    name: t.exposeString('name'),
  }),
});
