import { expect, test } from 'vitest';
import { loadText } from '../../../../test/fixtures/config/load-text.ts';
import { activeDegradations, describeUse, matchingBudgets, usedShare } from './budgets.ts';

const load = async (budgets: string) => (await loadText(`budgets: ${budgets}`)).budgets;
const SUBJECT = { alertType: 'host', team: 'payments', source: null };

test('applies to the alert types, teams and sources that it names', async () => {
  const budgets = await load(`
  everything: { limit_usd: 1 }
  types: { scope: alert_type, limit_usd: 1, only: [host] }
  other: { scope: alert_type, limit_usd: 1, only: [latency] }
  teams: { scope: team, limit_usd: 1 }
  sources: { scope: source, limit_usd: 1 }
  sessions: { scope: session, limit_usd: 1 }`);
  const named = (subject: typeof SUBJECT) =>
    matchingBudgets(budgets, subject).map(({ budget, key }) => `${budget.name} ${key}`.trim());
  expect(named(SUBJECT)).toEqual(['everything', 'types host', 'teams payments', 'sessions']);
  expect(matchingBudgets(budgets, { alertType: 'x', team: null, source: 's' }).map(({ key }) => key)).toEqual(
    ['', 's', ''],
  );
  expect(named({ ...SUBJECT, team: '' })).not.toContain('teams');
});

test('degradations follow one after the other, the first at the limit', async () => {
  const { all, fast, session } = await load(`
  all: { limit_usd: 10, limit_tokens: 1000, cheaper_llm_provider: offline }
  fast: { limit_usd: 10, degrade: [conclude, queue], degrade_every_percent: 0 }
  session: { scope: session, limit_usd: 10 }`);
  expect(usedShare(all!, { usd: 5, tokens: 900 })).toBe(0.9);
  expect(activeDegradations(all!, 0.999)).toEqual([]);
  expect(activeDegradations(all!, 1)).toEqual(['CHEAPER_MODEL']);
  expect(activeDegradations(all!, 1.2)).toEqual(['CHEAPER_MODEL', 'FEWER_ITERATIONS', 'CONCLUDE']);
  expect(activeDegradations(all!, 9)).toEqual(['CHEAPER_MODEL', 'FEWER_ITERATIONS', 'CONCLUDE', 'QUEUE']);
  expect(activeDegradations(fast!, 1)).toEqual(['CONCLUDE', 'QUEUE']);
  expect(session!.degrade).toEqual(['fewer_iterations', 'conclude']);
  expect([session!.per, all!.per]).toEqual([null, 'month']);
});

test('describes the usage with its figures', async () => {
  const { all, teams } = await load(`
  all: { limit_usd: 50, limit_tokens: 2000000, per: day }
  teams: { scope: team, limit_usd: 0.05 }`);
  expect(describeUse({ budget: all!, key: '' }, { usd: 41, tokens: 12_345 })).toBe(
    'The budget all has used $41.00 of $50.00 and 12,345 of 2,000,000 tokens (82 %) today',
  );
  expect(describeUse({ budget: teams!, key: 'payments' }, { usd: 0.042, tokens: 1 })).toBe(
    'The budget teams for the team payments has used $0.042 of $0.05 (84 %) this month',
  );
  const used = { usd: 49.99, tokens: 0 };
  expect(describeUse({ budget: all!, key: '' }, used)).toContain('(99 %)'); // not all of it
  expect(describeUse({ budget: teams!, key: 'a' }, { usd: 0, tokens: 0 })).toContain('$0.00 of $0.05 (0 %)');
});

test.each([
  ['{ b: { per: day } }', 'limit_usd'],
  ['{ b: { limit_usd: 0 } }', 'limit_usd'],
  ['{ b: { limit_usd: 1, scope: session, per: day } }', 'not for sessions'],
  ['{ b: { limit_usd: 1, scope: session, degrade: [queue] } }', 'not for sessions'],
  ['{ b: { limit_usd: 1, only: [x] } }', 'is for budgets of'],
  ['{ b: { limit_usd: 1, degrade: [cheaper_model] } }', 'cheaper_llm_provider'],
  ['{ b: { limit_usd: 1, degrade: [conclude, conclude] } }', 'twice'],
  ['{ b: { limit_usd: 1, cheaper_llm_provider: nobody } }', 'no LLM provider is named'],
  ['{ "a b": { limit_usd: 1 } }', 'a name has'],
])('refuses %s', async (written, words) => {
  await expect(load(written)).rejects.toThrow(words);
});
