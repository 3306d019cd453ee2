import { NotFoundError, ValidationError } from '../../common/errors.ts';
import type { SavedViewRow } from '../../db/entities/index.ts';
import { builder, nodeType } from '../builder.ts';
import { keyOf } from '../ids.ts';
import { declared, mutationResult, orDeclared } from './errors.ts';

const SavedViewRef = builder.objectRef<SavedViewRow>('SavedView');

nodeType(SavedViewRef, 'A view of a list: filters and order under a name.', (t) => ({
  page: t.exposeString('page', { description: 'List that it belongs to, such as `sessions`.' }),
  name: t.exposeString('name', { description: 'Name, unique for the owner or team on the page.' }),
  parameters: t.exposeString('parameters', { description: 'Search parameters of the page’s address.' }),
  team: t.exposeString('team', {
    nullable: true,
    description: 'Team that sees and may delete it; null if only the owner does.',
  }),
  owner: t.exposeString('owner', { description: 'User or token that saved it.' }),
}));

const SaveView = mutationResult('SaveView', [ValidationError], {
  description: 'The view is saved.',
  field: { savedView: { type: SavedViewRef, description: 'The saved view.' } },
});

const DeleteView = mutationResult('DeleteView', [NotFoundError], {
  description: 'The view is deleted.',
  field: { savedView: { type: SavedViewRef, description: 'The view as it was.' } },
});

const SaveViewInput = builder.inputType('SaveViewInput', {
  description: 'A view of a list.',
  fields: (t) => ({
    page: t.string({ required: true, description: 'List that it belongs to, such as `sessions`.' }),
    name: t.string({
      required: true,
      description: '1–60 characters. A view of the same page, team and name is replaced.',
    }),
    parameters: t.string({
      required: true,
      description: 'Search parameters of the page’s address, up to 2,000 characters.',
    }),
    team: t.string({ description: 'Team that shares it, one of the viewer’s. Default: private.' }),
  }),
});

builder.queryField('savedViews', (t) =>
  t.field({
    type: [SavedViewRef],
    description: 'The viewer’s own views of a page and those of the viewer’s teams, by name; at most 500.',
    args: { page: t.arg.string({ required: true, description: 'List, such as `sessions`.' }) },
    resolve: (_root, { page }, { savedViews, viewer }) => savedViews.list(page, viewer),
  }),
);

builder.mutationField('saveView', (t) =>
  t.field({
    type: SaveView.type,
    description: 'Saves a view of a list. At most 100 for each user and team.',
    args: { input: t.arg({ type: SaveViewInput, required: true, description: 'The view.' }) },
    resolve: (_root, { input }, { savedViews, viewer }) =>
      orDeclared(savedViews.save({ ...input, team: input.team ?? null }, viewer), SaveView),
  }),
);

const NO_VIEW = 'There is no saved view with this id.';

builder.mutationField('deleteView', (t) =>
  t.field({
    type: DeleteView.type,
    description: 'Deletes a view that the viewer sees.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the view.' }) },
    resolve: async (_root, { id }, { savedViews, viewer }) => {
      const key = keyOf('SavedView', id);
      const work = key === null ? Promise.resolve(null) : savedViews.remove(key, viewer);
      return (await orDeclared(work, DeleteView)) ?? declared(new NotFoundError(NO_VIEW));
    },
  }),
);
