import { beginning } from '../../../common/truncate.ts';
import { inline, quotation } from './markdown-text.ts';
import type { ExportSource } from './source.ts';
import {
  claimLine,
  NOT_KNOWN,
  type PlacedClaim,
  placed,
  quoteLines,
  RATINGS,
  severityWords,
  span,
  statusWords,
  TO_FILL_IN,
  time,
  VERDICTS,
} from './words.ts';

/** Moments that are told, at most: the first ones. */
const MAX_MOMENTS = 200;
const MAX_SUMMARY = 20_000;

/**
 * The draft of a postmortem: what is stored is filled in, each cause with what proves it; what nobody knows is said so, for people to
 * fill in. No model writes any of it now, so that the same session gives the same draft.
 * @param page the session's address
 */
export function postmortem(source: ExportSource, page: string): string {
  const { session, title, report } = source;
  const claims = placed(report?.claims ?? [], page);
  const of = (...kinds: PlacedClaim['kind'][]) => claims.filter(({ kind }) => kinds.includes(kind));
  const listed = (found: readonly PlacedClaim[]) =>
    found.length === 0
      ? [NOT_KNOWN]
      : found.flatMap((claim) => [`- ${claimLine(claim)}`, ...quoteLines(claim)]);
  return [
    `# Postmortem: ${inline(title)}`,
    '',
    `- **Status:** draft, made from [investigation ${session.id}](${page})`,
    `- **Date:** ${time(beginOf(source)).slice(0, 10)}`,
    `- **Authors:** ${TO_FILL_IN}`,
    `- **Severity:** ${severityWords(session.severity)}`,
    '',
    'Marks: ✓ the quotes of the claim stand in what tools answered, ◐ they show a part of it, ✗ they do not. None says that it is true.',
    '',
    '## Summary',
    '',
    ...summary(source),
    '',
    '## Impact',
    '',
    ...impact(source),
    '',
    '## Timeline',
    '',
    ...moments(source),
    '',
    '## Root cause',
    '',
    ...listed(of('CAUSE')),
    '',
    '## Trigger',
    '',
    TO_FILL_IN,
    '',
    '## What was seen',
    '',
    ...listed(of('OBSERVATION')),
    '',
    '## What it was not',
    '',
    ...listed(of('RULED_OUT')),
    '',
    '## Detection',
    '',
    detection(source),
    '',
    '## What was done',
    '',
    ...(session.actionTaken == null ? [TO_FILL_IN] : quotation(session.actionTaken)),
    '',
    '## Follow-ups',
    '',
    ...followUps(of('RECOMMENDATION'), of('GAP')),
    '',
    '## Lessons',
    '',
    `- **What went well:** ${TO_FILL_IN}`,
    `- **What went wrong:** ${TO_FILL_IN}`,
    `- **Where we were lucky:** ${TO_FILL_IN}`,
    ...(session.feedback == null
      ? []
      : ['', 'What the review said of the investigation:', '', ...quotation(session.feedback)]),
    '',
  ].join('\n');
}

/** When it began, as far as anybody told. */
function beginOf({ session, alerts }: ExportSource): Date {
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
  const begin = beginOf(source);
  const over = session.resolvedAt
    ? `${time(begin)} to ${time(session.resolvedAt)} (${span(begin, session.resolvedAt)})`
    : `from ${time(begin)}; nothing told that it is over`;
  return [
    `- **Affected:** ${affected.length === 0 ? NOT_KNOWN : affected.map(inline).join(', ')}`,
    `- **Duration:** ${over}`,
    ...(alerts.length === 0 ? [] : [`- **Alerts:** ${alerts.length}`]),
    `- **Users affected, and how:** ${TO_FILL_IN}`,
  ];
}

interface Moment {
  at: Date;
  words: string;
}

/** What is stored with its time, oldest first. */
function moments(source: ExportSource): string[] {
  const all = [...ofAlerts(source), ...ofInvestigation(source), ...ofPeople(source)].sort(
    (a, b) => a.at.getTime() - b.at.getTime(),
  );
  const lines = all.slice(0, MAX_MOMENTS).map(({ at, words }) => `- ${time(at)}: ${words}`);
  return all.length > MAX_MOMENTS ? [...lines, `- … and ${all.length - MAX_MOMENTS} moments more`] : lines;
}

function ofAlerts({ session, alerts, decisions }: ExportSource): Moment[] {
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

function ofInvestigation({ session, report }: ExportSource): Moment[] {
  const { createdAt, startedAt, completedAt, status, author } = session;
  const end = statusWords(status);
  return [
    { at: createdAt, words: `TARSy takes the alert from ${inline(author)}` },
    ...(startedAt == null ? [] : [{ at: startedAt, words: 'the investigation begins' }]),
    ...(report === null
      ? []
      : [{ at: report.createdAt, words: `its report: ${VERDICTS[report.verdict].toLowerCase()}` }]),
    ...(completedAt == null ? [] : [{ at: completedAt, words: `the investigation ends: ${end}` }]),
  ];
}

function ofPeople({ session, reviews, events }: ExportSource): Moment[] {
  const rated = session.rating == null ? '' : `, rated ${RATINGS[session.rating]}`;
  return [
    ...events.flatMap(({ type, at, text, metadata }) =>
      type === 'USER_QUESTION'
        ? [
            {
              at,
              words: `${inline(String(metadata?.author ?? 'somebody'))} asks: ${inline(text.text.slice(0, 200))}`,
            },
          ]
        : [],
    ),
    ...reviews.map(({ at, actor, action }) => ({
      at,
      words: `review: ${inline(actor)}, ${statusWords(action)}${action === 'COMPLETE' ? rated : ''}`,
    })),
  ];
}

function detection({ session, alerts }: ExportSource): string {
  const [first] = alerts;
  if (!first) return `Submitted by ${inline(session.author)} at ${time(session.createdAt)}.`;
  const later = span(first.startsAt, first.firstReceivedAt);
  return `By ${inline(first.source)}: fired at ${time(first.startsAt)}, told ${later} later.`;
}

function followUps(advised: readonly PlacedClaim[], gaps: readonly PlacedClaim[]): string[] {
  const owner = `(owner: ${TO_FILL_IN}, ticket: ${TO_FILL_IN})`;
  const lines = [
    ...advised.map(({ text }) => `- [ ] ${inline(text)} ${owner}`),
    ...gaps.map(({ text }) => `- [ ] Find out: ${inline(text)} ${owner}`),
  ];
  return lines.length === 0 ? [`- [ ] ${TO_FILL_IN}`] : lines;
}
