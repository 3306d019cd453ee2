import { z } from 'zod';
import { count, ENTRY_NAME, list, type NameRule, namedEntries, reference, text } from './common.ts';
import { mapping, settings } from './settings.ts';

export const MODEL_NAME: NameRule = {
  pattern: /^[\x21-\x7e]{1,200}$/,
  message: 'a model has 1 to 200 ASCII characters without spaces, as its provider names it',
};

const rate = (description: string) => z.number().min(0).max(100_000).describe(description);

const rates = {
  input: rate('USD per million input tokens'),
  output: rate('USD per million output tokens'),
  cached_input: rate(
    'USD per million input tokens read from the provider’s cache; default: as input',
  ).optional(),
  cache_write: rate('USD per million tokens written to the provider’s cache; default: as input').optional(),
  thinking: rate('USD per million thinking tokens; default: as output').optional(),
};

const tier = mapping({
  input_tokens: count(1, 100_000_000).describe(
    'Minimum size of a call: calls with more input tokens are charged at these rates entirely',
  ),
  ...rates,
});

export const modelPricesSchema = namedEntries(
  MODEL_NAME,
  mapping({ ...rates, above: list(tier, 'Rates for longer calls').max(10).prefault([]) }),
  'Prices by the provider’s model name; they take precedence over TARSy’s built-in prices',
);

/** Measures that TARSy takes when a budget is used up, least harmful first. */
const DEGRADE = ['cheaper_model', 'fewer_iterations', 'conclude', 'queue'] as const;

const budgetKeys = z.strictObject({
  scope: z
    .enum(['all', 'session', 'alert_type', 'team', 'source'])
    .describe(
      'Scope of the budget: all usage together, or each session, alert type, team or source separately',
    )
    .prefault('all'),
  only: list(
    text('Name of an alert type, team or source').max(200),
    'Alert types, teams or sources that the budget applies to; default: all of them',
  )
    .min(1)
    .max(200)
    .optional(),
  per: z
    .enum(['day', 'month'])
    .describe('Period (UTC) after which the budget starts again; default: month')
    .optional(),
  limit_usd: z
    .number()
    .positive()
    .max(1e9)
    .describe('Limit in USD; calls without a known price do not count')
    .optional(),
  limit_tokens: count(1, Number.MAX_SAFE_INTEGER).describe('Limit in tokens, all kinds together').optional(),
  degrade: list(
    z.enum(DEGRADE),
    'Measures above the limit, in this order: cheaper_model switches the model, fewer_iterations halves the iterations, conclude ends the work at once, queue lets new investigations wait. Default: all applicable ones',
  )
    .min(1)
    .optional(),
  degrade_every_percent: count(0, 1000)
    .describe(
      'Distance between two measures (percent of the limit); the first applies at 100 percent; 0: all at once',
    )
    .prefault(10),
  cheaper_llm_provider: reference('LLM provider that agents switch to, for cheaper_model').optional(),
});

const budget = settings(
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
      if (new Set(degrade).size < degrade.length) return 'lists a measure twice';
      if (degrade.includes('queue') && scope === 'session')
        return 'queue is not for sessions: waiting gives none of them more';
      return degrade.includes('cheaper_model') && cheaper === undefined
        ? 'cheaper_model needs cheaper_llm_provider'
        : null;
    },
  ],
)
  .describe('Usage limit and the measures above it')
  .transform(({ scope, per, degrade, cheaperLlmProvider, ...rest }) => ({
    ...{ ...rest, scope, cheaperLlmProvider },
    per: scope === 'session' ? null : (per ?? ('month' as const)),
    degrade: degrade ?? DEGRADE.filter((step) => isPossible(step, scope, cheaperLlmProvider)),
  }));

function isPossible(step: (typeof DEGRADE)[number], scope: string, cheaper: string | null): boolean {
  if (step === 'cheaper_model') return cheaper !== null;
  return step !== 'queue' || scope !== 'session';
}

export const budgetsSchema = namedEntries(ENTRY_NAME, budget, 'Budgets by name');
