import { builder } from '../builder.ts';
import { encodeEventCursor } from '../cursors.ts';
import { SessionStatus, TimelineEventType } from '../enums.ts';
import { durationMs } from './duration.ts';
import { ConflictErrorRef } from './errors.ts';
import { ChatRef, SessionRef, StageRef, TimelineEventRef, TraceRef } from './refs.ts';
import { TokenUsage } from './token-usage.ts';

builder.node(SessionRef, {
  id: { resolve: (session) => session.id },
  fields: (t) => ({
    alertType: t.exposeString('alertType'),
    alertData: t.string({
      description: 'Opaque text, masked.',
      resolve: async ({ id }, _args, { loaders }) => (await loaders.alertData.load(id)) ?? '',
    }),
    alertPreview: t.string({
      description: 'The first 2,000 characters of alertData, for lists.',
      resolve: async ({ id }, _args, { loaders }) => (await loaders.alertPreview.load(id)) ?? '',
    }),
    chainId: t.exposeString('chainId'),
    status: t.expose('status', { type: SessionStatus }),
    author: t.exposeString('author'),
    runbookUrl: t.exposeString('runbookUrl', { nullable: true }),
    mcpSelection: t.expose('mcpSelection', { type: 'JSON', nullable: true }),
    slackMessageFingerprint: t.exposeString('slackMessageFingerprint', { nullable: true }),
    queuePosition: t.int({
      nullable: true,
      description: '1-based while PENDING, else null.',
      resolve: (session, _args, { loaders }) =>
        session.status === 'PENDING' ? loaders.queuePosition.load(session.id) : null,
    }),
    errorMessage: t.exposeString('errorMessage', { nullable: true }),
    finalAnalysis: t.exposeString('finalAnalysis', { nullable: true }),
    executiveSummary: t.exposeString('executiveSummary', { nullable: true }),
    executiveSummaryError: t.exposeString('executiveSummaryError', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true }),
    lastInteractionAt: t.expose('lastInteractionAt', { type: 'DateTime', nullable: true }),
    durationMs: durationMs(t),
    currentStage: t.field({
      type: StageRef,
      nullable: true,
      resolve: ({ currentStageId }, _args, { loaders }) =>
        currentStageId ? loaders.stage.load(currentStageId) : null,
    }),
    stages: t.field({
      type: [StageRef],
      description: 'By index.',
      resolve: ({ id }, _args, { loaders }) => loaders.stagesOfSession.load(id),
    }),
    timeline: t.field({
      type: [TimelineEventRef],
      description: 'By sequenceNumber, session-wide; of these types only, when given.',
      args: { afterSequence: t.arg.int(), types: t.arg({ type: [TimelineEventType] }) },
      resolve: ({ id }, { afterSequence, types }, { loaders }) =>
        loaders.timelineOfSession({ afterSequence: afterSequence ?? 0, types: types ?? null }).load(id),
    }),
    trace: t.field({ type: TraceRef, resolve: (session) => session }),
    eventCursor: t.string({
      description:
        'Of the newest event that this answer shows. Read the session, then subscribe to sessionEvents after it: nothing is missed.',
      resolve: ({ lastEventSeq }) => encodeEventCursor(lastEventSeq),
    }),
    chatRefusal: t.field({
      type: ConflictErrorRef,
      nullable: true,
      description:
        'Why no question can be asked about it; null when one can, once no other is being answered.',
      resolve: (session, _args, { engine }) => {
        const declared = engine.chatRefusal(session);
        return declared && { declared };
      },
    }),
    chat: t.field({
      type: ChatRef,
      nullable: true,
      resolve: ({ id }, _args, { loaders }) => loaders.chatOfSession.load(id),
    }),
    tokenUsage: t.field({ type: TokenUsage, resolve: (session) => session }),
  }),
});
