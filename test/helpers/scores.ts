import type { ApiClient } from './api.ts';
import { toolCall } from './scripted-llm/index.ts';

/** The score of one dimension. */
export const dimensionScore = (points: number, reason = 'T1 shows it.') => ({ reason, points });
/** The score that the judge submits. */
export const score = (analysis: string, outcome = 80) => ({
  dimensions: {
    outcome: dimensionScore(outcome),
    evidence: dimensionScore(70),
    tools: dimensionScore(70),
    reasoning: dimensionScore(70),
    completeness: dimensionScore(70),
  },
  failure_tags: ['incomplete_evidence'],
  analysis,
  tool_report: '',
});
export const handedIn = (analysis: string, outcome?: number) =>
  toolCall('submit_score', score(analysis, outcome));

/** A score as the API returns it. */
export interface Score {
  id: string;
  status: string;
  total: number | null;
  dimensions: Record<string, { points: number; reason: string }> | null;
  failureTags: string[];
  analysis: string | null;
  toolReport: string | null;
  model: string | null;
  promptHash: string | null;
  requestedBy: string;
  errorMessage: string | null;
  completedAt: string | null;
}
/** Fields of a `Score` in a query. */
export const SCORE_FIELDS = `id status total dimensions failureTags analysis toolReport model promptHash requestedBy errorMessage
  createdAt completedAt`;

/** Requests a score of a session. Returns the new score, or the error's code and message. */
export async function requestScore(
  api: ApiClient,
  id: string,
): Promise<{ code?: string; message?: string; score?: Score }> {
  const { scoreSession } = await api.query<{ scoreSession: Awaited<ReturnType<typeof requestScore>> }>(
    `mutation ($id: ID!) { scoreSession(id: $id) { ... on ScoreSessionSuccess { score { ${SCORE_FIELDS} } } ... on Error { code message } } }`,
    { id },
  );
  return scoreSession;
}

/** Resolves with the newest score of a session, except `others`, once it has ended, as subscribers receive it. */
export async function endedScore(api: ApiClient, id: string, others: readonly string[] = []): Promise<Score> {
  const items = api.subscribe<{ sessionEvents: { session?: { latestScore: Score | null } } }>(
    `subscription ($id: ID!) { sessionEvents(sessionId: $id) { ... on SessionStatusChanged { session { latestScore { ${SCORE_FIELDS} } } } } }`,
    { id },
  );
  for await (const { sessionEvents } of items) {
    const found = sessionEvents.session?.latestScore;
    if (found && !others.includes(found.id) && found.completedAt !== null) return found;
  }
  throw new Error('the subscription ended first');
}
