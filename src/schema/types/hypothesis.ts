import type { HypothesisRow } from '../../db/entities/index.ts';
import { objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { ClaimFactRef, factViews } from './report.ts';

export const HypothesisRef = objectType<HypothesisRow>(
  'Hypothesis',
  'A possible cause that an agent examines.',
  (t) => ({
    id: t.id({ description: 'Stable while the session exists.', resolve: ({ id }) => id }),
    text: t.exposeString('text', { description: 'The possible cause, written by the model; never changes.' }),
    state: t.expose('state', { type: enums.HypothesisState, description: 'Current state.' }),
    facts: t.field({
      type: [ClaimFactRef],
      extensions: queryCost({ rows: 3 }),
      description: 'Facts that prove the state, as the server checked them; none while PROPOSED.',
      resolve: factViews,
    }),
    agent: t.string({
      description: 'Name of the agent.',
      resolve: async ({ executionId }, _args, { loaders }) =>
        (await loaders.agentExecution.load(executionId))?.agentName ?? '',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was proposed.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When its state or proof changed last.',
    }),
  }),
);
