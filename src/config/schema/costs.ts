import { z } from 'zod';
import { count, ENTRY_NAME, type NameRule, namedEntries, reference, text, withRules } from './common.ts';
import { settings } from './settings.ts';

/** As providers name them, with their paths and versions. */
export const MODEL_NAME: NameRule = {
  pattern: /^[\x21-\x7e]{1,200}$/,
  message: 'a model has 1 to 200 ASCII characters without spaces, as its provider names it',
};

const rate = (description: string) => z.number().min(0).max(100_000).describe(description);

const rates = {
  input: rate('USD for a million tokens that the model reads'),
  output: rate('… that it writes'),
  cached_input: rate('… that it reads from its provider’s cache; default: as input').optional(),
  cache_write: rate('… that are written to that cache; default: as input').optional(),
  thinking: rate('… that it thinks; default: as output').optional(),
};

const tier = settings(
  z.strictObject({
    input_tokens: count('Calls that read more than so many tokens take these rates, whole', 1, 100_000_000),
    ...rates,
  }),
);

/** What models cost, by their names. */
export const modelPricesSchema = namedEntries(
  MODEL_NAME,
  settings(
    z.strictObject({
      ...rates,
      above: z.array(tier).max(10).describe('Other rates for long calls').prefault([]),
    }),
  ),
  'Prices of models by the names that their providers have for them, before those that TARSy knows',
);

/** What is done above a budget, in the order in which it helps without harm. */
const DEGRADE = ['cheaper_model', 'fewer_iterations', 'conclude', 'queue'] as const;
type Degrade = (typeof DEGRADE)[number];

const budgetKeys = z.strictObject({
  scope: z
    .enum(['all', 'session', 'alert_type', 'team', 'source'])
    .describe('What it holds for: everything together, or each session, alert type, team or source by itself')
    .prefault('all'),
  only: z
    .array(text('Name of an alert type, team or source').max(200))
    .min(1)
    .max(200)
    .describe('Only these alert types, teams or sources; default: each')
    .optional(),
  per: z.enum(['day', 'month']).describe('Time in UTC after which it begins anew; default: month').optional(),
  limit_usd: z
    .number()
    .positive()
    .max(1e9)
    .describe('USD; calls without a known price do not count')
    .optional(),
  limit_tokens: count('Tokens of models, all kinds together', 1, Number.MAX_SAFE_INTEGER).optional(),
  degrade: z
    .array(z.enum(DEGRADE))
    .min(1)
    .describe(
      'What is done above it, one after the other: another model, half of the iterations, concluding at once, investigations that wait. Default: all that can be',
    )
    .optional(),
  degrade_every_percent: count(
    'From one of them to the next, percent of the limit: the first at 100; 0: all at once',
    0,
    1000,
  ).prefault(10),
  cheaper_llm_provider: reference('LLM provider that agents go on with, for cheaper_model').optional(),
});

const budget = settings(
  withRules(
    budgetKeys,
    [
      'limit_usd',
      ({ limit_usd: usd, limit_tokens: tokens }) =>
        usd === undefined && tokens === undefined ? 'is required, or limit_tokens' : null,
    ],
    [
      'per',
      ({ scope, per }) =>
        scope === 'session' && per !== undefined ? 'is not for sessions: each has the whole budget' : null,
    ],
    [
      'only',
      ({ scope, only }) =>
        only !== undefined && (scope === 'all' || scope === 'session')
          ? 'is for budgets of alert types, teams and sources'
          : null,
    ],
    [
      'degrade',
      ({ scope, degrade, cheaper_llm_provider: cheaper }) => {
        if (!Array.isArray(degrade)) return null;
        if (new Set(degrade).size < degrade.length) return 'names something twice';
        if (degrade.includes('queue') && scope === 'session')
          return 'queue is not for sessions: waiting gives none of them more';
        return degrade.includes('cheaper_model') && cheaper === undefined
          ? 'cheaper_model needs cheaper_llm_provider'
          : null;
      },
    ],
  ).describe('How much may be used, and what is done above it'),
).transform(({ scope, per, degrade, cheaperLlmProvider, ...rest }) => ({
  ...{ ...rest, scope, cheaperLlmProvider },
  per: scope === 'session' ? null : (per ?? ('month' as const)),
  degrade: degrade ?? DEGRADE.filter((step) => isPossible(step, scope, cheaperLlmProvider)),
}));

function isPossible(step: Degrade, scope: string, cheaper: string | null): boolean {
  if (step === 'cheaper_model') return cheaper !== null;
  return step !== 'queue' || scope !== 'session';
}

/** How much may be used. */
export const budgetsSchema = namedEntries(ENTRY_NAME, budget, 'Budgets by name');
