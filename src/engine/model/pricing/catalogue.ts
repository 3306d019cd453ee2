import { calcPrice, type MatchLogic, type ModelInfo, type Provider } from '@pydantic/genai-prices';
import type { LlmProviderType } from '../../../config/enums.ts';
import { defaultContextWindow } from '../../../config/models.ts';
import type { LlmProviderConfig, ModelPriceConfig } from '../../../config/types.ts';
import type { Usage } from '../../store/stages-and-executions.ts';

/** Token counts of one model call. The cached tokens are parts of the input; the output excludes thinking. */
export type CallTokens = Omit<Usage, 'totalTokens' | 'costUsd' | 'budgets'>;

const PROVIDERS: Readonly<Record<Exclude<LlmProviderType, 'offline'>, string>> = {
  google: 'google',
  vertexai: 'google',
  openai: 'openai',
  azure: 'azure',
  anthropic: 'anthropic',
  xai: 'x-ai',
  bedrock: 'aws',
};

/**
 * Returns the price of a call (USD) by the bundled catalogue; `null` if it has no price for exactly this model. The
 * catalogue's own matching accepts prefixes, and so the price of another model.
 * @param at when the call was made, because prices change
 */
export function catalogueUsd(type: string, model: string, tokens: CallTokens, at: Date): number | null {
  const usage = usageOf(tokens);
  for (const { name, provider } of entriesOf(type, model)) {
    const price = calcPrice(usage, name, { provider, timestamp: at });
    if (price && price.model_price.output_mtok !== undefined) return price.total_price;
  }
  return null;
}

/**
 * A model's entry in the catalogue: one of the model's names, and its provider reduced to this model, so that
 * the name cannot match another model.
 */
interface Entry {
  name: string;
  provider: Provider;
}

/** Cached entries by provider type and model, because a lookup tries all match expressions of the catalogue. */
const entries = new Map<string, readonly Entry[]>();

function entriesOf(type: string, model: string): readonly Entry[] {
  const providerId = PROVIDERS[type as keyof typeof PROVIDERS];
  if (providerId === undefined) return [];
  const key = `${type} ${model}`;
  let known = entries.get(key);
  if (known === undefined) {
    known = [...namesOf(model)].flatMap((name) => {
      const found = calcPrice({}, name, { providerId });
      return found && isNamed(found.model, name)
        ? [{ name, provider: { ...found.provider, models: [found.model] } }]
        : [];
    });
    entries.set(key, known);
  }
  return known;
}

/** Returns the usage in the catalogue's terms: its output includes thinking. */
function usageOf(tokens: CallTokens) {
  return {
    input_tokens: tokens.inputTokens,
    output_tokens: tokens.outputTokens + tokens.thinkingTokens,
    cache_read_tokens: tokens.cachedReadTokens,
    // Gateways may report more cached tokens than input tokens; the catalogue rejects that.
    cache_write_tokens: Math.min(tokens.cacheWriteTokens, tokens.inputTokens - tokens.cachedReadTokens),
  };
}

const PATH = /^(?:models|publishers\/[\w-]+\/models)\//;
const REGION = /^(?:us-gov|us|eu|apac|au|jp|global)\./;
// Only after a version number, because gemini-pro-latest is not the model gemini-pro.
const DATE = /(?<=\d.*)[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)(?=-v\d|$)/;
const REVISION = /-v\d+(?::\d+)?$/;

/** Returns the names of a model to look up: the exact name first, then without region, date and revision. */
function namesOf(model: string): ReadonlySet<string> {
  const name = model.toLowerCase().replace(PATH, '');
  const anywhere = name.replace(REGION, '');
  const undated = [name, anywhere].map((each) => each.replace(DATE, ''));
  return new Set([name, anywhere, ...undated, ...undated.map((each) => each.replace(REVISION, ''))]);
}

/** Returns the model's entry if it is newer than the catalogue. */
export function recentModel(type: string, model: string) {
  const known = [...namesOf(model)].find((name) => Object.hasOwn(RECENT_MODELS, name));
  const recent = known === undefined ? undefined : RECENT_MODELS[known];
  return recent?.types.some((each) => each === type) ? recent : undefined;
}

/** Returns true if the model has the name. The catalogue names revisions (`-v1:0`) that most of Bedrock's names lack. */
function isNamed({ id, match }: ModelInfo, name: string): boolean {
  return [id, ...exactNames(match)]
    .map((exact) => exact.toLowerCase().replace(/^regional\./, ''))
    .some((exact) => exact === name || exact.replace(REVISION, '') === name);
}

function exactNames(match: MatchLogic): string[] {
  if ('or' in match) return match.or.flatMap(exactNames);
  return 'equals' in match ? [match.equals] : [];
}

/** OpenAI's models with a window of 400k tokens accept this much input. The rest is for the answer. */
const OPENAI_WHOLE = 400_000;
const OPENAI_INPUT = 272_000;

/**
 * Returns the context window (tokens) of a model for which none is configured: the catalogue's, or the default of the
 * provider's type. Except for Azure, a configured `baseUrl` excludes the catalogue: another model may have the name.
 */
export function knownWindow({
  type,
  model,
  baseUrl,
}: Pick<LlmProviderConfig, 'type' | 'model' | 'baseUrl'>): number {
  const isOwn = baseUrl !== null && type !== 'azure';
  const known = isOwn
    ? null
    : (recentModel(type, model)?.window ?? entriesOf(type, model)[0]?.provider.models[0]?.context_window);
  if (known == null) return defaultContextWindow(type, baseUrl !== null);
  return (type === 'openai' || type === 'azure') && known === OPENAI_WHOLE ? OPENAI_INPUT : known;
}

/** A model that is newer than the bundled catalogue. */
interface RecentModel {
  types: readonly LlmProviderType[];
  /** The context window (tokens). */
  window: number;
  /** USD per million tokens, from the provider's price list. */
  price: ModelPriceConfig;
}

/** Returns a GPT model by its rates. Writing to the cache costs a quarter more than input. Long calls cost more. */
function gpt(input: number, cachedInput: number, output: number): RecentModel {
  const cacheWrite = 1.25 * input;
  const long = { input: 2 * input, cachedInput: 2 * cachedInput, cacheWrite: 2 * cacheWrite };
  const above = [{ ...long, inputTokens: 272_000, output: 1.5 * output, thinking: null }];
  const price = { input, cachedInput, cacheWrite, output, thinking: null, above };
  return { types: ['openai'], window: 1_050_000, price };
}

/** Returns a model without higher rates for long calls. `cacheWrite` is `null` if writing costs no more than input. */
function flat(
  types: readonly LlmProviderType[],
  [input, cachedInput, cacheWrite, output]: readonly [number, number, number | null, number],
): RecentModel {
  const price = { input, cachedInput, cacheWrite, output, thinking: null, above: [] };
  return { types, window: 1_000_000, price };
}

/**
 * Models that are newer than the bundled catalogue, by name. Remove a model as soon as the catalogue has it.
 */
const RECENT_MODELS: Readonly<Record<string, RecentModel>> = {
  'gpt-6.1-terra': gpt(1, 0.05, 5),
  'gpt-6.1-sol': gpt(2, 0.1, 10),
  'gpt-6.2-sol': gpt(2, 0.1, 10),
  'gpt-6.2-astra': gpt(8, 0.4, 40),
  'gemini-4-hydrogen': flat(['google', 'vertexai'], [1.5, 0.075, null, 7.5]),
  'gemini-4-neon': flat(['google', 'vertexai'], [3, 0.15, null, 15]),
  'gemini-4-argon': flat(['google', 'vertexai'], [4, 0.2, null, 20]), // since 2026-12-01
  'gemini-4-carbon': flat(['google', 'vertexai'], [4, 0.2, null, 20]), // since 2026-12-01
  'claude-sonnet-5-5': flat(['anthropic', 'vertexai'], [2, 0.1, 2.5, 10]),
  'claude-haiku-5-5': {
    types: ['anthropic', 'vertexai'],
    window: 1_000_000,
    price: {
      ...{ input: 0.1, output: 0.5, cachedInput: 0.01, cacheWrite: 0.125, thinking: null },
      above: [
        {
          inputTokens: 100_000,
          input: 0.5,
          output: 2.5,
          cachedInput: 0.05,
          cacheWrite: 0.625,
          thinking: null,
        },
      ],
    },
  },
  'grok-4.7': {
    types: ['xai'],
    window: 500_000,
    price: {
      ...{ input: 2, output: 6, cachedInput: 0.5, cacheWrite: null, thinking: null },
      above: [
        { inputTokens: 199_999, input: 4, output: 12, cachedInput: 1, cacheWrite: null, thinking: null },
      ],
    },
  },
};
