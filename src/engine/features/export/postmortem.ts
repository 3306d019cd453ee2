import { beginning } from '../../../common/truncate.ts';
import {
  claimLine,
  formatDuration,
  formatTime,
  type LinkedClaim,
  linkClaims,
  NOT_KNOWN,
  proofLines,
  RATINGS,
  section,
  severityWords,
  statusWords,
  TO_FILL_IN,
  VERDICTS,
} from './format.ts';
import { inline, quotation } from './markdown-text.ts';
import type { ExportSource } from './source.ts';

const MAX_MOMENTS = 200;
const MAX_SUMMARY = 20_000;

/** Returns a draft with the stored facts; responders fill in the rest. The same session always gives the same draft. */
export function postmortem(source: ExportSource, page: string): string {
  const { session, title, report } = source;
  const claims = linkClaims(report?.claims ?? [], page);
  const ofKind = (wanted: LinkedClaim['kind']) => claims.filter(({ kind }) => kind === wanted);
  const claimList = (kind: LinkedClaim['kind']) => {
    const lines = ofKind(kind).flatMap((claim) => [`- ${claimLine(claim)}`, ...proofLines(claim)]);
    return lines.length === 0 ? [NOT_KNOWN] : lines;
  };
  return [
    `# Postmortem: ${inline(title)}`,
    '',
    `- **Status:** draft, made from [investigation ${session.id}](${page})`,
    `- **Date:** ${formatTime(problemStart(source)).slice(0, 10)}`,
    `- **Authors:** ${TO_FILL_IN}`,
    `- **Severity:** ${severityWords(session.severity)}`,
    '',
    'Marks: ✓ the quotes of the claim stand in what tools answered, ◐ they show a part of it, ✗ they do not. None says that it is true.',
    ...section('## Summary', summary(source)),
    ...section('## Impact', impact(source)),
    ...section('## Timeline', timelineLines(source)),
    ...section('## Root cause', claimList('CAUSE')),
    ...section('## Trigger', [TO_FILL_IN]),
    ...section('## What was seen', claimList('OBSERVATION')),
    ...section('## What it was not', claimList('RULED_OUT')),
    ...section('## Detection', [detection(source)]),
    ...section(
      '## What was done',
      session.actionTaken == null ? [TO_FILL_IN] : quotation(session.actionTaken),
    ),
    ...section('## Follow-ups', followUps(ofKind('RECOMMENDATION'), ofKind('GAP'))),
    ...section('## Lessons', [
      `- **What went well:** ${TO_FILL_IN}`,
      `- **What went wrong:** ${TO_FILL_IN}`,
      `- **Where we were lucky:** ${TO_FILL_IN}`,
    ]),
    ...(session.feedback == null
      ? []
      : ['', 'What the review said of the investigation:', '', ...quotation(session.feedback)]),
    '',
  ].join('\n');
}

/** Returns the earliest of the alerts' starts and the session's creation. */
function problemStart({ session, alerts }: ExportSource): Date {
  return alerts.map(({ startsAt }) => startsAt).reduce((a, b) => (a < b ? a : b), session.createdAt);
}

function summary({ session, report }: ExportSource): string[] {
  const { executiveSummary, errorMessage } = session;
  const head = report === null ? [] : [`**${VERDICTS[report.verdict]}:** ${inline(report.headline)}`, ''];
  if (executiveSummary != null) return [...head, ...quotation(beginning(executiveSummary, MAX_SUMMARY))];
  if (report !== null) return head.slice(0, 1);
  return [errorMessage == null ? NOT_KNOWN : `The investigation came to nothing: ${inline(errorMessage)}`];
}

function impact(source: ExportSource): string[] {
  const { session, report, alerts } = source;
  const affected = report?.entities.length ? report.entities : (session.entities ?? []);
  const begin = problemStart(source);
  const duration = session.resolvedAt
    ? `${formatTime(begin)} to ${formatTime(session.resolvedAt)} (${formatDuration(begin, session.resolvedAt)})`
    : `from ${formatTime(begin)}; nothing told that it is over`;
  return [
    `- **Affected:** ${affected.length === 0 ? NOT_KNOWN : affected.map(inline).join(', ')}`,
    `- **Duration:** ${duration}`,
    ...(alerts.length === 0 ? [] : [`- **Alerts:** ${alerts.length}`]),
    `- **Users affected, and how:** ${TO_FILL_IN}`,
  ];
}

type Moment = { at: Date; words: string };

function timelineLines(source: ExportSource): string[] {
  const all = [...alertMoments(source), ...investigationMoments(source), ...responderMoments(source)].sort(
    (a, b) => a.at.getTime() - b.at.getTime(),
  );
  const lines = all.slice(0, MAX_MOMENTS).map(({ at, words }) => `- ${formatTime(at)}: ${words}`);
  return all.length > MAX_MOMENTS ? [...lines, `- … and ${all.length - MAX_MOMENTS} moments more`] : lines;
}

function alertMoments({ session, alerts, decisions }: ExportSource): Moment[] {
  return [
    ...alerts.flatMap(({ startsAt, endsAt, title, severity }) => [
      { at: startsAt, words: `alert fires: ${inline(title)} (${severityWords(severity)})` },
      ...(endsAt == null ? [] : [{ at: endsAt, words: `alert is over: ${inline(title)}` }]),
    ]),
    ...decisions.map(({ at, outcome, reason }) => ({
      at,
      words: `delivery ${statusWords(outcome)}: ${inline(reason)}`,
    })),
    ...(session.resolvedAt == null
      ? []
      : [{ at: session.resolvedAt, words: 'the source tells that the problem is over' }]),
  ];
}

function investigationMoments({ session, report }: ExportSource): Moment[] {
  const { createdAt, startedAt, completedAt, status, author } = session;
  return [
    { at: createdAt, words: `TARSy takes the alert from ${inline(author)}` },
    ...(startedAt == null ? [] : [{ at: startedAt, words: 'the investigation begins' }]),
    ...(report === null
      ? []
      : [{ at: report.createdAt, words: `its report: ${VERDICTS[report.verdict].toLowerCase()}` }]),
    ...(completedAt == null
      ? []
      : [{ at: completedAt, words: `the investigation ends: ${statusWords(status)}` }]),
  ];
}

function responderMoments({ session, reviews, events }: ExportSource): Moment[] {
  const rated = session.rating == null ? '' : `, rated ${RATINGS[session.rating]}`;
  return [
    ...events
      .filter(({ type }) => type === 'USER_QUESTION')
      .map(({ at, text, metadata }) => ({
        at,
        words: `${inline(String(metadata?.author ?? 'somebody'))} asks: ${inline(text.text.slice(0, 200))}`,
      })),
    ...reviews.map(({ at, actor, action }) => ({
      at,
      words: `review: ${inline(actor)}, ${statusWords(action)}${action === 'COMPLETE' ? rated : ''}`,
    })),
  ];
}

function detection({ session, alerts }: ExportSource): string {
  const [first] = alerts;
  if (!first) return `Submitted by ${inline(session.author)} at ${formatTime(session.createdAt)}.`;
  const later = formatDuration(first.startsAt, first.firstReceivedAt);
  return `By ${inline(first.source)}: fired at ${formatTime(first.startsAt)}, told ${later} later.`;
}

function followUps(recommendations: readonly LinkedClaim[], gaps: readonly LinkedClaim[]): string[] {
  const owner = `(owner: ${TO_FILL_IN}, ticket: ${TO_FILL_IN})`;
  const lines = [
    ...recommendations.map(({ text }) => `- [ ] ${inline(text)} ${owner}`),
    ...gaps.map(({ text }) => `- [ ] Find out: ${inline(text)} ${owner}`),
  ];
  return lines.length === 0 ? [`- [ ] ${TO_FILL_IN}`] : lines;
}
