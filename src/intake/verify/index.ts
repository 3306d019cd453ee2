import type { SourceAuth, SourceConfig } from '../../config/types.ts';
import type { Delivery } from '../delivery.ts';
import { DeliveryRefusedError } from '../errors.ts';
import { isRaw } from '../sources/cloudwatch.ts';
import { verifyBasic } from './basic.ts';
import { verifySignature } from './signature.ts';
import { type CertificateOf, verifySns } from './sns.ts';
import { type Sender, type SubmitterOf, verifyToken } from './token.ts';

export interface ProofDeps {
  /** Returns the current time (ms); default `Date.now`. */
  now?: () => number;
  certificateOf: CertificateOf;
  submitterOf: SubmitterOf;
}

/**
 * Checks every proof that a source requires, on the unchanged bytes. The configuration ensures that a source without proofs
 * is intended.
 * @returns the sender, as far as its token identifies it
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
    throw new DeliveryRefusedError(
      'BAD_PROOF',
      'A raw delivery of SNS has no signature. Switch raw message delivery off, or give the source a token.',
    );
  return sender;
}

/** The strongest proof that a source requires. */
export type Verification = 'SIGNATURE' | 'BASIC' | 'TOKEN' | 'NONE';

export function verificationOf({ tokens, apiTokens, basic, signature, topicArns }: SourceAuth): Verification {
  if (signature !== null || topicArns !== null) return 'SIGNATURE';
  if (basic !== null) return 'BASIC';
  return tokens.length > 0 || apiTokens ? 'TOKEN' : 'NONE';
}
