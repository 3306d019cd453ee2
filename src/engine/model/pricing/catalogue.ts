import { calcPrice, type MatchLogic, type ModelInfo, type Provider } from '@pydantic/genai-prices';
import type { LlmProviderType } from '../../../config/enums.ts';
import { defaultContextWindow } from '../../../config/models.ts';
import type { LlmProviderConfig } from '../../../config/types.ts';
import type { CallTokens } from '../usage.ts';

/** Names that the catalogue has for the providers. */
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
 * USD that a call takes by the catalogue that the package brings; null = it has no price for exactly this model. Its own
 * matching is looser: it takes prefixes, and so the price of one model for another.
 * @param at when the call was made: prices change
 */
export function catalogueUsd(type: string, model: string, tokens: CallTokens, at: Date): number | null {
  const usage = usageOf(tokens);
  for (const { name, provider } of entriesOf(type, model)) {
    const price = calcPrice(usage, name, { provider, timestamp: at });
    if (price && price.model_price.output_mtok !== undefined) return price.total_price;
  }
  return null;
}

/** Tokens that exactly this model reads and writes at once, by the same catalogue; null = it does not say. */
export function catalogueWindow(type: string, model: string): number | null {
  return entriesOf(type, model)[0]?.provider.models[0]?.context_window ?? null;
}

/** What the catalogue has for exactly one model: a name of it, and its provider with this model alone. */
interface Entry {
  name: string;
  provider: Provider;
}

/** Looked for once: the catalogue tries its expressions one after the other. The configuration names few models. */
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

/** Its input is all that was read, from a cache or not; its output includes thinking. */
function usageOf({
  inputTokens,
  outputTokens,
  thinkingTokens,
  cachedReadTokens,
  cacheWriteTokens,
}: CallTokens) {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens + thinkingTokens,
    cache_read_tokens: cachedReadTokens,
    // Gateways may tell more than there is; the catalogue takes no such usage.
    cache_write_tokens: Math.min(cacheWriteTokens, inputTokens - cachedReadTokens),
  };
}

const PATH = /^(?:models|publishers\/[\w-]+\/models)\//;
const REGION = /^(?:us-gov|us|eu|apac|au|jp|global)\./;
const DATE = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)(?=-v\d|$)/;
const REVISION = /-v\d+(?::\d+)?$/;

/** What a model is called, the exact name first, then without what tells only where or since when it is served. */
function namesOf(model: string): ReadonlySet<string> {
  const name = model.toLowerCase().replace(PATH, '');
  const anywhere = name.replace(REGION, '');
  const undated = [name, anywhere].map((each) => each.replace(DATE, ''));
  return new Set([name, anywhere, ...undated, ...undated.map((each) => each.replace(REVISION, ''))]);
}

function isNamed({ id, match }: ModelInfo, name: string): boolean {
  return [id, ...exactNames(match)].some((exact) => exact.toLowerCase().replace(/^regional\./, '') === name);
}

function exactNames(match: MatchLogic): string[] {
  if ('or' in match) return match.or.flatMap(exactNames);
  return 'equals' in match ? [match.equals] : [];
}

/** What OpenAI's models of a window of 400k read of it; the rest is for what they write. */
const OPENAI_WHOLE = 400_000;

const OPENAI_INPUT = 272_000;

/**
 * Tokens that a provider's model reads and writes at once, when the configuration does not say: as the catalogue has it,
 * else as usual for the type. Whatever answers behind an address of one's own need not be the model of that name.
 */
export function knownWindow({
  type,
  model,
  baseUrl,
}: Pick<LlmProviderConfig, 'type' | 'model' | 'baseUrl'>): number {
  const isOwn = baseUrl !== null && type !== 'azure';
  const known = isOwn ? null : catalogueWindow(type, model);
  if (known === null) return defaultContextWindow(type, baseUrl !== null);
  return (type === 'openai' || type === 'azure') && known === OPENAI_WHOLE ? OPENAI_INPUT : known;
}
