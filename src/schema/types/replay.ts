import type { ReplayCheck } from '../../cases/checks.ts';
import { builder, nodeType, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { queryById } from '../root-fields.ts';
import { CaseRef, ReplayRef, SessionRef } from './refs.ts';
import { AgreementRef } from './report.ts';

const ReplayCheckRef = objectType<ReplayCheck>(
  'ReplayCheck',
  'One comparison with the expectation.',
  (t) => ({
    name: t.exposeString('name', {
      description: 'completed, verdict, mustSay, mustNotSay, entities, confidence or cause.',
    }),
    passed: t.exposeBoolean('passed', { description: 'True if the report is as expected.' }),
    detail: t.exposeString('detail', { description: 'Found and expected value.' }),
  }),
);

nodeType(ReplayRef, 'A repeated investigation of a case, with recorded tool results.', (t) => ({
  case: t.field({
    type: CaseRef,
    description: 'Replayed case.',
    resolve: async ({ caseId }, _args, { loaders }) => (await loaders.case.load(caseId))!,
  }),
  status: t.field({
    type: enums.ReplayStatus,
    description: 'Status of its session.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.replayResult.load(id)).status,
  }),
  session: t.field({
    type: SessionRef,
    nullable: true,
    description: 'Session of the replay; null if it is deleted.',
    resolve: ({ sessionId }, _args, { loaders }) => loaders.session.load(sessionId),
  }),
  provider: t.exposeString('provider', { description: 'LLM provider of the first agent.' }),
  model: t.exposeString('model', { description: 'Model of the first agent, as the provider names it.' }),
  configHash: t.exposeString('configHash', {
    description: 'Equal for replays with equal agents, chain, instructions, defaults and models.',
  }),
  passed: t.field({
    type: 'Boolean',
    nullable: true,
    description:
      'True if all checks passed; null while it runs, if it was cancelled, or if unrecorded calls leave the answer open.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.replayResult.load(id)).passed,
  }),
  confidentlyWrong: t.boolean({
    description: 'True if the answer is wrong and its confidence is at least 0.7.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.replayResult.load(id)).confidentlyWrong,
  }),
  checks: t.field({
    type: [ReplayCheckRef],
    extensions: queryCost({ rows: 3 }),
    description: 'Results of the checks; empty while it runs.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.replayResult.load(id)).checks,
  }),
  unrecordedCalls: t.int({
    description: 'Number of tool calls that the case does not contain.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.replayResult.load(id)).unrecordedCalls,
  }),
  agreement: t.field({
    type: AgreementRef,
    nullable: true,
    description:
      'Agreement with the session from which the case was made. Null while it runs, if it has no report, or if that session is deleted or has no supported cause.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.replayResult.load(id)).agreement,
  }),
  costUsd: t.float({
    nullable: true,
    description: 'Cost of its model calls so far; null if the price of a call is unknown.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.replayResult.load(id)).costUsd,
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was requested.' }),
}));

queryById('replay', ReplayRef, 'One replay');

builder.objectField(SessionRef, 'replay', (t) =>
  t.field({
    type: ReplayRef,
    nullable: true,
    description: 'Replay to which the session belongs; null if it is no replay.',
    resolve: ({ id }, _args, { loaders }) => loaders.replayOfSession.load(id),
  }),
);
