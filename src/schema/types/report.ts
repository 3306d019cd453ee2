import type {
  AnswerReportRow,
  StoredAgreement,
  StoredCitation,
  StoredFact,
} from '../../db/entities/index.ts';
import { objectType } from '../builder.ts';
import { enums } from '../enums.ts';
import { queryCost } from '../query-cost.ts';
import { type ClaimView, claimViews, eventKey, type ReportView, recordKey } from '../views.ts';
import { TimelineEventRef } from './refs.ts';
import { TrackRecordRef } from './track-record.ts';

interface CitationView extends StoredCitation {
  sessionId: string;
}

const CitationRef = objectType<CitationView>('Citation', 'A quote and its claimed source.', (t) => ({
  status: t.expose('status', { type: enums.CitationStatus, description: 'Result of checking the quote.' }),
  source: t.string({
    description: 'Cited source: the number of a tool result, such as `T12`, or `ALERT` or `RUNBOOK`.',
    resolve: ({ source }) => (typeof source === 'number' ? `T${source}` : source),
  }),
  quote: t.exposeString('quote', { description: 'Quote exactly as the model gave it.' }),
  problem: t.exposeString('problem', {
    nullable: true,
    description: 'Why the citation does not hold, in a sentence; null if it holds.',
  }),
  timelineEvent: t.field({
    type: TimelineEventRef,
    nullable: true,
    description: 'Tool call whose output is cited; null if there is none.',
    resolve: ({ sessionId, source }, _args, { loaders }) =>
      typeof source === 'number' ? loaders.citedEvent.load(eventKey(sessionId, source)) : null,
  }),
  start: t.exposeInt('start', {
    nullable: true,
    description:
      'Start of the quote in the `output` of the tool call, or in the alert or runbook, in UTF-16 code units; null if not found.',
  }),
  end: t.exposeInt('end', {
    nullable: true,
    description: 'End of the quote, exclusive, in UTF-16 code units; null if not found.',
  }),
}));

interface FactView extends StoredFact {
  /** Citation of the claim that proves the fact; `null` if the claim has no such citation. */
  cited: CitationView | null;
}

export const ClaimFactRef = objectType<FactView>(
  'ClaimFact',
  'One checked statement of a claim: the subject has this value for the attribute.',
  (t) => ({
    subject: t.exposeString('subject', { description: 'Subject, such as a pod or a metric.' }),
    attribute: t.exposeString('attribute', {
      description: 'Attribute of the subject; `absent` if a call looked for the subject and found nothing.',
    }),
    value: t.exposeString('value', { description: 'Value of the attribute; empty for an absence.' }),
    unit: t.exposeString('unit', {
      nullable: true,
      description: 'Unit of the value; null if the fact has none.',
    }),
    negated: t.exposeBoolean('negated', { description: 'True if the subject does not have the value.' }),
    window: t.exposeString('window', {
      nullable: true,
      description: 'Time range of an absence; null if the fact has none.',
    }),
    filter: t.exposeString('filter', {
      nullable: true,
      description: 'Further condition of an absence, such as a namespace; null if the fact has none.',
    }),
    citation: t.field({
      type: CitationRef,
      nullable: true,
      description: 'Citation of the claim that proves the fact; null if the claim has no such citation.',
      resolve: ({ cited }) => cited,
    }),
    status: t.expose('status', { type: enums.ClaimStatus, description: 'Result of checking the fact.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why the fact does not hold, in a sentence; null if it holds.',
    }),
  }),
);

type Proof = Pick<ClaimView, 'sessionId' | 'citations' | 'facts'>;

/** Returns the facts of a statement, each with the citation that proves it. */
export const factViews = ({ sessionId, citations, facts = [] }: Proof): FactView[] =>
  facts.map((fact) => {
    const citation = citations[fact.citation];
    return { ...fact, cited: citation === undefined ? null : { ...citation, sessionId } };
  });

export const ClaimRef = objectType<ClaimView>(
  'Claim',
  'One statement of a report, with the result of the server’s check.',
  (t) => ({
    id: t.id({
      description: 'Stable while the report exists.',
      resolve: ({ owner, place }) => `${owner}.${place}`,
    }),
    kind: t.expose('kind', { type: enums.ClaimKind, description: 'Kind of the claim.' }),
    text: t.exposeString('text', { description: 'The statement in a sentence, written by the model.' }),
    absence: t.exposeBoolean('absence', {
      description:
        'True if the claim or one of its facts states an absence, which only a call that looked for it can prove.',
    }),
    status: t.expose('status', { type: enums.ClaimStatus, description: 'How well the citations prove it.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why it is not SUPPORTED, in sentences; null if nothing is wrong.',
    }),
    onlyUntrusted: t.exposeBoolean('onlyUntrusted', {
      description: 'True if all its citations come from tools that the operator marked as untrusted.',
    }),
    citations: t.field({
      type: [CitationRef],
      extensions: queryCost({ rows: 2 }),
      description: 'Citations that support the claim.',
      resolve: ({ sessionId, citations }) => citations.map((citation) => ({ ...citation, sessionId })),
    }),
    facts: t.field({
      type: [ClaimFactRef],
      extensions: queryCost({ rows: 3 }),
      description:
        'Checked statements of the claim; none in reports that were stored before claims had facts.',
      resolve: factViews,
    }),
  }),
);

export const AgreementRef = objectType<StoredAgreement>(
  'Agreement',
  'How many runs found the cause that a report names.',
  (t) => ({
    runs: t.exposeInt('runs', {
      description: 'Replicas of the last stage with replicas; of a replay 2, itself and its source.',
    }),
    agreeing: t.exposeInt('agreeing', {
      description:
        'Number of completed replicas with a supported hypothesis that shares a fact with a supported cause; of a replay 2 if its cause shares a fact with that of its source.',
    }),
    cause: t.exposeString('cause', {
      nullable: true,
      description: 'Cause with which most runs agree, written by the model; null if none agrees.',
    }),
  }),
);

export const ReportRef = objectType<ReportView>(
  'Report',
  'Result of an investigation as claims, which the server checked against the tool outputs.',
  (t) => ({
    verdict: t.expose('verdict', {
      type: enums.VerdictKind,
      description: 'Conclusion of the investigation.',
    }),
    headline: t.exposeString('headline', { description: 'The problem in one line.' }),
    confidence: t.exposeFloat('confidence', {
      description:
        'Confidence in the cause, 0–1, as given by the model, at most the share of replicas that agree.',
    }),
    entities: t.exposeStringList('entities', {
      description: 'Affected entities, such as `Deployment payments/api`.',
    }),
    evidenceScore: t.exposeFloat('evidenceScore', {
      nullable: true,
      description: 'Share of causes and observations that are SUPPORTED, 0–1; null if there are none.',
    }),
    agreement: t.field({
      type: AgreementRef,
      nullable: true,
      description:
        'Agreement of replicas on the cause. Null without replicas, if none has a supported hypothesis, or if the report names no cause.',
      resolve: ({ agreement }) => agreement ?? null,
    }),
    trackRecord: t.field({
      type: TrackRecordRef,
      extensions: queryCost({ own: 5 }),
      description: 'Track record of investigations with the same alert type, chain and verdict.',
      resolve: ({ verdict, session }, _args, { loaders }) =>
        loaders.trackRecord.load(recordKey(session.alertType, session.chainId, verdict)),
    }),
    claims: t.field({
      type: [ClaimRef],
      extensions: queryCost({ own: 10 }),
      description: 'Claims in the order of the model; at most 40.',
      resolve: async ({ sessionId }, _args, { loaders }) =>
        claimViews((await loaders.claimsOfReport.load(sessionId))?.claims ?? [], {
          sessionId,
          owner: sessionId,
        }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
  }),
);

export const AnswerReportRef = objectType<AnswerReportRow>(
  'AnswerReport',
  'Answer to a question as claims, which the server checked against the tool outputs.',
  (t) => ({
    evidenceScore: t.exposeFloat('evidenceScore', {
      nullable: true,
      description: 'Share of causes and observations that are SUPPORTED, 0–1; null if there are none.',
    }),
    claims: t.field({
      type: [ClaimRef],
      extensions: queryCost({ own: 10 }),
      description: 'Claims in the order of the model, without advice; at most 40.',
      resolve: ({ claims, sessionId, stageId }) => claimViews(claims, { sessionId, owner: stageId }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
  }),
);
