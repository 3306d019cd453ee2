import type { SourceConfig } from '../../config/types.ts';
import type { Delivery } from '../delivery.ts';
import { badProof, DeliveryRefusedError } from '../errors.ts';
import { readJson } from '../json-reader.ts';
import { matchesAny } from './secrets.ts';

/** The query parameters that carry a token: TARSy's own, Google Cloud's and CloudEvents'. */
const QUERY_NAMES = ['token', 'auth_token', 'access_token'];

/** The team that a proof assigns to a delivery's alerts; `null` if the proof names no team. */
export interface Sender {
  readonly team: string | null;
}

/** Returns the sender of an API token; `null` if the token may not submit alerts now. */
export type SubmitterOf = (token: string) => Promise<Sender | null>;

export async function verifyToken(
  delivery: Delivery,
  source: SourceConfig,
  submitterOf: SubmitterOf,
): Promise<Sender> {
  const inHeader = headerTokenOf(delivery, source);
  const given = inHeader ?? tokenElsewhere(delivery, source);
  if (given !== null && matchesAny(given, source.tokens)) return { team: null };
  // API tokens are read only from headers, because addresses end up in proxy logs and API tokens may have more rights.
  const sender = source.apiTokens && inHeader !== null ? await submitterOf(inHeader) : null;
  if (sender !== null) return sender;
  throw badProof(given === null ? `No token given. Send it ${placeOf(source)}.` : 'The token is wrong.');
}

function headerTokenOf({ headers }: Delivery, { tokenHeader }: SourceConfig): string | null {
  if (tokenHeader !== null) return headers[tokenHeader]?.trim() || null;
  const [, scheme, token] = /^\s*(\S+)\s+(\S+)\s*$/.exec(headers.authorization ?? '') ?? [];
  return token === undefined || scheme?.toLowerCase() === 'basic' ? null : token;
}

function tokenElsewhere(delivery: Delivery, source: SourceConfig): string | null {
  if (source.type === 'pagerduty-events') return routingKeyOf(delivery);
  if (!source.tokensInUrl) return null;
  return QUERY_NAMES.map((name) => delivery.query.get(name)).find((token) => token) ?? null;
}

/** Returns the routing key of a PagerDuty event, because most senders of these events can send a token only there. */
function routingKeyOf(delivery: Delivery): string | null {
  try {
    return readJson(delivery).at('routing_key').text();
  } catch (error) {
    if (error instanceof DeliveryRefusedError) return null; // an unreadable delivery contains no token
    throw error;
  }
}

function placeOf({ tokenHeader, tokensInUrl, type }: SourceConfig): string {
  if (type === 'pagerduty-events') return 'as routing_key, or in the header Authorization: Bearer …';
  const header = `in the header ${tokenHeader ?? 'Authorization: Bearer …'}`;
  return tokensInUrl ? `${header}, or in the URL as ?token=…` : header;
}
