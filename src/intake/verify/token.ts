import type { SourceConfig } from '../../config/types.ts';
import type { Delivery } from '../delivery.ts';
import { DeliveryRefusedError } from '../errors.ts';
import { jsonOfDelivery } from '../json-reader.ts';
import { isOneOf } from './secrets.ts';

/** Names under which senders put a token into an address: ours, Google Cloud's, CloudEvents'. */
const QUERY_NAMES = ['token', 'auth_token', 'access_token'];

/** Whose alerts a proof makes those of a delivery; null = it does not say. */
export interface Sender {
  readonly team: string | null;
}

/** Who sends with this API token as it is now; null when no alerts may be submitted with it. */
export type SubmitterOf = (token: string) => Promise<Sender | null>;

/** @throws DeliveryRefusedError (BAD_PROOF), and what `submitterOf` rejects with */
export async function verifyToken(
  delivery: Delivery,
  source: SourceConfig,
  submitterOf: SubmitterOf,
): Promise<Sender> {
  const inHeader = headerTokenOf(delivery, source);
  const given = inHeader ?? tokenElsewhere(delivery, source);
  if (given !== null && isOneOf(given, source.tokens)) return { team: null };
  // Never from an address: those end up in the logs of proxies, and these tokens may do more.
  const sender = source.apiTokens && inHeader !== null ? await submitterOf(inHeader) : null;
  if (sender !== null) return sender;
  const problem = given === null ? `There is no token. Send it ${placeOf(source)}.` : 'The token is wrong.';
  throw new DeliveryRefusedError('BAD_PROOF', problem);
}

function headerTokenOf({ headers }: Delivery, { tokenHeader }: SourceConfig): string | null {
  const header = headers[tokenHeader ?? 'authorization'];
  const token = tokenHeader === null ? afterScheme(header) : header;
  return token?.trim() || null;
}

function tokenElsewhere(delivery: Delivery, source: SourceConfig): string | null {
  if (source.type === 'pagerduty-events') return routingKeyOf(delivery);
  if (!source.tokensInUrl) return null;
  return QUERY_NAMES.map((name) => delivery.query.get(name)).find((token) => token) ?? null;
}

/** `Bearer x`, and whatever other scheme a sender writes before its token. */
function afterScheme(header: string | undefined): string | null {
  const parts = /^\s*(\S+)\s+(\S+)\s*$/.exec(header ?? '');
  return parts && parts[1]!.toLowerCase() !== 'basic' ? parts[2]! : null;
}

/** Senders of PagerDuty's events know no other place. */
function routingKeyOf(delivery: Delivery): string | null {
  try {
    return jsonOfDelivery(delivery).at('routing_key').text();
  } catch (error) {
    if (error instanceof DeliveryRefusedError) return null; // what cannot be read proves nothing
    throw error;
  }
}

function placeOf({ tokenHeader, tokensInUrl, type }: SourceConfig): string {
  if (type === 'pagerduty-events') return 'as routing_key, or in the header Authorization: Bearer …';
  const header =
    tokenHeader === null ? 'in the header Authorization: Bearer …' : `in the header ${tokenHeader}`;
  return tokensInUrl ? `${header}, or in the address as ?token=…` : header;
}
