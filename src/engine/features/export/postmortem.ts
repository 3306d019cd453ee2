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
    `- **Status:** draft, generated from [investigation ${session.id}](${page})`,
    `- **Date:** ${formatTime(problemStart(source)).slice(0, 10)}`,
    `- **Authors:** ${TO_FILL_IN}`,
    `- **Severity:** ${severityWords(session.severity)}`,
    '',
    'Marks: ✓ tool outputs support the claim, ◐ tool outputs support part of it, ✗ tool outputs do not support it. A supported claim can still be wrong.',
    ...section('## Summary', summary(source)),
    ...section('## Impact', impact(source)),
    ...section('## Timeline', timelineLines(source)),
    ...section('## Root cause', claimList('CAUSE')),
    ...section('## Trigger', [TO_FILL_IN]),
    ...section('## Observations', claimList('OBSERVATION')),
    ...section('## Ruled out', claimList('RULED_OUT')),
    ...section('## Detection', [detection(source)]),
    ...section('## Resolution', session.actionTaken == null ? [TO_FILL_IN] : quotation(session.actionTaken)),
    ...section('## Follow-ups', followUps(ofKind('RECOMMENDATION'), ofKind('GAP'))),
    ...section('## Lessons', [
      `- **What went well:** ${TO_FILL_IN}`,
      `- **What went wrong:** ${TO_FILL_IN}`,
      `- **Where we were lucky:** ${TO_FILL_IN}`,
    ]),
    ...(session.feedback == null ? [] : ['', 'Reviewer’s comment:', '', ...quotation(session.feedback)]),
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
  if (session.status === 'CANCELLED') {
    const reason = session.cancelReason ?? errorMessage;
    return [`The investigation was cancelled${reason == null ? '.' : `: ${inline(reason)}`}`];
  }
  return [errorMessage == null ? NOT_KNOWN : `The investigation failed: ${inline(errorMessage)}`];
}

function impact(source: ExportSource): string[] {
  const { session, report, alerts } = source;
  const affected = report?.entities.length ? report.entities : (session.entities ?? []);
  const begin = problemStart(source);
  const duration = session.resolvedAt
    ? `${formatTime(begin)} to ${formatTime(session.resolvedAt)} (${formatDuration(begin, session.resolvedAt)})`
    : `from ${formatTime(begin)}; not resolved yet`;
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
  return all.length > MAX_MOMENTS ? [...lines, `- … and ${all.length - MAX_MOMENTS} more entries`] : lines;
}

function alertMoments({ session, alerts, decisions }: ExportSource): Moment[] {
  return [
    ...alerts.flatMap(({ startsAt, endsAt, title, severity }) => [
      { at: startsAt, words: `alert fired: ${inline(title)} (${severityWords(severity)})` },
      ...(endsAt == null ? [] : [{ at: endsAt, words: `alert resolved: ${inline(title)}` }]),
    ]),
    ...decisions.map(({ at, outcome, reason }) => ({
      at,
      words: `delivery ${statusWords(outcome)}: ${inline(reason)}`,
    })),
    ...(session.resolvedAt == null
      ? []
      : [{ at: session.resolvedAt, words: 'the source reported the problem as resolved' }]),
  ];
}

function investigationMoments({ session, report }: ExportSource): Moment[] {
  const { createdAt, startedAt, completedAt, status, author } = session;
  return [
    { at: createdAt, words: `TARSy received the alert from ${inline(author)}` },
    ...(startedAt == null ? [] : [{ at: startedAt, words: 'investigation started' }]),
    ...(report === null
      ? []
      : [{ at: report.createdAt, words: `report: ${VERDICTS[report.verdict].toLowerCase()}` }]),
    ...(completedAt == null
      ? []
      : [{ at: completedAt, words: `investigation ended: ${statusWords(status)}` }]),
  ];
}

function responderMoments({ session, reviews, events }: ExportSource): Moment[] {
  const rated = session.rating == null ? '' : `, rated ${RATINGS[session.rating]}`;
  return [
    ...events
      .filter(({ type }) => type === 'USER_QUESTION')
      .map(({ at, text, metadata }) => ({
        at,
        words: `${inline(String(metadata?.author ?? 'unknown user'))} asked: ${inline(text.text.slice(0, 200))}`,
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
  return `Fired at ${formatTime(first.startsAt)}. Reported by ${inline(first.source)} ${later} later.`;
}

function followUps(recommendations: readonly LinkedClaim[], gaps: readonly LinkedClaim[]): string[] {
  const owner = `(owner: ${TO_FILL_IN}, ticket: ${TO_FILL_IN})`;
  const lines = [
    ...recommendations.map(({ text }) => `- [ ] ${inline(text)} ${owner}`),
    ...gaps.map(({ text }) => `- [ ] Investigate: ${inline(text)} ${owner}`),
  ];
  return lines.length === 0 ? [`- [ ] ${TO_FILL_IN}`] : lines;
}
