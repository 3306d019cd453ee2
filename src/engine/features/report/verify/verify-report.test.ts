import { expect, test } from 'vitest';
import { absent, fact } from '../../../../../test/fixtures/claims/facts/make.ts';
import type { FactClaim } from '../../../../../test/fixtures/claims/facts/types.ts';
import { citation, claimOf, output } from '../../../../../test/fixtures/claims/output.ts';
import { QUOTED, QUOTES } from '../../../../../test/fixtures/claims/quotes.ts';
import type { VerifyReportInput } from './types.ts';
import { verifyReport } from './verify-report.ts';

const ALERT = 'The outage began. Disk of host db-03 is 91% full.';
const TABLE = 'NAME    READY   STATUS\nweb-1   0/1     Error\nweb-2   1/1     Running';

function check(claim: Partial<FactClaim>, outputs: VerifyReportInput['outputs'] = [output(1, TABLE)]) {
  const stated = claimOf({ text: 'It is down', facts: [], cites: [], ...claim });
  const [checked] = verifyReport({
    claims: [stated],
    outputs,
    alert: ALERT,
    runbook: 'Look at db-03.',
  }).claims;
  return { ...checked!, codes: checked!.problems.map(({ code }) => code) };
}

const ROW = 'T1: web-1   0/1     Error';
const FAILED = fact('web-1', 'STATUS', 'Error');

test.each(QUOTES)('quotes: %s', (_, problem, cite) => {
  const claims = [
    { kind: 'OBSERVATION', text: 'It is down', facts: [], citations: [citation(cite)] } as const,
  ];
  const [found] = verifyReport({ ...QUOTED, claims }).claims[0]!.citations;
  expect({ code: found!.problem?.code ?? null, status: found!.status === 'HOLDS' }).toEqual({
    code: problem,
    status: problem === null,
  });
});

test('supports a claim only if it states facts, cites their proof and says nothing else', () => {
  expect(check({ facts: [FAILED], cites: [ROW] }).status).toBe('SUPPORTED');
  expect(check({ facts: [FAILED] }).codes).toContain('NOTHING_CITED');
  expect(check({ cites: [ROW] })).toMatchObject({ status: 'UNSUPPORTED', codes: ['NO_FACTS'] });
  expect(check({ facts: [FAILED], cites: ['T1: web-1   0/1     Failed'] })).toMatchObject({
    status: 'UNSUPPORTED',
    codes: ['QUOTE_NOT_FOUND'],
  });
  expect(check({ facts: [FAILED, fact('web-1', 'READY', '1/1')], cites: [ROW] })).toMatchObject({
    status: 'PARTLY_SUPPORTED',
    codes: ['FACT_OTHER_VALUE'],
    facts: [{ status: 'SUPPORTED', problem: null }, { status: 'UNSUPPORTED' }],
  });
  expect(check({ facts: [{ ...FAILED, cite: 7 }], cites: [ROW] }).codes).toEqual(['FACT_WITHOUT_QUOTE']);
});

test.each([
  ['web-1 and web-3 are in Error', 'NAME_IN_NO_FACT'],
  ['web-1 is in Error since `deploy`', 'NAME_IN_NO_FACT'],
  ['web-1 is in Error after 17 restarts', 'FIGURE_IN_NO_FACT'],
  ['web-1 is in Error since 14:30', 'TIME_IN_NO_FACT'],
  ['web-1 had T5 Error', 'NAME_IN_NO_FACT'],
  ['web-1 is in Error [T4]', 'NAME_IN_NO_FACT'],
])('lets the sentence hold only details of its facts: %s', (text, code) => {
  expect(check({ text, facts: [FAILED], cites: [ROW] })).toMatchObject({
    status: 'PARTLY_SUPPORTED',
    codes: [code],
  });
});

test.each([
  'web-1 ist im Zustand Error [T1]',
  'web-1 は Error です (T1)',
  '`web-1` is in “Error”, as T1 says',
])('reads the sentence in any language: %s', (text) => {
  const { codes } = check({ text, facts: [FAILED], cites: [ROW] });
  expect(codes).toEqual(text.includes('as T1') ? ['NAME_IN_NO_FACT'] : []);
});

test('lets the alert and the runbook prove only what they say themselves', () => {
  const full = 'ALERT: Disk of host db-03 is 91% full.';
  const said = fact('ALERT', 'says', 'db-03 is 91% full');
  const alone = check({ text: 'db-03 is full', facts: [fact('db-03', 'full', '91%')], cites: [full] });
  expect(alone).toMatchObject({ status: 'PARTLY_SUPPORTED', codes: ['ONLY_THE_ALERT_SAYS_SO'] });
  expect(check({ text: 'The alert says that db-03 is 91% full', facts: [said], cites: [full] }).status).toBe(
    'SUPPORTED',
  );
  expect(check({ facts: [fact('ALERT', 'says', 'db-03 is 95% full')], cites: [full] }).status).toBe(
    'UNSUPPORTED',
  );
  const beside = check({ facts: [fact('db-03', 'full', '91%'), { ...FAILED, cite: 1 }], cites: [full, ROW] });
  expect(beside.status).toBe('PARTLY_SUPPORTED');
});

test('marks claims with a fact that rests only on an untrusted tool', () => {
  const outputs = [output(1, 'cause: bad firmware', { untrusted: true }), output(2, 'version: old firmware')];
  const [said, seen] = [
    fact('cause', 'value', 'bad firmware', 0),
    fact('version', 'value', 'old firmware', 1),
  ];
  const cites = ['T1: cause: bad firmware', 'T2: version: old firmware'];
  expect(check({ facts: [said], cites }, outputs).onlyUntrusted).toBe(true);
  expect(check({ facts: [said, seen], cites }, outputs).onlyUntrusted).toBe(true);
  expect(check({ facts: [seen], cites }, outputs).onlyUntrusted).toBe(false);
});

test('counts causes and observations, and checks no recommendation', () => {
  const right = claimOf({ text: 'It is down', facts: [FAILED], cites: [ROW] });
  const claims = [right, { ...right, facts: [] }, { ...right, kind: 'RECOMMENDATION' as const }];
  const report = verifyReport({ claims, outputs: [output(1, TABLE)], alert: '', runbook: null });
  expect(report.claims.map(({ status }) => status)).toEqual(['SUPPORTED', 'UNSUPPORTED', 'NOT_CHECKABLE']);
  expect(report.evidenceScore).toBe(0.5);
});

test('lets a call prove an absence that failed because there is nothing', () => {
  const text = 'Error from server (NotFound): pods "web-3" not found';
  const failed = (notFound: boolean) =>
    check({ text: 'web-3 is gone', facts: [absent('web-3')], cites: [`T1: ${text}`] }, [
      output(1, text, { succeeded: false, notFound, arguments: { name: 'web-3' } }),
    ]);
  expect(failed(true).status).toBe('SUPPORTED');
  expect(failed(false)).toMatchObject({ status: 'UNSUPPORTED', codes: ['TOOL_FAILED'] });
});

test.each([
  [3, 'SUPPORTED', []],
  [2, 'UNSUPPORTED', ['ABSENCE_OUTPUT_CUT']],
])('lets an answer of %i of 3 clusters prove an absence: %s', (clusters, status, codes) => {
  const text = `No pods found in ${clusters} of 3 clusters`;
  const outputs = [output(1, text, { arguments: { name: 'web-3' } })];
  const claim = { text: 'web-3 is gone', facts: [absent('web-3')], cites: [`T1: ${text}`] };
  expect(check(claim, outputs)).toMatchObject({ status, codes });
});

test('refuses an absence that is not proven, even beside other facts', () => {
  const facts = [FAILED, absent('web-3', {}, 0)];
  expect(check({ facts, cites: [ROW] })).toMatchObject({
    status: 'UNSUPPORTED',
    codes: ['ABSENCE_NOT_SAID'],
  });
});

test('lets a call prove where it looked, unless the quoted row names another place', () => {
  const claim = { text: 'web-1 is in payments', facts: [fact('web-1', 'namespace', 'payments')] };
  const looked = (text: string, quote: string) =>
    check({ ...claim, cites: [`T1: ${quote}`] }, [output(1, text, { arguments: { namespace: 'payments' } })]);
  expect(looked(TABLE, 'web-1   0/1     Error').status).toBe('SUPPORTED');
  expect(looked('NAME    NAMESPACE\nweb-1   billing', 'web-1   billing').status).toBe('UNSUPPORTED');
  claim.facts[0]!.negated = true;
  expect(looked(TABLE, 'web-1   0/1     Error').status).toBe('UNSUPPORTED');
});

test.each([
  ['2026-11-28T10:00:00Z', '2026-11-28T10:05:00Z', 'SUPPORTED', []],
  ['2026-11-28T10:05:00Z', '2026-11-28T11:00:00+02:00', 'UNSUPPORTED', ['CAUSE_AFTER_EFFECT']],
  ['2026-11-28T10:05Z', '2026-11-28T10:05:30Z', 'SUPPORTED', []],
  ['2026-11-28T10:05:59Z', '2026-11-28T10:05Z', 'SUPPORTED', []],
  ['2026-11-28T10:06:00Z', '2026-11-28T10:05Z', 'UNSUPPORTED', ['CAUSE_AFTER_EFFECT']],
  ['10:05:00', '10:00:00', 'SUPPORTED', ['ORDER_NOT_CHECKED']],
  ['2026-11-28T10:05:00Z', '2026-11-28 10:00:00', 'SUPPORTED', ['ORDER_NOT_CHECKED']],
])('checks the order of a cause at %s and its effect at %s', (cause, effect, status, codes) => {
  const outputs = [output(1, `deployed: ${cause}\nfailed: ${effect}`)];
  const facts = [fact('deployed', 'deployed', cause), fact('failed', 'failed', effect, 1)];
  const cites = [`T1: deployed: ${cause}`, `T1: failed: ${effect}`];
  const claim = { ...claimOf({ text: 'It is down', facts, cites }), kind: 'CAUSE' as const };
  const verify = (stated: object) =>
    verifyReport({ claims: [{ ...claim, ...stated }], outputs, alert: '', runbook: null }).claims[0]!;
  const found = verify({ because: { cause: 0, effect: 1 } });
  expect({ status: found.status, codes: found.problems.map(({ code }) => code) }).toEqual({ status, codes });
  expect(verify({}).problems).toEqual([]);
});
