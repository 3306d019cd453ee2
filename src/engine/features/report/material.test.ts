import { expect, test } from 'vitest';
import { fact } from '../../../../test/fixtures/claims/facts/make.ts';
import { claimOf, output } from '../../../../test/fixtures/claims/output.ts';
import { toStoredClaims, toStoredReport } from './material.ts';
import type { SubmittedReport } from './schema.ts';
import { verifyReport } from './verify/verify-report.ts';

const outputs = [output(12, 'web-1 restarted 17 times')];
const proof = { facts: [fact('web-1', 'restarted', '17')], cites: ['T12: web-1 restarted 17 times'] };
const cause = {
  ...claimOf({ text: 'web-1 restarted 17 times', ...proof }),
  ...({ kind: 'CAUSE', because: null } as const),
};
const gap = { ...cause, kind: 'GAP', text: 'The reason is unknown', facts: [], citations: [] } as const;

const REPORT = {
  ...{ verdict: 'ACTION_REQUIRED', headline: 'web-1 is down', confidence: 0.9 },
  ...{ entities: ['web-1', 'db-1', 'web-1'], labels: ['network', 'invented', 'database'] },
  claims: [cause, gap],
} as unknown as SubmittedReport;
const verified = verifyReport({ claims: REPORT.claims, outputs, alert: '', runbook: null });

test('stores each entity once, and the labels that the operator configured, in their order', () => {
  const vocabulary = ['database', 'disk', 'network'];
  expect(toStoredReport(REPORT, verified, { vocabulary, replicas: [] })).toMatchObject({
    ...{ entities: ['web-1', 'db-1'], labels: ['database', 'network'], confidence: 0.9, agreement: null },
    claims: [
      { kind: 'CAUSE', status: 'SUPPORTED' },
      { kind: 'GAP', status: 'NOT_CHECKABLE' },
    ],
  });
});

test('limits the confidence to the share of the replicas that agree', () => {
  const facts = toStoredReport(REPORT, verified, { vocabulary: [], replicas: [] }).claims[0]!.facts!;
  const stored = (...replicas: (typeof facts)[]) =>
    toStoredReport(REPORT, verified, { vocabulary: [], replicas: replicas.map((own) => ({ facts: own })) });
  expect(stored(facts, [], [], []).confidence).toBe(0.25);
  expect(stored(facts, facts).confidence).toBe(0.9);
});

test('stores no claims with an answer that nothing can prove', () => {
  expect(toStoredClaims(REPORT, verified)).toMatchObject({ evidenceScore: 1, claims: [{ kind: 'CAUSE' }] });
});
