import { teamOfSender } from '../../access/teams.ts';
import {
  ConflictError,
  NotFoundError,
  ShuttingDownError,
  TooManyAlertsError,
  ValidationError,
} from '../../common/errors.ts';
import type { CaseRow, ReplayRow, StoredExpectation } from '../../db/entities/index.ts';
import { builder, nodeType, objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { LARGE_VALUE, queryCost } from '../query-cost.ts';
import { changeVisible } from '../root-fields.ts';
import { connectionOf, firstPageArgs } from './connection.ts';
import { mutationResult, orDeclared } from './errors.ts';
import { CaseRef, ReplayRef, SessionRef } from './refs.ts';

const CaseExpectation = objectType<StoredExpectation>(
  'CaseExpectation',
  'The content of a right answer. Only what is given is checked.',
  (t) => ({
    verdict: t.expose('verdict', {
      type: enums.VerdictKind,
      nullable: true,
      description: 'Verdict of the report; null if it is not checked.',
    }),
    mustSay: t.exposeStringList('must_say', {
      description: 'Regular expressions, case-insensitive; each must match a claim.',
    }),
    mustNotSay: t.exposeStringList('must_not_say', {
      description: 'Regular expressions, case-insensitive; none may match the headline or a claim.',
    }),
    entities: t.exposeStringList('entities', { description: 'Entities that the report must name.' }),
    cause: t.exposeString('cause', {
      nullable: true,
      description: 'The right one of the causes; null if the cause is not checked.',
    }),
    causes: t.exposeStringList('causes', {
      description: 'Causes from which the model chooses after the report; empty if there are none.',
    }),
  }),
);

const ReplayConnection = connectionOf('Replay', ReplayRef as never, 'replays');

nodeType(CaseRef, 'A frozen investigation that can be replayed.', (t) => ({
  name: t.exposeString('name', { description: 'Name of the case and of its folder.' }),
  world: t.expose('world', { type: enums.CaseWorld, description: 'Meaning of unrecorded calls.' }),
  sourceSession: t.field({
    type: SessionRef,
    nullable: true,
    description: 'Session from which it was made; null if it was imported or the session is deleted.',
    resolve: ({ sourceSessionId }, _args, { loaders }) =>
      sourceSessionId ? loaders.session.load(sourceSessionId) : null,
  }),
  alertType: t.exposeString('alertType', {
    description: 'Alert type, which selects the chain of a replay.',
  }),
  expectation: t.field({
    type: CaseExpectation,
    description: 'The content of a right answer.',
    resolve: ({ expectation }) => expectation,
  }),
  recordedCalls: t.exposeInt('recordedCalls', { description: 'Number of recorded tool calls.' }),
  document: t.string({
    extensions: LARGE_VALUE,
    description: 'The whole case as JSON, as importCase takes it; docs/reference/cases.md describes it.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.caseDocument.load(id)) ?? '',
  }),
  createdBy: t.exposeString('createdBy', { description: 'User or token that made it.' }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
  replays: t.field({
    type: ReplayConnection,
    extensions: queryCost({ own: 5 }),
    description: 'Replays of the case, newest first.',
    args: firstPageArgs(t.arg),
    resolve: ({ id }, args, { reads }) => reads.replays(id, args),
  }),
}));

const CaseConnection = connectionOf('Case', CaseRef as never, 'cases');

builder.queryField('cases', (t) =>
  t.field({
    type: CaseConnection,
    extensions: queryCost({ own: 10 }),
    description: 'Cases, newest first.',
    args: {
      ...firstPageArgs(t.arg),
      search: t.arg.string({ description: 'Part of the name or alert type; up to 200 characters.' }),
    },
    resolve: (_root, args, { reads }) => reads.cases(args),
  }),
);

const CreateCase = mutationResult('CreateCase', [ValidationError, NotFoundError, ConflictError], {
  description: 'The case was made, or existed already with the same content.',
  field: { case: { type: CaseRef, description: 'The case.' } },
});

const ImportCase = mutationResult('ImportCase', [ValidationError], {
  description: 'The case was stored, or existed already with the same content.',
  field: { case: { type: CaseRef, description: 'The case.' } },
});

const DeleteCaseSuccess = objectType<{ deletedId: string }>(
  'DeleteCaseSuccess',
  'The case and its replays were deleted.',
  (t) => ({ deletedId: t.exposeID('deletedId', { description: 'Id as given in the request.' }) }),
);
const DeleteCase = mutationResult('DeleteCase', [NotFoundError, ConflictError], DeleteCaseSuccess);

const ReplayCaseSuccess = objectType<{ replays: ReplayRow[] }>(
  'ReplayCaseSuccess',
  'The replays are queued.',
  (t) => ({ replays: t.expose('replays', { type: [ReplayRef], description: 'The new replays.' }) }),
);
const ReplayCase = mutationResult(
  'ReplayCase',
  [ValidationError, NotFoundError, ShuttingDownError, TooManyAlertsError],
  ReplayCaseSuccess,
);

const CreateCaseInput = builder.inputType('CreateCaseInput', {
  description:
    'A case to make of an ended session. Without expectations, an accurate review gives verdict and entities.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Global id or UUID of the session.' }),
    name: t.string({
      required: true,
      description: 'Name of the case: 1–100 lower-case letters, digits, dots, - or _.',
    }),
    verdict: t.field({ type: enums.VerdictKind, description: 'Expected verdict.' }),
    mustSay: t.stringList({ description: 'Regular expressions, case-insensitive; each must match a claim.' }),
    mustNotSay: t.stringList({
      description: 'Regular expressions, case-insensitive; none may match a claim.',
    }),
    entities: t.stringList({ description: 'Entities that the report must name.' }),
    cause: t.string({ description: 'The right one of the causes.' }),
    causes: t.stringList({ description: 'Causes from which the model chooses after the report.' }),
  }),
});

const ImportCaseInput = builder.inputType('ImportCaseInput', {
  description: 'A case to store.',
  fields: (t) => ({
    document: t.string({ required: true, description: 'The whole case as JSON, as in Case.document.' }),
    team: t.string({
      description:
        'Team of the case, one of your own. Default: your token’s team; without one, the chain’s team.',
    }),
  }),
});

const ReplaySuiteInput = builder.inputType('ReplaySuiteInput', {
  description:
    'Replays that are judged together. Channels are notified if their answers are worse than expected.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'UUID of your choice.' }),
    size: t.int({
      required: true,
      description: 'Number of replays that the suite will have, over all requests, 1–10,000.',
    }),
  }),
});

const ReplayCaseInput = builder.inputType('ReplayCaseInput', {
  description: 'Replays to start.',
  fields: (t) => ({
    caseId: t.id({ required: true, description: 'Global id or UUID of the case.' }),
    llmProvider: t.string({
      description: 'Provider of every model call. Default: the configured providers.',
    }),
    runs: t.int({ description: 'Number of replays, 1–20. Default: 1.' }),
    suite: t.field({
      type: ReplaySuiteInput,
      description: 'Suite to which the replays belong. Default: the replays of the request are a suite.',
    }),
  }),
});

builder.mutationField('createCase', (t) =>
  t.field({
    type: CreateCase.type,
    description: 'Makes a case of an ended session.',
    args: { input: t.arg({ type: CreateCaseInput, required: true, description: 'The case.' }) },
    resolve: (_root, { input }, context) =>
      changeVisible<CaseRow, typeof ValidationError | typeof NotFoundError | typeof ConflictError>(
        { result: CreateCase, type: 'Session', id: input.sessionId, context },
        (sessionId) => {
          const { verdict, mustSay, mustNotSay, entities, cause, causes } = input;
          const expected = {
            ...{ verdict: verdict ?? null, mustSay: mustSay ?? null, mustNotSay: mustNotSay ?? null },
            ...{ entities: entities ?? null, cause: cause ?? null, causes: causes ?? null },
          };
          return context.engine.createCase({ sessionId, name: input.name, ...expected }, context.viewer);
        },
      ),
  }),
);

builder.mutationField('importCase', (t) =>
  t.field({
    type: ImportCase.type,
    description: 'Stores a case from its document, with secrets masked.',
    args: { input: t.arg({ type: ImportCaseInput, required: true, description: 'The case.' }) },
    resolve: (_root, { input: { document, team } }, { engine, teams, viewer }) => {
      const store = async () =>
        engine.importCase({ document, team: teamOfSender(viewer, team ?? null, teams) }, viewer);
      return orDeclared(store(), ImportCase);
    },
  }),
);

builder.mutationField('deleteCase', (t) =>
  t.field({
    type: DeleteCase.type,
    description: 'Deletes a case with its replays and their sessions.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the case.' }) },
    resolve: (_root, { id }, context) =>
      changeVisible({ result: DeleteCase, type: 'Case', id, context }, async (key) => {
        await context.engine.deleteCase(key, context.viewer);
        return { deletedId: String(id) };
      }),
  }),
);

builder.mutationField('replayCase', (t) =>
  t.field({
    type: ReplayCase.type,
    description: 'Queues replays of a case.',
    args: { input: t.arg({ type: ReplayCaseInput, required: true, description: 'The replays.' }) },
    resolve: (_root, { input }, context) =>
      changeVisible({ result: ReplayCase, type: 'Case', id: input.caseId, context }, async (caseId) => {
        const { llmProvider = null, runs, suite = null } = input;
        const wanted = { caseId, llmProvider, runs: runs ?? 1, suite };
        return { replays: await context.engine.replayCase(wanted, context.viewer) };
      }),
  }),
);
