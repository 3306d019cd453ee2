import type { StoredClaim } from '../../../db/entities/index.ts';
import type { ExportSource } from './source.ts';
import { missing, nameOf } from './words.ts';

/** Bytes of a session that is exported: with what JSON adds to it, less than an answer of the API may have. */
export const EXPORT_MAX_BYTES = 4 * 1024 * 1024;

/** Of the form below: rises when a program that reads it must be changed. Added fields do not raise it. */
const VERSION = 1;

/** UTF-16 code units of an analysis: more than a model writes. */
const MAX_ANALYSIS = 300_000;

/** A session for programs. What has no room is left out, and says so: first results, then other texts. @param page the session's address */
export function sessionJson(source: ExportSource, page: string): string {
  const written = (form: ExportSource) => `${JSON.stringify(formOf(form, page), null, 2)}\n`;
  const fits = (text: string) => Buffer.byteLength(text) <= EXPORT_MAX_BYTES;
  const whole = written(source);
  if (fits(whole)) return whole;
  const shorter = written(withoutResults(source));
  return fits(shorter) ? shorter : written(withoutTexts(source));
}

function withoutResults(source: ExportSource): ExportSource {
  return { ...source, calls: source.calls.map((call) => ({ ...call, result: null })) };
}

function withoutTexts(source: ExportSource): ExportSource {
  const { length } = source.alert;
  return { ...withoutResults(source), events: [], alert: { text: '', length } };
}

function formOf(source: ExportSource, page: string) {
  const { session, title, alert, report, score, alerts, decisions, agents, calls, events, reviews } = source;
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
      executiveSummary: session.executiveSummary ?? null,
      finalAnalysis: session.finalAnalysis?.slice(0, MAX_ANALYSIS) ?? null,
      tokens: session.totalTokens,
    },
    alert: { ...alert, cut: missing(alert, alert.text) > 0 },
    report: report && {
      verdict: report.verdict,
      headline: report.headline,
      confidence: report.confidence,
      entities: report.entities,
      evidenceScore: report.evidenceScore ?? null,
      createdAt: report.createdAt,
      claims: report.claims.map(claimOf),
    },
    score,
    agents,
    toolCalls: calls.map(({ number, result, ...call }) => ({
      number: `T${number}`,
      ...call,
      result: result && { ...result, cut: missing(result, result.text) > 0 },
    })),
    timeline: events.map(({ text, claims, ...event }) => ({
      ...event,
      ...{ ...text, cut: missing(text, text.text) > 0, claims: claims?.map(claimOf) ?? null },
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

/** Sources as people know them. */
function claimOf({ citations, ...claim }: StoredClaim) {
  return { ...claim, citations: citations.map((citation) => ({ ...citation, source: nameOf(citation) })) };
}
