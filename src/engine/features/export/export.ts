import type { StoredClaim } from '../../../db/entities/index.ts';
import { missingCharacters, sourceName } from './format.ts';
import { postmortem } from './postmortem.ts';
import { sessionMarkdown } from './session-markdown.ts';
import type { ExportSource } from './source.ts';

export const EXPORT_FORMATS = ['MARKDOWN', 'JSON', 'POSTMORTEM'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Maximum bytes of an export. As a JSON string it still fits into a response of the API. */
export const EXPORT_MAX_BYTES = 4 * 1024 * 1024;

/** Returns a session as text of at most `EXPORT_MAX_BYTES`. The same session always gives the same text. */
export function exportSession(source: ExportSource, format: ExportFormat, dashboardUrl: string): string {
  const page = `${dashboardUrl}/sessions/${source.session.id}`;
  if (format === 'JSON') return sessionJson(source, page);
  return cutToLimit(format === 'MARKDOWN' ? sessionMarkdown(source, page) : postmortem(source, page));
}

function cutToLimit(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= EXPORT_MAX_BYTES) return text;
  const kept = bytes.subarray(0, EXPORT_MAX_BYTES - CUT.length);
  return kept.subarray(0, kept.lastIndexOf('\n')).toString() + CUT;
}

const CUT = '\n\n(Shortened: the export is too long.)\n';

/** Version of the JSON format. Increases with changes that break readers, not with added fields. */
const VERSION = 1;

/** Maximum length of the final analysis (UTF-16 code units), more than models write. */
const MAX_ANALYSIS = 300_000;

/** Returns a session as JSON. If it is too long, the tool results are omitted, and then the timeline and the alert. */
function sessionJson(source: ExportSource, page: string): string {
  const write = (part: ExportSource) => `${JSON.stringify(documentOf(part, page), null, 2)}\n`;
  const fits = (text: string) => Buffer.byteLength(text) <= EXPORT_MAX_BYTES;
  const whole = write(source);
  if (fits(whole)) return whole;
  const shorter = write(withoutResults(source));
  return fits(shorter) ? shorter : write(withoutTexts(source));
}

function withoutResults(source: ExportSource): ExportSource {
  return { ...source, calls: source.calls.map((call) => ({ ...call, result: null })) };
}

function withoutTexts(source: ExportSource): ExportSource {
  const { length } = source.alert;
  return { ...withoutResults(source), events: [], alert: { text: '', length } };
}

function documentOf(source: ExportSource, page: string) {
  const {
    session,
    title,
    alert,
    report,
    hypotheses,
    score,
    alerts,
    decisions,
    agents,
    calls,
    events,
    reviews,
  } = source;
  return {
    format: 'tarsy-session',
    version: VERSION,
    session: {
      id: session.id,
      url: page,
      title,
      status: session.status,
      alertType: session.alertType,
      chain: session.chainId,
      severity: session.severity ?? null,
      entities: session.entities ?? [],
      author: session.author,
      team: session.team ?? null,
      createdAt: session.createdAt,
      startedAt: session.startedAt ?? null,
      completedAt: session.completedAt ?? null,
      resolvedAt: session.resolvedAt ?? null,
      errorMessage: session.errorMessage ?? null,
      cancelReason: session.cancelReason ?? null,
      labels: session.labels,
      executiveSummary: session.executiveSummary ?? null,
      finalAnalysis: session.finalAnalysis?.slice(0, MAX_ANALYSIS) ?? null,
      tokens: session.totalTokens,
    },
    alert: { ...alert, cut: missingCharacters(alert, alert.text) > 0 },
    report: report && {
      verdict: report.verdict,
      headline: report.headline,
      confidence: report.confidence,
      entities: report.entities,
      evidenceScore: report.evidenceScore ?? null,
      agreement: report.agreement ?? null,
      createdAt: report.createdAt,
      claims: report.claims.map(claimOf),
    },
    hypotheses: hypotheses.map(claimOf),
    score,
    agents,
    toolCalls: calls.map(({ number, result, ...call }) => ({
      number: `T${number}`,
      ...call,
      result: result && { ...result, cut: missingCharacters(result, result.text) > 0 },
    })),
    timeline: events.map(({ text, claims, ...event }) => ({
      ...event,
      ...{ ...text, cut: missingCharacters(text, text.text) > 0, claims: claims?.map(claimOf) ?? null },
    })),
    alerts,
    decisions,
    review: {
      rating: session.rating ?? null,
      assignee: session.assignee ?? null,
      actionTaken: session.actionTaken ?? null,
      feedback: session.feedback ?? null,
      reviewedAt: session.reviewedAt ?? null,
      activity: reviews,
    },
  };
}

function claimOf<Statement extends Pick<StoredClaim, 'citations' | 'facts'>>({
  citations,
  facts = [],
  ...claim
}: Statement) {
  return {
    ...claim,
    facts,
    citations: citations.map((citation) => ({ ...citation, source: sourceName(citation) })),
  };
}
