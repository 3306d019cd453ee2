import type { SourceType } from '../../src/config/enums.ts';
import { SOURCE_TOKEN } from '../helpers/deliveries.ts';
import { SENDERS } from './senders.ts';

/** Returns the configuration of a source of each type, named like its type. */
export function sourcesOfSenders(): Record<string, unknown> {
  const sources = Object.entries(SENDERS).map(([type, { config }]) => [
    type,
    { type, ...(config ?? { tokens: [SOURCE_TOKEN] }) },
  ]);
  return Object.fromEntries(sources);
}

/** Sends a delivery with the proof of its source type. Returns the HTTP status. */
export async function sendAs(
  type: SourceType,
  { url, payload, secret = SOURCE_TOKEN }: { url: string; payload: unknown; secret?: string },
): Promise<number> {
  const { proof, headers } = SENDERS[type];
  const written = JSON.stringify(payload);
  const body = type === 'pagerduty-events' ? written.replace(SOURCE_TOKEN, secret) : written;
  const batch = type === 'cloudevents' && Array.isArray(payload);
  const response = await fetch(
    `${url}/webhooks/${type}${type === 'azure-monitor' ? `?token=${secret}` : ''}`,
    {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        ...headers,
        ...(batch && { 'content-type': 'application/cloudevents-batch+json' }),
        ...(proof?.(body, secret) ?? { authorization: `Bearer ${secret}` }),
      },
    },
  );
  await response.body?.cancel();
  return response.status;
}
