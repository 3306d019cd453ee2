import { builder, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { StreamSource } from '../stream-source.ts';
import type { SystemModelView, WaitingWorkView } from '../views.ts';

const WaitingWork = objectType<WaitingWorkView>('WaitingWork', 'Sessions that wait for one cause.', (t) => ({
  reason: t.expose('reason', { type: enums.WaitReason, description: 'Why they wait.' }),
  message: t.exposeString('message', { description: 'The cause in a sentence.' }),
  sessions: t.expose('sessions', { type: 'Long', description: 'Number of waiting sessions.' }),
  alertGroups: t.expose('alertGroups', {
    type: 'Long',
    description: 'Number of alert groups that get no session until then; at most 1,000.',
  }),
  since: t.expose('since', { type: 'DateTime', description: 'When the first of them began to wait.' }),
}));

const SystemModel = objectType<SystemModelView>(
  'SystemModel',
  'The model of investigations whose chain names no other.',
  (t) => ({
    provider: t.exposeString('provider', { description: 'Name of the LLM provider in the configuration.' }),
    model: t.exposeString('model', { description: 'Name of the model, as the provider has it.' }),
    reason: t.exposeString('reason', { description: 'Why this provider is the default one, for people.' }),
    usesRules: t.exposeBoolean('usesRules', {
      description: 'True if fixed rules investigate, without a language model.',
    }),
  }),
);

/** Waiting work that the viewer may see. */
interface SystemStateView {
  waiting: readonly WaitingWorkView[];
}

const SystemState = objectType<SystemStateView>('SystemState', 'Why work stands still, now.', (t) => ({
  waiting: t.field({
    type: [WaitingWork],
    description: 'One entry for each cause for which work that the viewer may see stands still.',
    resolve: ({ waiting }) => [...waiting],
  }),
  model: t.field({
    type: SystemModel,
    description: 'The model of investigations whose chain names no other.',
    resolve: (_state, _args, { model }) => model,
  }),
}));

builder.queryField('systemState', (t) =>
  t.field({
    type: SystemState,
    extensions: queryCost({ own: 100 }),
    description: 'Why work stands still, now.',
    resolve: async (_root, _args, { reads }) => ({ waiting: await reads.waitingWork() }),
  }),
);

builder.subscriptionField('systemStateChanged', (t) =>
  t.field({
    type: SystemState,
    description:
      'Sends the present state first, and again when work begins or ends to stand still, within about two seconds.',
    subscribe: (_root, _args, { engine }) => new StreamSource(engine.subscribeSystemState()),
    resolve: async (_change, _args, { reads }) => ({ waiting: await reads.waitingWork() }),
  }),
);
