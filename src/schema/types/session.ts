import { headlineOf } from '../../engine/alert/headline.ts';
import type { Headline, SessionSnapshot } from '../../engine/api/engine.ts';
import { type EXPORT_FORMATS, exportSession } from '../../engine/features/export/export.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { encodeEventCursor } from '../cursors.ts';
import { described } from '../described.ts';
import { SessionStatusEnum, SeverityEnum, TimelineEventTypeEnum } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import type { SimilarSession } from '../views.ts';
import { ApprovalRef } from './approval.ts';
import { ConflictErrorRef, ForbiddenErrorRef, NotFoundErrorRef, resultTypeName } from './errors.ts';
import { InvestigationHealthRef } from './investigation-health.ts';
import { Cost, costOf, durationMs, TokenUsage } from './measures.ts';
import { AlertGroupRef, ChatRef, SessionRef, StageRef, TimelineEventRef, TraceRef } from './refs.ts';
import { ReportRef } from './report.ts';
import { ReviewRef, reviewStatusOf } from './review.ts';
import { ScoreRef } from './score.ts';

builder.node(SessionRef, {
  description: 'One investigation of one alert.',
  id: { resolve: (session) => session.id },
  fields: (t) => ({
    alertType: t.exposeString('alertType', { description: 'The alert type that its chain was chosen by.' }),
    alertData: t.string({
      extensions: queryCost({ own: 80 }), // four of each of a page are too much
      description: 'The text of the alert as it was sent, masked; up to 1 MiB.',
      resolve: async ({ id }, _args, { loaders }) => (await loaders.alertData.load(id)) ?? '',
    }),
    alertPreview: t.string({
      description: 'The first 2,000 characters of alertData, for lists.',
      resolve: async ({ id }, _args, { loaders }) => (await loaders.alertPreview.load(id)) ?? '',
    }),
    title: t.string({
      description: 'What the alert is about, read from it once: never JSON, at most 200 characters.',
      resolve: async (session, _args, context) => (await headline(session, context)).title,
    }),
    severity: t.field({
      type: SeverityEnum,
      description:
        'How bad the alert says that it is; of a group, as it was when the investigation was made.',
      resolve: async (session, _args, context) => (await headline(session, context)).severity,
    }),
    entities: t.stringList({
      description: 'What the alert speaks of, such as `Deployment payments/api` or `host db-03`; at most 10.',
      resolve: async (session, _args, context) => (await headline(session, context)).entities,
    }),
    chainId: t.exposeString('chainId', {
      description: 'Name of the chain in the configuration that investigates it.',
    }),
    status: t.expose('status', { type: SessionStatusEnum, description: 'How far it is.' }),
    author: t.exposeString('author', {
      description: 'Who submitted the alert, as the proxy names them; `api-client` when nobody does.',
    }),
    team: t.exposeString('team', {
      nullable: true,
      description: 'Whose it is: with others, their team and admins alone see it; null: everybody does.',
    }),
    runbookUrl: t.exposeString('runbookUrl', {
      nullable: true,
      description: 'Address of the runbook that was sent with the alert; null when none was.',
    }),
    mcpSelection: t.expose('mcpSelection', {
      type: 'JSON',
      nullable: true,
      description: 'The MCP servers and tools that the sender chose, as `McpSelectionInput`; null when none.',
    }),
    slackMessageFingerprint: t.exposeString('slackMessageFingerprint', {
      nullable: true,
      description: 'Text by which the Slack message of the alert is found; null when none was sent.',
    }),
    queuePosition: t.int({
      nullable: true,
      description:
        'While PENDING: its place in the queue, from 1 to 500; null beyond that. Null in every other status.',
      resolve: (session, _args, { loaders }) =>
        session.status === 'PENDING' ? loaders.queuePosition.load(session.id) : null,
    }),
    errorMessage: t.exposeString('errorMessage', {
      nullable: true,
      description: 'Why it has no analysis, for people; null while it runs and when it completed.',
    }),
    finalAnalysis: t.exposeString('finalAnalysis', {
      nullable: true,
      description: 'What the investigation found, in Markdown; null until it completed.',
    }),
    executiveSummary: t.exposeString('executiveSummary', {
      nullable: true,
      description: 'The analysis in a few sentences; null until there is one, or when it failed.',
    }),
    executiveSummaryError: t.exposeString('executiveSummaryError', {
      nullable: true,
      description: 'Why there is no executive summary; null unless it failed.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the alert was submitted.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the investigation began; null while it waits.',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended, however it did; null until then.',
    }),
    lastInteractionAt: t.expose('lastInteractionAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When something was last done for it; null while it waits.',
    }),
    group: t.field({
      type: AlertGroupRef,
      nullable: true,
      description:
        'The alerts of a monitoring system that it is about; null when it is about none, or about a storm of them.',
      resolve: ({ groupId }, _args, { loaders }) => (groupId ? loaders.alertGroup.load(groupId) : null),
    }),
    resolvedAt: t.expose('resolvedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the source said that the problem is over; null while it is not, or when nothing tells.',
    }),
    health: t.field({
      type: InvestigationHealthRef,
      extensions: queryCost({ own: 20 }), // it looks at all exchanges of the session
      description: 'What kept it from being whole.',
      resolve: ({ id }, _args, { loaders }) => loaders.healthOfSession.load(id),
    }),
    report: t.field({
      type: ReportRef,
      nullable: true,
      description:
        'What it says, in parts that were checked; null while there is none, or when the model gave none.',
      resolve: async (session, _args, { loaders }) => {
        const report = session.verdict == null ? null : await loaders.reportOfSession.load(session.id);
        return report && { ...report, session };
      },
    }),
    review: t.field({
      type: ReviewRef,
      nullable: true,
      description: 'What people say of it; null while it runs, and when it was cancelled.',
      resolve: (session) => (reviewStatusOf(session) ? session : null),
    }),
    latestScore: t.field({
      type: ScoreRef,
      nullable: true,
      description: 'What a judging model thinks of it, the newest; null when none was asked.',
      resolve: ({ id }, _args, { loaders }) => loaders.latestScore.load(id),
    }),
    scores: t.field({
      type: [ScoreRef],
      extensions: queryCost({ own: 5, rows: 1 }),
      description: 'All that judging models were asked about it, newest first, at most 100.',
      resolve: ({ id }, _args, { loaders }) => loaders.scoresOfSession.load(id),
    }),
    durationMs: durationMs(t),
    currentStage: t.field({
      type: StageRef,
      nullable: true,
      description: 'The stage that was begun last; null before the first.',
      resolve: ({ currentStageId }, _args, { loaders }) =>
        currentStageId ? loaders.stage.load(currentStageId) : null,
    }),
    stages: t.field({
      type: [StageRef],
      extensions: queryCost({ rows: 4 }),
      description: 'The stages begun so far, by index.',
      resolve: ({ id }, _args, { loaders }) => loaders.stagesOfSession.load(id),
    }),
    timeline: t.field({
      type: [TimelineEventRef],
      extensions: queryCost({ rows: 100 }),
      description: 'What happened in the investigation, by sequenceNumber.',
      args: {
        afterSequence: t.arg.int({ description: 'Only those with a greater sequenceNumber. Default: all.' }),
        types: t.arg({
          type: [TimelineEventTypeEnum],
          description: 'Only those of these types. Default: all.',
        }),
      },
      resolve: ({ id }, { afterSequence, types }, { loaders }) =>
        loaders.timelineOfSession({ afterSequence: afterSequence ?? 0, types: types ?? null }).load(id),
    }),
    trace: t.field({
      type: TraceRef,
      description: 'Every exchange with models and tools. Large: read details one by one.',
      resolve: (session) => session,
    }),
    eventCursor: t.string({
      description:
        'Cursor of the newest event that this answer shows. Read the session, then subscribe to sessionEvents after it: nothing is missed.',
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
      description: 'The questions about it; null before the first.',
      resolve: ({ id }, _args, { loaders }) => loaders.chatOfSession.load(id),
    }),
    approvals: t.field({
      type: [ApprovalRef],
      extensions: queryCost({ rows: 1 }),
      description: 'Calls about which people were asked, oldest first.',
      resolve: ({ id }, _args, { loaders }) => loaders.approvalsOfSession.load(id),
    }),
    cost: t.field({
      type: Cost,
      description: 'What its calls of models cost, questions included.',
      resolve: (session, _args, { loaders }) => costOf(session, loaders.costOfSession),
    }),
    similar: t.field({
      type: [SimilarSessionRef],
      extensions: queryCost({ own: 20 }), // hundreds are compared
      description: 'Sessions with an analysis that are like it, best first, at most 5.',
      resolve: ({ id }, _args, { loaders }) => loaders.similarSessions.load(id),
    }),
    tokenUsage: t.field({
      type: TokenUsage,
      resolve: (session) => session,
      description: 'Sum over its calls of models, questions included.',
    }),
  }),
});

/** As it was read when the alert came; of what was stored before that was done, as its beginning says. */
async function headline(
  { id, title, severity, entities }: SessionSnapshot,
  { loaders }: Pick<Context, 'loaders'>,
): Promise<Headline> {
  if (title == null) return headlineOf((await loaders.alertPreview.load(id)) ?? '');
  return { title, severity: severity ?? 'UNKNOWN', entities: entities ?? [] };
}

const ExportFormatEnum = builder.enumType('ExportFormat', {
  description: 'What a session can be written as.',
  values: described<typeof EXPORT_FORMATS>({
    MARKDOWN: 'Markdown: report with quotes, analysis, alert, tool calls, questions and review.',
    JSON: 'JSON: the same for programs, with results; docs/reports.md says its form.',
    POSTMORTEM:
      'Markdown: the draft of a postmortem, of what is stored: times, impact, causes with what proves them, follow-ups.',
  }),
});

builder.objectField(SessionRef, 'export', (t) =>
  t.string({
    extensions: queryCost({ own: 200 }), // all that is stored of it
    description:
      'It as one text, at most 4 MiB: the same session gives the same text. Texts of others lead nowhere in it: no links, images or HTML.',
    args: { format: t.arg({ type: ExportFormatEnum, required: true, description: 'What to write.' }) },
    resolve: async (session, { format }, { reads, dashboardUrl }) =>
      exportSession(await reads.sessionExport(session), format, dashboardUrl),
  }),
);

export const SimilarSessionRef = builder.objectRef<SimilarSession>('SimilarSession').implement({
  description: 'A session that ended, and how like another it is.',
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'The session.',
      resolve: async ({ sessionId }, _args, { loaders }) => (await loaders.session.load(sessionId))!,
    }),
    similarity: t.exposeFloat('similarity', { description: '0 to 1.' }),
    reason: t.exposeString('reason', { description: 'What they have in common, for people.' }),
  }),
});

const CancelSessionSuccess = builder.objectRef<SessionSnapshot>('CancelSessionSuccess').implement({
  description: 'The session was cancelled, or is being stopped.',
  fields: (t) => ({
    session: t.field({
      type: SessionRef,
      description:
        'The session as it is now: CANCELLED, or CANCELLING while its work is stopped; unchanged when an answer was cancelled.',
      resolve: (session) => session,
    }),
  }),
});

export const CancelSessionResult = builder.unionType('CancelSessionResult', {
  description: 'What became of a cancellation.',
  types: [CancelSessionSuccess, NotFoundErrorRef, ConflictErrorRef, ForbiddenErrorRef],
  resolveType: (result) => resultTypeName(result, 'CancelSessionSuccess'),
});
