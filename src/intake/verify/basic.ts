import type { SourceAuth } from '../../config/types.ts';
import type { Delivery } from '../delivery.ts';
import { DeliveryRefusedError } from '../errors.ts';
import { matchesAny } from './secrets.ts';

export function verifyBasic(
  { headers }: Delivery,
  { username, passwords }: NonNullable<SourceAuth['basic']>,
): void {
  const encoded = /^\s*basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined)
    throw new DeliveryRefusedError('BAD_PROOF', 'There is no user. Send HTTP basic authentication.');
  const given = Buffer.from(encoded, 'base64').toString('utf8');
  const right = passwords.map((password) => `${username}:${password}`);
  if (!matchesAny(given, right)) throw new DeliveryRefusedError('BAD_PROOF', 'User or password is wrong.');
}
