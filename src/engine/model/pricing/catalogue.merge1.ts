import { defaultContextWindow } from '../../../config/models.ts';
import type { LlmProviderConfig } from '../../../config/types.ts';
import { catalogueWindow } from './catalogue.ts';

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
