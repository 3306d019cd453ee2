import type { SourceAuth, SourceConfig } from '../../config/types.ts';
import type { Delivery } from '../delivery.ts';
import { badProof } from '../errors.ts';
import { isRaw } from '../sources/cloudwatch.ts';
import { matchesAny } from './secrets.ts';
import { verifySignature } from './signature.ts';
import { type CertificateOf, verifySns } from './sns.ts';
import { type Sender, type SubmitterOf, verifyToken } from './token.ts';

export interface ProofDeps {
  /** Returns the current time (ms). */
  now?: () => number;
  certificateOf: CertificateOf;
  submitterOf: SubmitterOf;
}

/**
 * Checks every proof that a source requires. A raw SNS delivery has no signature, so it needs a token or password.
 * @returns the team of an API token; `team` is `null` for all other proofs
 * @throws DeliveryRefusedError (BAD_PROOF, PROOF_UNAVAILABLE)
 */
export async function verifyDelivery(
  delivery: Delivery,
  source: SourceConfig,
  { now = Date.now, certificateOf, submitterOf }: ProofDeps,
): Promise<Sender> {
  const takesTokens = source.tokens.length > 0 || source.apiTokens;
  const sender = takesTokens ? await verifyToken(delivery, source, submitterOf) : { team: null };
  if (source.basic !== null) verifyBasic(delivery, source.basic);
  if (source.signature !== null) verifySignature(delivery, source.signature, now());
  if (source.topicArns === null) return sender;
  if (!isRaw(delivery)) await verifySns(delivery, source.topicArns, { now, certificateOf });
  else if (!takesTokens && source.basic === null)
    throw badProof(
      'Raw deliveries of SNS are not signed. Turn off raw message delivery, or configure a token for the source.',
    );
  return sender;
}

function verifyBasic({ headers }: Delivery, { username, passwords }: NonNullable<SourceAuth['basic']>): void {
  const encoded = /^\s*basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) throw badProof('No user given. Send HTTP basic authentication.');
  const given = Buffer.from(encoded, 'base64').toString('utf8');
  const right = passwords.map((password) => `${username}:${password}`);
  if (!matchesAny(given, right)) throw badProof('The user or the password is wrong.');
}

/** The strongest proof that a source requires. */
export type Verification = 'SIGNATURE' | 'BASIC' | 'TOKEN' | 'NONE';

export function verificationOf({ tokens, apiTokens, basic, signature, topicArns }: SourceAuth): Verification {
  if (signature !== null || topicArns !== null) return 'SIGNATURE';
  if (basic !== null) return 'BASIC';
  return tokens.length > 0 || apiTokens ? 'TOKEN' : 'NONE';
}
