import { beginning } from '../../../common/truncate.ts';
import { isByRules } from '../../common/by-rules.ts';
import {
  claimLine,
  formatDuration,
  formatPercent,
  formatTime,
  type LinkedClaim,
  linkClaims,
  missingCharacters,
  proofLines,
  RATINGS,
  section,
  severityWords,
  statusWords,
  VERDICTS,
} from './format.ts';
import { block, code, inline, quotation } from './markdown-text.ts';
import type {
  CutText,
  ExportedCall,
  ExportedEvent,
  ExportedHypothesis,
  ExportedScore,
  ExportSource,
} from './source.ts';

/** Maximum lengths (UTF-16 code units) of a text, the alert and a tool result. The JSON export contains more. */
const MAX_TEXT = 60_000;
const MAX_ALERT = 20_000;
const MAX_RESULT = 4_000;

export function sessionMarkdown(source: ExportSource, page: string): string {
  const { session, title, report } = source;
  const chatEvents = source.events.filter(({ stageType }) => stageType === 'CHAT');
  return [
    `# ${inline(title)}`,
    '',
    ...facts(source, page),
    ...section(
      '## Report',
      report === null ? [] : reportLines(report, { page, byRules: isByRules(session) }),
    ),
    ...section('## Hypotheses', source.hypotheses.flatMap(hypothesisLines)),
    ...section('## Summary', quoted(session.executiveSummary)),
    ...section('## Analysis', quoted(session.finalAnalysis)),
    ...section('## Error', errorLines(source)),
    ...section('## Alert', cutBlock(source.alert, MAX_ALERT)),
    ...section(
      '## Tool calls',
      source.calls.flatMap((call) => callLines(call, citedBy(source))),
    ),
    ...section('## Hints', hintLines(source)),
    ...section(
      '## Questions',
      chatEvents.flatMap((event) => questionLines(event, page)),
    ),
    ...section('## Review', reviewLines(source)),
    ...section('## AI quality score', source.score === null ? [] : scoreLines(source.score)),
    '',
  ].join('\n');
}

function facts(source: ExportSource, page: string): string[] {
  const { session, report, agents } = source;
  const { status, severity, startedAt, completedAt } = session;
  const models = [...new Set(agents.flatMap(({ modelName }) => modelName ?? []))];
  const took = startedAt && completedAt ? `, took ${formatDuration(startedAt, completedAt)}` : '';
  const entries: [string, string | null | undefined][] = [
    ['Verdict', report && VERDICTS[report.verdict]],
    ['Investigation', `[${session.id}](${page}), ${statusWords(status)}${took}`],
    ['Labels', session.labels.map(inline).join(', ') || null],
    ['Reason of the cancellation', cancellation(source)],
    ['Concluded early', earlyConclusions(source)],
    ['Alert type', inline(session.alertType)],
    ['Severity', severityWords(severity)],
    ['Submitted', `${formatTime(session.createdAt)} by ${inline(session.author)}`],
    ['Resolved', session.resolvedAt && formatTime(session.resolvedAt)],
    ['Models', models.map(inline).join(', ') || null],
    ['Tokens', session.totalTokens.toLocaleString('en')],
  ];
  return entries.flatMap(([name, value]) => (value == null ? [] : [`- **${name}:** ${value}`]));
}

/** Returns why the session was cancelled; `null` if it was not, or if no reason is known. */
function cancellation({ session: { status, cancelReason, errorMessage } }: ExportSource): string | null {
  const reason = status === 'CANCELLED' ? (cancelReason ?? errorMessage) : null;
  return reason == null ? null : inline(reason);
}

/** Returns the error of a session. A cancellation is none. */
function errorLines({ session: { status, errorMessage } }: ExportSource): string[] {
  return errorMessage == null || status === 'CANCELLED' ? [] : [inline(errorMessage)];
}

/** Returns the agents that had to conclude early, with the reasons; `null` if none had to. */
function earlyConclusions({ events }: ExportSource): string | null {
  const early = events.filter(
    ({ type, stageType, metadata }) => type === 'FINAL_ANALYSIS' && stageType !== 'CHAT' && metadata?.reason,
  );
  return (
    early
      .map(
        ({ agent, metadata }) => `${inline(agent ?? '')} (${inline(statusWords(String(metadata!.reason)))})`,
      )
      .join(', ') || null
  );
}

function reportLines(
  report: NonNullable<ExportSource['report']>,
  { page, byRules }: { page: string; byRules: boolean },
): string[] {
  const { verdict, headline, confidence, entities, evidenceScore, agreement, claims } = report;
  const evidence =
    evidenceScore == null
      ? 'no causes or observations to check'
      : `${formatPercent(evidenceScore)} of causes and observations supported by tool outputs`;
  const stated = agreement == null ? 'Model’s confidence' : 'Confidence';
  const label = byRules ? 'Confidence by rule' : stated;
  return [
    `**${VERDICTS[verdict]}:** ${inline(headline)}`,
    '',
    `- **${label}:** ${formatPercent(confidence)}`,
    `- **Evidence:** ${evidence}`,
    ...(agreement == null
      ? []
      : [`- **Agreement:** ${agreement.agreeing} of ${agreement.runs} runs agree on the cause`]),
    ...(entities.length === 0 ? [] : [`- **Affected:** ${entities.map(inline).join(', ')}`]),
    '',
    ...linkClaims(claims, page).flatMap(claimLines),
  ];
}

const claimLines = (claim: LinkedClaim): string[] => [
  `- _${KINDS[claim.kind]}_ ${claimLine(claim)}`,
  ...proofLines(claim),
];

const hypothesisLines = ({ text, state, agent, ...proof }: ExportedHypothesis): string[] => [
  `- _${STATES[state]}_ ${inline(text)} (${inline(agent)})`,
  ...proofLines(proof),
];

const STATES: Readonly<Record<ExportedHypothesis['state'], string>> = {
  PROPOSED: 'Proposed',
  SUPPORTED: 'Supported',
  REFUTED: 'Refuted',
};

const KINDS: Readonly<Record<NonNullable<ExportSource['report']>['claims'][number]['kind'], string>> = {
  CAUSE: 'Cause',
  OBSERVATION: 'Observation',
  RULED_OUT: 'Ruled out',
  RECOMMENDATION: 'Recommendation',
  GAP: 'Gap',
};

function citedBy({ report }: ExportSource): ReadonlySet<unknown> {
  return new Set(report?.claims.flatMap(({ citations }) => citations.map(({ source }) => source)));
}

/** Returns the lines of a tool call. Shows the result only if the report cites it. The JSON export has all results. */
function callLines(call: ExportedCall, cited: ReadonlySet<unknown>): string[] {
  const { number, at, server, tool, status, result } = call;
  const failed = status === 'COMPLETED' ? '' : `, ${statusWords(status)}`;
  const line = `- **T${number}** ${code(`${server}.${tool}`)} ${code(call.arguments)} at ${formatTime(at)}${failed}`;
  if (result === null || result.text === '' || !cited.has(number)) return [line];
  return [line, '', ...cutBlock(result, MAX_RESULT, '  '), ''];
}

function cutBlock(cut: CutText, max: number, indent = ''): string[] {
  if (cut.length === 0) return [];
  const shown = beginning(cut.text, max);
  const left = missingCharacters(cut, shown);
  const more = left > 0 ? [`${indent}_… ${left.toLocaleString('en')} more characters_`] : [];
  return [...block(shown, indent), ...(more.length === 0 ? [] : ['', ...more])];
}

function quoted(text: string | null | undefined): string[] {
  if (text == null || text.trim() === '') return [];
  const shown = beginning(text, MAX_TEXT);
  return [...quotation(shown), ...(shown.length < text.length ? ['', '_… shortened_'] : [])];
}

/** Returns the hints of responders, with the agents that read them. */
function hintLines({ events }: ExportSource): string[] {
  const readers = (number: number) =>
    events.flatMap(({ type, agent, metadata }) =>
      type === 'HINT_READ' && [metadata?.hints].flat().includes(number) ? [inline(agent ?? '')] : [],
    );
  return events
    .filter(({ type }) => type === 'HINT')
    .flatMap(({ sequenceNumber, at, text, metadata }) => [
      `**${inline(String(metadata?.author ?? 'unknown user'))}** at ${formatTime(at)}, read by ${readers(sequenceNumber).join(', ') || 'no agent'}:`,
      '',
      ...quoted(text.text),
      '',
    ]);
}

function questionLines(
  { type, at, text, metadata, claims, stageIndex }: ExportedEvent,
  page: string,
): string[] {
  const lines = [...quoted(text.text), ''];
  if (type === 'USER_QUESTION')
    return [
      `**${inline(String(metadata?.author ?? 'unknown user'))}** asked at ${formatTime(at)}:`,
      '',
      ...lines,
    ];
  if (type !== 'FINAL_ANALYSIS') return [];
  const checked = linkClaims(claims ?? [], page, stageIndex ?? 0).flatMap(claimLines);
  return ['Answer:', '', ...lines, ...checked, ...(checked.length === 0 ? [] : [''])];
}

function reviewLines({ session, reviews }: ExportSource): string[] {
  const { rating, actionTaken, feedback, assignee } = session;
  return [
    ...(rating == null
      ? []
      : [`- **Rated:** ${RATINGS[rating]}${assignee == null ? '' : ` by ${inline(assignee)}`}`]),
    ...(actionTaken == null ? [] : ['- **Action taken:**', '', ...quoted(actionTaken), '']),
    ...(feedback == null ? [] : ['- **Comment:**', '', ...quoted(feedback), '']),
    ...reviews.map(
      ({ at, actor, action }) => `- ${formatTime(at)}: ${inline(actor)}, ${statusWords(action)}`,
    ),
  ];
}

function scoreLines({ total, failureTags, analysis, modelName, completedAt }: ExportedScore): string[] {
  const by = modelName == null ? '' : ` by ${inline(modelName)}`;
  return [
    `- **Score:** ${total} of 100${by}${completedAt ? ` at ${formatTime(completedAt)}` : ''}`,
    ...(failureTags.length === 0 ? [] : [`- **Problems:** ${failureTags.map(statusWords).join(', ')}`]),
    '',
    ...quoted(analysis),
  ];
}
