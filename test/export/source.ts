import type { SessionSnapshot } from '../../src/engine/api/engine.ts';
import type { ExportSource } from '../../src/engine/features/export/source.ts';

export const SESSION_ID = '019a0000-0000-7000-8000-000000000001';

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 10, minute));

/** Returns a session with every optional part. Each text that comes from outside is the given one. */
export function exportSource(text: string): ExportSource {
  const citation = { quote: text, status: 'HOLDS', problem: null, start: 0, end: 4 } as const;
  const fact = {
    ...{ subject: text, attribute: text, value: text, unit: text, negated: false, citation: 0 },
    ...{ window: null, filter: null, problem: null },
    status: 'SUPPORTED',
  } as const;
  const claim = { text, absence: false, problem: null, onlyUntrusted: false } as const;
  const cut = { text, length: text.length + 5 };
  return {
    title: text,
    session: {
      ...{ id: SESSION_ID, alertType: text, chainId: text, status: 'COMPLETED', author: text, team: null },
      ...{
        severity: 'CRITICAL',
        entities: [text],
        executiveSummary: text,
        finalAnalysis: text,
        errorMessage: null,
        labels: [text],
      },
      ...{ createdAt: at(2), startedAt: at(3), completedAt: at(9), resolvedAt: at(42), totalTokens: 12_345 },
      ...{ rating: 'ACCURATE', assignee: text, actionTaken: text, feedback: text, reviewedAt: at(50) },
    } as SessionSnapshot,
    alert: cut,
    report: {
      ...{ sessionId: SESSION_ID, verdict: 'ACTION_REQUIRED', headline: text, confidence: 0.8 },
      ...{ entities: [text], labels: [text], evidenceScore: 0.5, createdAt: at(8) },
      agreement: { runs: 3, agreeing: 2, cause: text },
      claims: [
        {
          ...{ ...claim, kind: 'CAUSE', status: 'SUPPORTED', citations: [{ ...citation, source: 12 }] },
          facts: [
            fact,
            { ...fact, negated: true, status: 'UNSUPPORTED', problem: text },
            { ...fact, attribute: 'absent', value: '', window: text, filter: text, citation: 7 },
          ],
        },
        {
          ...{ ...claim, kind: 'OBSERVATION', status: 'UNSUPPORTED', problem: text, onlyUntrusted: true },
          citations: [{ ...citation, source: 'ALERT', status: 'QUOTE_NOT_FOUND', problem: text }],
        },
        { ...claim, kind: 'RULED_OUT', status: 'PARTLY_SUPPORTED', problem: text, citations: [] },
        { ...claim, kind: 'RECOMMENDATION', status: 'NOT_CHECKABLE', citations: [] },
        { ...claim, kind: 'GAP', status: 'NOT_CHECKABLE', citations: [] },
      ],
    },
    hypotheses: [
      {
        ...{ text, agent: text, state: 'REFUTED', createdAt: at(4), updatedAt: at(5) },
        ...{ citations: [{ ...citation, source: 12 }], facts: [fact] },
      },
      { text, agent: text, state: 'PROPOSED', createdAt: at(4), updatedAt: at(4), citations: [], facts: [] },
    ],
    score: {
      total: 71,
      dimensions: null,
      failureTags: ['incomplete_evidence'],
      analysis: text,
      modelName: text,
      completedAt: at(10),
    },
    alerts: [
      {
        title: text,
        severity: 'CRITICAL',
        state: 'RESOLVED',
        source: text,
        ...{ startsAt: at(0), endsAt: at(41) },
        firstReceivedAt: at(1),
      },
    ],
    decisions: [{ at: at(2), outcome: 'INVESTIGATED', reason: text }],
    agents: [
      {
        ...{ stage: text, stageIndex: 1, stageType: 'INVESTIGATION', agentName: text, modelName: text },
        ...{ status: 'COMPLETED', errorMessage: null, startedAt: at(3), completedAt: at(7) },
      },
    ],
    calls: [
      { number: 12, at: at(4), status: 'COMPLETED', server: text, tool: text, arguments: text, result: cut },
      {
        number: 13,
        at: at(5),
        status: 'FAILED',
        server: 'host',
        tool: 'disk',
        arguments: '{}',
        result: null,
      },
    ],
    events: [
      {
        ...{ sequenceNumber: 3, type: 'HINT', status: 'COMPLETED', metadata: { author: text, agent: text } },
        ...{ at: at(4), text: cut, stageType: null, stageIndex: null, agent: null, claims: null },
      },
      {
        ...{ sequenceNumber: 5, type: 'HINT_READ', status: 'COMPLETED', metadata: { hints: [3] } },
        ...{ at: at(5), text: cut, stageType: 'INVESTIGATION', stageIndex: 1, agent: text, claims: null },
      },
      {
        sequenceNumber: 20,
        type: 'USER_QUESTION',
        status: 'COMPLETED',
        metadata: { author: text },
        at: at(20),
        text: cut,
        ...{ stageType: 'CHAT', stageIndex: 4 },
        agent: null,
        claims: null,
      },
      {
        sequenceNumber: 21,
        type: 'FINAL_ANALYSIS',
        status: 'COMPLETED',
        metadata: null,
        at: at(21),
        text: cut,
        ...{ stageType: 'CHAT', stageIndex: 4 },
        agent: text,
        claims: [
          { ...claim, kind: 'OBSERVATION', status: 'SUPPORTED', citations: [{ ...citation, source: 12 }] },
        ],
      },
    ],
    reviews: [{ at: at(50), actor: text, action: 'COMPLETE', note: text }],
  };
}
