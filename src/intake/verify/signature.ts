import { createHmac } from 'node:crypto';
import type { SignatureConfig } from '../../config/types.ts';
import type { Delivery } from '../delivery.ts';
import { badProof } from '../errors.ts';
import { SIGNED_TIME_TOLERANCE_MS } from '../tunables.ts';
import { matchesAny } from './secrets.ts';

/** Maximum number of signatures checked in one header; senders send one for each of their secrets. */
const MAX_SIGNATURES = 10;

/**
 * Verifies that a header has a valid HMAC-SHA256 of the raw body: hexadecimal, comma-separated, perhaps after `v1=` or
 * `sha256=`. With a time header, the signed text is `<time>:` and the body, as in Grafana. @throws DeliveryRefusedError
 */
export function verifySignature({ body, headers }: Delivery, config: SignatureConfig, now: number): void {
  const given = headers[config.header];
  if (given === undefined || given.trim() === '')
    throw badProof(`The header ${config.header} has no signature.`);
  const { timestampHeader } = config;
  const time = timestampHeader && timeOf(headers[timestampHeader], timestampHeader, now);
  const right = config.secrets.map((secret) => {
    const mac = createHmac('sha256', secret);
    if (time !== null) mac.update(`${time}:`);
    return mac.update(body).digest('hex');
  });
  const parts = given.toLowerCase().split(',', MAX_SIGNATURES);
  const signatures = parts.map((part) => part.trim().replace(/^(?:v1|sha256)=/, ''));
  if (!signatures.some((signature) => matchesAny(signature, right)))
    throw badProof('The signature is wrong.');
}

function timeOf(written: string | undefined, header: string, now: number): string {
  if (written === undefined || !/^\d{1,12}$/.test(written))
    throw badProof(`The header ${header} has no time in seconds.`);
  const distance = Math.abs(now - Number(written) * 1000);
  if (distance <= SIGNED_TIME_TOLERANCE_MS) return written;
  throw badProof(
    `The signed time differs from the server’s by ${Math.round(distance / 1000)} s; at most ${SIGNED_TIME_TOLERANCE_MS / 1000} s are allowed. Check both clocks.`,
  );
}
