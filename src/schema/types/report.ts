import type { AnswerReportRow, StoredCitation } from '../../db/entities/index.ts';
import { builder } from '../builder.ts';
import { CitationStatusEnum, ClaimKindEnum, ClaimStatusEnum, VerdictKindEnum } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { type ClaimView, claimViews, eventKey, type ReportView, recordKey } from '../views.ts';
import { TimelineEventRef } from './refs.ts';
import { TrackRecordRef } from './track-record.ts';

interface CitationView extends StoredCitation {
  sessionId: string;
}

const CitationRef = builder.objectRef<CitationView>('Citation').implement({
  description: 'A quote, and where it is said to stand.',
  fields: (t) => ({
    status: t.expose('status', { type: CitationStatusEnum, description: 'Whether it stands there.' }),
    source: t.string({
      description: 'What is cited: the number of a tool result, such as `T12`; `ALERT` or `RUNBOOK`.',
      resolve: ({ source }) => (typeof source === 'number' ? `T${source}` : source),
    }),
    quote: t.exposeString('quote', { description: 'Word for word, as the model gave it.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why it does not hold, in a sentence; null when it does.',
    }),
    timelineEvent: t.field({
      type: TimelineEventRef,
      nullable: true,
      description: 'The tool call whose output is cited; null when there is no such call.',
      resolve: ({ sessionId, source }, _args, { loaders }) =>
        typeof source === 'number' ? loaders.citedEvent.load(eventKey(sessionId, source)) : null,
    }),
    start: t.exposeInt('start', {
      nullable: true,
      description:
        'Where the quote begins in the `output` of the tool call, or in the alert or runbook, in UTF-16 code units; null when it is not there.',
    }),
    end: t.exposeInt('end', { nullable: true, description: 'Where it ends: the unit after its last.' }),
  }),
});

const ClaimRef = builder.objectRef<ClaimView>('Claim').implement({
  description: 'One statement of a report, with what the server found when it checked it.',
  fields: (t) => ({
    id: t.id({
      description: 'The same for as long as the report lives.',
      resolve: ({ owner, place }) => `${owner}.${place}`,
    }),
    kind: t.expose('kind', { type: ClaimKindEnum, description: 'What it is.' }),
    text: t.exposeString('text', { description: 'What the model says, in a sentence.' }),
    absence: t.exposeBoolean('absence', {
      description: 'Says that something is not there: proven only by a call that looked for it.',
    }),
    status: t.expose('status', { type: ClaimStatusEnum, description: 'How far it is proven.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why it is not SUPPORTED, in sentences; null when nothing is wrong with it.',
    }),
    onlyUntrusted: t.exposeBoolean('onlyUntrusted', {
      description: 'All that it rests on comes from tools that the operator marked as untrusted.',
    }),
    citations: t.field({
      type: [CitationRef],
      extensions: queryCost({ rows: 2 }),
      description: 'What it rests on.',
      resolve: ({ sessionId, citations }) => citations.map((citation) => ({ ...citation, sessionId })),
    }),
  }),
});

export const ReportRef = builder.objectRef<ReportView>('Report').implement({
  description:
    'What an investigation says, in parts that the server checked against what the tools answered.',
  fields: (t) => ({
    verdict: t.expose('verdict', { type: VerdictKindEnum, description: 'What it comes to.' }),
    headline: t.exposeString('headline', { description: 'What is wrong, in one line.' }),
    confidence: t.exposeFloat('confidence', {
      description: 'How sure the cause is: 0 to 1, as the model gave it.',
    }),
    entities: t.stringList({
      description: 'What is affected, such as `Deployment payments/api`.',
      resolve: ({ entities }) => entities,
    }),
    evidenceScore: t.exposeFloat('evidenceScore', {
      nullable: true,
      description: 'Share of causes and observations that are SUPPORTED, 0 to 1; null when there are none.',
    }),
    trackRecord: t.field({
      type: TrackRecordRef,
      extensions: queryCost({ own: 5 }),
      description: 'Of investigations of this alert type and chain whose report had this verdict.',
      resolve: ({ verdict, session }, _args, { loaders }) =>
        loaders.trackRecord.load(recordKey(session.alertType, session.chainId, verdict)),
    }),
    claims: t.field({
      type: [ClaimRef],
      extensions: queryCost({ own: 10 }),
      description: 'What it says, in the order of the model; at most 40.',
      resolve: async ({ sessionId }, _args, { loaders }) =>
        claimViews((await loaders.claimsOfReport.load(sessionId))?.claims ?? [], {
          sessionId,
          owner: sessionId,
        }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

export const AnswerReportRef = builder.objectRef<AnswerReportRow>('AnswerReport').implement({
  description:
    'What the answer to a question says, in parts that the server checked against what the tools answered.',
  fields: (t) => ({
    evidenceScore: t.exposeFloat('evidenceScore', {
      nullable: true,
      description: 'As that of a report.',
    }),
    claims: t.field({
      type: [ClaimRef],
      extensions: queryCost({ own: 10 }),
      description: 'What it says, in the order of the model; advice is no claim. At most 40.',
      resolve: ({ claims, sessionId, stageId }) => claimViews(claims, { sessionId, owner: stageId }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});
