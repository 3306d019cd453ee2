import type { ScoreRow } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { ScoreStatusEnum } from '../enums.ts';
import {
  ConflictErrorRef,
  ForbiddenErrorRef,
  NotFoundErrorRef,
  resultTypeName,
  ShuttingDownErrorRef,
} from './errors.ts';
import { SessionRef } from './refs.ts';

export const ScoreRef = builder.objectRef<ScoreRow>('Score');
builder.node(ScoreRef, {
  description:
    'What a judging model thinks of an investigation. Never a fact: shown as an opinion, with the model that gave it.',
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'The investigation that is judged.',
      resolve: async ({ sessionId }, _args, { loaders }) => (await loaders.session.load(sessionId))!,
    }),
    status: t.expose('status', { type: ScoreStatusEnum, description: 'How far it is.' }),
    total: t.exposeInt('total', {
      nullable: true,
      description:
        '0 to 100: the mean of the dimensions, within what the outcome allows (below 35: at most 34; 35 to 59: 35 to 59; from 60 on: at least 60). Null until it is there.',
    }),
    dimensions: t.expose('dimensions', {
      type: 'JSON',
      nullable: true,
      description:
        'What it is made of: outcome, evidence, tools, reasoning and completeness, each `{reason, points}` with 0 to 100 points. Null until it is there.',
    }),
    failureTags: t.exposeStringList('failureTags', {
      description:
        'What is wrong with the investigation: premature_conclusion, missed_available_tool, unsupported_confidence, incomplete_evidence, hallucinated_evidence, wrong_conclusion.',
    }),
    analysis: t.exposeString('analysis', {
      nullable: true,
      description: 'The judgement in a few sentences, masked; null until it is there.',
    }),
    toolReport: t.exposeString('toolReport', {
      nullable: true,
      description: 'Which tools were missing or could be better, masked; null when it says nothing of that.',
    }),
    model: t.exposeString('modelName', {
      nullable: true,
      description: 'The model that judges; null before it is asked.',
    }),
    promptHash: t.exposeString('promptHash', {
      nullable: true,
      description:
        'SHA-256 of the words that it is asked with: scores of other words are not to be compared.',
    }),
    requestedBy: t.exposeString('requestedBy', {
      description: 'Who asked for it; `auto` when the configuration did.',
    }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Why there is none, for people; null unless it failed.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended, however it did; null until then.',
    }),
  }),
});

const ScoreSessionSuccess = builder.objectRef<ScoreRow>('ScoreSessionSuccess').implement({
  description: 'The score is asked for; sessionEvents tells when it is there.',
  fields: (t) => ({
    score: t.field({ type: ScoreRef, description: 'The score, which waits.', resolve: (score) => score }),
  }),
});
export const ScoreSessionResult = builder.unionType('ScoreSessionResult', {
  description: 'What became of asking for a score.',
  types: [ScoreSessionSuccess, NotFoundErrorRef, ConflictErrorRef, ShuttingDownErrorRef, ForbiddenErrorRef],
  resolveType: (result) => resultTypeName(result, 'ScoreSessionSuccess'),
});
