import { type KeyObject, verify } from 'node:crypto';
import type { Delivery } from '../delivery.ts';
import { badProof } from '../errors.ts';
import { type JsonReader, readJson } from '../json-reader.ts';
import { SNS_TIME_TOLERANCE_MS } from '../tunables.ts';

/** Returns the public key of an SNS certificate. @throws DeliveryRefusedError */
export type CertificateOf = (url: URL) => Promise<KeyObject>;

const ALGORITHMS: Readonly<Record<string, string>> = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' };

/** The fields that SNS signs, in the order of signing; fields that a message lacks are left out. */
const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: CONFIRMATION,
  UnsubscribeConfirmation: CONFIRMATION,
};

const HOST = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(?:\.cn)?$/;
const PATH = /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/;

/**
 * Verifies that an SNS message is signed by AWS, recent and of a configured topic. The topic matters, because any AWS
 * account can send signed messages. @throws DeliveryRefusedError
 */
export async function verifySns(
  delivery: Delivery,
  topicArns: readonly string[],
  deps: { now: () => number; certificateOf: CertificateOf },
): Promise<void> {
  const message = readJson(delivery).requireObject();
  const topic = message.at('TopicArn').text();
  if (topic === null || !topicArns.includes(topic))
    throw badProof('The topic is not in the topic_arns of this source.');
  const sentAt = message.at('Timestamp').date()?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (Math.abs(deps.now() - sentAt) > SNS_TIME_TOLERANCE_MS)
    throw badProof(`The message is not from the last ${SNS_TIME_TOLERANCE_MS / 60_000} minutes.`);
  const algorithm = ALGORITHMS[message.at('SignatureVersion').text() ?? ''];
  const fields = SIGNED[message.at('Type').text() ?? ''];
  if (algorithm === undefined || fields === undefined)
    throw badProof('The message has an unknown type or signature version.');
  const url = certificateUrl(message.at('SigningCertURL').text());
  const signature = Buffer.from(message.at('Signature').text() ?? '', 'base64');
  const key = await deps.certificateOf(url);
  if (!verify(algorithm, Buffer.from(signedText(message, fields)), key, signature))
    throw badProof('The signature is wrong.');
}

function signedText(message: JsonReader, fields: readonly string[]): string {
  const present = fields.filter((name) => typeof message.at(name).value === 'string');
  return present.map((name) => `${name}\n${message.at(name).value}\n`).join('');
}

/** Parses the certificate's address. @throws if it is not an address of SNS, because the sender chooses the text */
function certificateUrl(written: string | null): URL {
  const url = URL.parse(written ?? '');
  const isOurs =
    url !== null &&
    url.protocol === 'https:' &&
    HOST.test(url.hostname) &&
    PATH.test(url.pathname) &&
    [url.port, url.username, url.password, url.search, url.hash].every((part) => part === '');
  if (!isOurs) throw badProof('The URL of the signing certificate is not an SNS address.');
  return url;
}
