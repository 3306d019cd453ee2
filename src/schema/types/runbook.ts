import type { ListedRunbook } from '../../runbooks/github-tree.ts';
import { builder, objectType } from '../builder.ts';

const Runbook = objectType<ListedRunbook>('Runbook', 'A runbook of the configured folder.', (t) => ({
  url: t.exposeString('url', { description: 'URL, as accepted by `SubmitAlertInput.runbookUrl`.' }),
  name: t.exposeString('name', { description: 'Path in the folder.' }),
}));

builder.queryField('runbooks', (t) =>
  t.field({
    type: [Runbook],
    description: 'Runbooks of the configured folder; empty if there is none or it cannot be read.',
    resolve: async (_root, _args, { engine }) => [...(await engine.listRunbooks())],
  }),
);
