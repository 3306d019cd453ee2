import type { ListedRunbook } from '../../runbooks/github-tree.ts';
import { builder } from '../builder.ts';

export const Runbook = builder.objectRef<ListedRunbook>('Runbook').implement({
  description: 'A runbook of the configured folder.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'URL, as accepted by `SubmitAlertInput.runbookUrl`.' }),
    name: t.exposeString('name', { description: 'Path in the folder.' }),
  }),
});
