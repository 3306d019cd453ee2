import { headlineOf } from '../../engine/alert/headline.ts';
import type { Headline, SessionSnapshot } from '../../engine/api/engine.ts';
import { isByRules } from '../../engine/common/by-rules.ts';
import { type EXPORT_FORMATS, exportSession } from '../../engine/features/export/export.ts';
import { builder, nodeType, objectType } from '../builder.ts';
import type { Context } from '../context.ts';
import { described, enums } from '../enums.ts';
import { encodeEventCursor } from '../ids.ts';
import { queryCost } from '../query-cost.ts';
import { queryById } from '../root-fields.ts';
import type { SimilarSession } from '../views.ts';
import { ApprovalRef } from './approval.ts';
import { ConflictErrorRef } from './errors.ts';
import { HypothesisRef } from './hypothesis.ts';
import { InvestigationHealthRef } from './investigation-health.ts';
import { Cost, completedAt, costOf, durationMs, TokenUsage } from './measures.ts';
import { AlertGroupRef, ChatRef, SessionRef, StageRef, TimelineEventRef, TraceRef } from './refs.ts';
import { ReportRef } from './report.ts';
import { ReviewRef, reviewStatusOf } from './review.ts';
import { ScoreRef } from './score.ts';
import { Waiting, waitingOf } from './waiting.ts';

nodeType(SessionRef, 'One investigation of one alert.', (t) => ({
  alertType: t.exposeString('alertType', { description: 'Alert type, which selected the chain.' }),
  alertData: t.string({
    extensions: queryCost({ own: 80 }), // so that a page of 100 sessions may select the field three times
    description: 'The text of the alert as it was sent, masked; up to 1 MiB.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.alertData.load(id)) ?? '',
  }),
  alertPreview: t.string({
    description: 'The first 2,000 characters of alertData, for lists.',
    resolve: async ({ id }, _args, { loaders }) => (await loaders.alertPreview.load(id)) ?? '',
  }),
  title: t.string({
    description: 'Title extracted from the alert: never JSON, at most 200 characters.',
    resolve: async (session, _args, context) => (await headline(session, context)).title,
  }),
  severity: t.field({
    type: enums.Severity,
    description: 'Severity of the alert; for an alert group, its severity when the session was created.',
    resolve: async (session, _args, context) => (await headline(session, context)).severity,
  }),
  entities: t.stringList({
    description:
      'Entities that the alert mentions, such as `Deployment payments/api` or `host db-03`; at most 10.',
    resolve: async (session, _args, context) => (await headline(session, context)).entities,
  }),
  chainId: t.exposeString('chainId', { description: 'Configured name of the chain.' }),
  status: t.expose('status', { type: enums.SessionStatus, description: 'Current status.' }),
  author: t.exposeString('author', {
    description: 'User or token that submitted the alert; `api-client` if unknown.',
  }),
  team: t.exposeString('team', {
    nullable: true,
    description: 'Team of the session, visible only to that team and admins; null if visible to everyone.',
  }),
  runbookUrl: t.exposeString('runbookUrl', {
    nullable: true,
    description: 'URL of the runbook submitted with the alert; null if there was none.',
  }),
  mcpSelection: t.expose('mcpSelection', {
    type: 'JSON',
    nullable: true,
    description: 'MCP servers and tools that the sender chose, as in `McpSelectionInput`; null if none.',
  }),
  slackMessageFingerprint: t.exposeString('slackMessageFingerprint', {
    nullable: true,
    description: 'Text that identifies the Slack message of the alert; null if none was submitted.',
  }),
  queuePosition: t.int({
    nullable: true,
    description:
      'Position among the sessions that wait for a slot, 1–500; null beyond that and for all other sessions.',
    resolve: (session, _args, { loaders }) =>
      session.status === 'PENDING' ? loaders.queuePosition.load(session.id) : null,
  }),
  waitingFor: t.field({
    type: Waiting,
    nullable: true,
    description: 'Why the session waits; null while it runs freely or has ended.',
    resolve: (session, _args, { loaders }) => waitingOf(session, loaders),
  }),
  errorMessage: t.exposeString('errorMessage', {
    nullable: true,
    description: 'Why there is no conclusion, for people; null while running and if completed.',
  }),
  finalAnalysis: t.exposeString('finalAnalysis', {
    nullable: true,
    description:
      'Findings in Markdown; null until the end. If there was no conclusion, what was found by then; null if nothing was.',
  }),
  executiveSummary: t.exposeString('executiveSummary', {
    nullable: true,
    description: 'Summary in a few sentences; null until it exists, or if it failed.',
  }),
  byRules: t.boolean({ description: 'True if the offline rules wrote its report.', resolve: isByRules }),
  executiveSummaryError: t.exposeString('executiveSummaryError', {
    nullable: true,
    description: 'Why the executive summary failed; null if it did not fail.',
  }),
  createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the alert was submitted.' }),
  startedAt: t.expose('startedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'Start time; null while waiting.',
  }),
  completedAt: completedAt(t),
  cancelReason: t.exposeString('cancelReason', {
    nullable: true,
    description: 'Reason that was given for its cancellation; null if there was none.',
  }),
  labels: t.exposeStringList('labels', {
    description: 'Labels of the operator’s vocabulary that its report set; empty until then.',
  }),
  lastInteractionAt: t.expose('lastInteractionAt', {
    type: 'DateTime',
    nullable: true,
    description: 'Last activity; null while waiting.',
  }),
  group: t.field({
    type: AlertGroupRef,
    nullable: true,
    description: 'Alert group under investigation; null if there is none, or for a storm of groups.',
    resolve: ({ groupId }, _args, { loaders }) => (groupId ? loaders.alertGroup.load(groupId) : null),
  }),
  resolvedAt: t.expose('resolvedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the source resolved the problem; null if it has not, or if unknown.',
  }),
  health: t.field({
    type: InvestigationHealthRef,
    extensions: queryCost({ own: 20 }), // reads all calls of the session
    description: 'Problems that made the investigation incomplete.',
    resolve: ({ id }, _args, { loaders }) => loaders.healthOfSession.load(id),
  }),
  report: t.field({
    type: ReportRef,
    nullable: true,
    description: 'Report with checked claims; null until it exists, or if the model gave none.',
    resolve: async (session, _args, { loaders }) => {
      const report = session.verdict == null ? null : await loaders.reportOfSession.load(session.id);
      return report && { ...report, session };
    },
  }),
  hypotheses: t.field({
    type: [HypothesisRef],
    extensions: queryCost({ own: 5, rows: 5 }),
    description: 'Possible causes that the agents examine, oldest first; at most 100.',
    resolve: ({ id }, _args, { loaders }) => loaders.hypothesesOfSession.load(id),
  }),
  review: t.field({
    type: ReviewRef,
    nullable: true,
    description: 'Human review; null while running and if cancelled.',
    resolve: (session) => (reviewStatusOf(session) ? session : null),
  }),
  latestScore: t.field({
    type: ScoreRef,
    nullable: true,
    description: 'Newest score; null if none was requested.',
    resolve: ({ id }, _args, { loaders }) => loaders.latestScore.load(id),
  }),
  scores: t.field({
    type: [ScoreRef],
    extensions: queryCost({ own: 5, rows: 1 }),
    description: 'All scores, newest first; at most 100.',
    resolve: ({ id }, _args, { loaders }) => loaders.scoresOfSession.load(id),
  }),
  durationMs: durationMs(t),
  currentStage: t.field({
    type: StageRef,
    nullable: true,
    description: 'Stage that started last; null before the first.',
    resolve: ({ currentStageId }, _args, { loaders }) =>
      currentStageId ? loaders.stage.load(currentStageId) : null,
  }),
  stages: t.field({
    type: [StageRef],
    extensions: queryCost({ rows: 4 }),
    description: 'Stages started so far, by index.',
    resolve: ({ id }, _args, { loaders }) => loaders.stagesOfSession.load(id),
  }),
  timeline: t.field({
    type: [TimelineEventRef],
    extensions: queryCost({ rows: 100 }),
    description: 'Timeline events, by sequenceNumber.',
    args: {
      afterSequence: t.arg.int({ description: 'Only events with a greater sequenceNumber. Default: all.' }),
      types: t.arg({
        type: [enums.TimelineEventType],
        description: 'Only events of these types. Default: all.',
      }),
    },
    resolve: ({ id }, { afterSequence, types }, { loaders }) =>
      loaders.timelineOfSession({ afterSequence: afterSequence ?? 0, types: types ?? null }).load(id),
  }),
  trace: t.field({
    type: TraceRef,
    description: 'All exchanges with models and tools. This can be large; read the details one by one.',
    resolve: (session) => session,
  }),
  eventCursor: t.string({
    description:
      'Cursor of the newest event included in this response. Subscribe to sessionEvents after it to miss nothing.',
    resolve: ({ lastEventSeq }) => encodeEventCursor(lastEventSeq),
  }),
  chatRefusal: t.field({
    type: ConflictErrorRef,
    nullable: true,
    description: 'Why no question can be asked; null if one can, as soon as no other is being answered.',
    resolve: (session, _args, { engine }) => {
      const declared = engine.chatRefusal(session);
      return declared && { declared };
    },
  }),
  chat: t.field({
    type: ChatRef,
    nullable: true,
    description: 'Questions about the investigation; null before the first.',
    resolve: ({ id }, _args, { loaders }) => loaders.chatOfSession.load(id),
  }),
  approvals: t.field({
    type: [ApprovalRef],
    extensions: queryCost({ rows: 1 }),
    description: 'Tool calls that needed approval, oldest first.',
    resolve: ({ id }, _args, { loaders }) => loaders.approvalsOfSession.load(id),
  }),
  cost: t.field({
    type: Cost,
    description: 'Cost of its model calls, including questions.',
    resolve: (session, _args, { loaders }) => costOf(session, loaders.costOfSession),
  }),
  similar: t.field({
    type: [SimilarSessionRef],
    extensions: queryCost({ own: 20 }), // compares hundreds of sessions
    description: 'Similar sessions with an analysis, best match first; at most 5.',
    resolve: ({ id }, _args, { loaders }) => loaders.similarSessions.load(id),
  }),
  tokenUsage: t.field({
    type: TokenUsage,
    resolve: (session) => session,
    description: 'Sum over its model calls, including questions.',
  }),
}));

/** Returns the stored headline. For older sessions without one, returns a headline from the start of the alert. */
async function headline(
  { id, title, severity, entities }: SessionSnapshot,
  { loaders }: Pick<Context, 'loaders'>,
): Promise<Headline> {
  if (title == null) return headlineOf((await loaders.alertPreview.load(id)) ?? '');
  return { title, severity: severity ?? 'UNKNOWN', entities: entities ?? [] };
}

const ExportFormatEnum = builder.enumType('ExportFormat', {
  description: 'Format of an exported session.',
  values: described<typeof EXPORT_FORMATS>({
    MARKDOWN: 'Markdown with report, quotes, analysis, alert, tool calls, questions and review.',
    JSON: 'The same content and tool results as JSON; docs/reference/reports.md describes the format.',
    POSTMORTEM:
      'Markdown draft of a postmortem from the stored data: times, impact, causes with evidence, follow-ups.',
  }),
});

builder.objectField(SessionRef, 'export', (t) =>
  t.string({
    extensions: queryCost({ own: 200 }), // reads everything stored about the session
    description:
      'The session as one text of at most 4 MiB. The same session gives the same text. Foreign text contains no active links, images or HTML.',
    args: { format: t.arg({ type: ExportFormatEnum, required: true, description: 'Format of the text.' }) },
    resolve: async (session, { format }, { reads, dashboardUrl }) =>
      exportSession(await reads.sessionExport(session), format, dashboardUrl),
  }),
);

const SimilarSessionRef = objectType<SimilarSession>(
  'SimilarSession',
  'A session that ended, with its similarity to another session.',
  (t) => ({
    session: t.field({
      type: SessionRef,
      description: 'The similar session.',
      resolve: async ({ sessionId }, _args, { loaders }) => (await loaders.session.load(sessionId))!,
    }),
    similarity: t.exposeFloat('similarity', { description: 'Degree of similarity, 0–1.' }),
    reason: t.exposeString('reason', { description: 'Common properties of both sessions, for people.' }),
  }),
);

queryById('session', SessionRef, 'One session');
