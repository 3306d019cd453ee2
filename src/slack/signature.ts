import { createHmac, timingSafeEqual } from 'node:crypto';

/** Largest age of a signed request (s), as Slack recommends. */
const MAX_AGE_S = 300;

export interface SignedRequest {
  body: Buffer;
  /** Header `X-Slack-Request-Timestamp`: Unix time (s). */
  timestamp: string | undefined;
  /** Header `X-Slack-Signature`. */
  signature: string | undefined;
}

/** Returns why a request is not from Slack, or `null`. The signature covers the time and the raw body. */
export function signatureProblem(request: SignedRequest, secret: string, now: Date): string | null {
  const { body, timestamp = '', signature = '' } = request;
  if (!/^\d{1,12}$/.test(timestamp)) return 'the request has no timestamp';
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > MAX_AGE_S)
    return 'the timestamp is more than 5 minutes away';
  const expected = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex');
  const given = Buffer.from(signature);
  const wanted = Buffer.from(`v0=${expected}`);
  const isEqual = given.length === wanted.length && timingSafeEqual(given, wanted);
  return isEqual ? null : 'the signature is wrong';
}
