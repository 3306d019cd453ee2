import { ConflictError, NotFoundError, ShuttingDownError } from '../../common/errors.ts';
import type { ScoreRow } from '../../db/entities/index.ts';
import { builder, nodeType } from '../builder.ts';
import { enums } from '../enums.ts';
import { changeVisible } from '../root-fields.ts';
import { mutationResult } from './errors.ts';
import { completedAt, errorMessage } from './measures.ts';
import { SessionRef } from './refs.ts';

export const ScoreRef = builder.objectRef<ScoreRow>('Score');
nodeType(
  ScoreRef,
  'A model’s opinion of an investigation, always shown with the model that gave it.',
  (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'The scored investigation.',
      resolve: async ({ sessionId }, _args, { loaders }) => (await loaders.session.load(sessionId))!,
    }),
    status: t.expose('status', { type: enums.ScoreStatus, description: 'Current status.' }),
    total: t.exposeInt('total', {
      nullable: true,
      description:
        '0–100: the mean of the dimensions, within the range that the outcome allows (below 35: at most 34; 35 to 59: 35 to 59; from 60: at least 60). Null until completed.',
    }),
    dimensions: t.expose('dimensions', {
      type: 'JSON',
      nullable: true,
      description:
        'Scores for outcome, evidence, tools, reasoning and completeness, each `{reason, points}` with 0–100 points. Null until completed.',
    }),
    failureTags: t.exposeStringList('failureTags', {
      description:
        'Flaws of the investigation: premature_conclusion, missed_available_tool, unsupported_confidence, incomplete_evidence, hallucinated_evidence, wrong_conclusion.',
    }),
    analysis: t.exposeString('analysis', {
      nullable: true,
      description: 'Assessment in a few sentences, masked; null until completed.',
    }),
    toolReport: t.exposeString('toolReport', {
      nullable: true,
      description: 'Missing tools and possible improvements of tools, masked; null if there are none.',
    }),
    model: t.exposeString('modelName', {
      nullable: true,
      description: 'The scoring model; null before it is called.',
    }),
    promptHash: t.exposeString('promptHash', {
      nullable: true,
      description: 'SHA-256 of the prompt. Scores of different prompts are not comparable.',
    }),
    requestedBy: t.exposeString('requestedBy', {
      description: 'User who requested it, or `auto` if the configuration did.',
    }),
    errorMessage: errorMessage(t),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was requested.' }),
    completedAt: completedAt(t),
  }),
);

const ScoreSession = mutationResult('ScoreSession', [NotFoundError, ConflictError, ShuttingDownError], {
  description: 'The score is requested; sessionEvents reports its completion.',
  field: { score: { type: ScoreRef, description: 'The pending score.' } },
});

builder.mutationField('scoreSession', (t) =>
  t.field({
    type: ScoreSession.type,
    description:
      'Requests a score of an investigation that has ended, even if scoring is not automatic. Earlier scores stay.',
    args: { id: t.arg.id({ required: true, description: 'Global id or UUID of the session.' }) },
    resolve: (_root, { id }, context) =>
      changeVisible({ result: ScoreSession, type: 'Session', id, context }, (key) =>
        context.engine.scoreSession(key, context.viewer),
      ),
  }),
);
