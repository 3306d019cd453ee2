import { type KeyObject, X509Certificate } from 'node:crypto';
import { badProof, DeliveryRefusedError } from '../errors.ts';
import type { CertificateOf } from './sns.ts';

/** Timeout (ms) of fetching a certificate, because the sender waits meanwhile. */
const FETCH_MS = 700;
const CACHE_MS = 24 * 3_600_000;
const MAX_BYTES = 16 * 1024;

/** Maximum number of cached certificates; SNS has a few for each region. */
const MAX_CERTIFICATES = 50;

type FetchPem = (url: URL, signal: AbortSignal) => Promise<string>;

/** Returns a function that fetches and caches SNS certificates. sns.ts checks each address first. */
export function createCertificates(options: { fetchPem?: FetchPem; now?: () => number } = {}): CertificateOf {
  const { fetchPem = fetchText, now = Date.now } = options;
  const kept = new Map<string, { certificate: X509Certificate; until: number }>();
  const underWay = new Map<string, Promise<X509Certificate>>();

  async function load(url: URL): Promise<X509Certificate> {
    const pem = await fetchPem(url, AbortSignal.timeout(FETCH_MS)).catch(() => {
      throw new DeliveryRefusedError('PROOF_UNAVAILABLE', 'The certificate of SNS is unavailable now.');
    });
    const certificate = certificateOf(pem);
    kept.delete(kept.size >= MAX_CERTIFICATES ? kept.keys().next().value! : '');
    kept.set(url.href, { certificate, until: now() + CACHE_MS });
    return certificate;
  }

  return async (url) => {
    const known = kept.get(url.href);
    if (known && known.until > now()) return keyOf(known.certificate, now());
    const loading = underWay.get(url.href) ?? load(url).finally(() => underWay.delete(url.href));
    underWay.set(url.href, loading);
    return keyOf(await loading, now());
  };
}

function certificateOf(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw badProof('The URL of the signing certificate has no certificate.');
  }
}

function keyOf({ validFromDate, validToDate, publicKey }: X509Certificate, now: number): KeyObject {
  if (validFromDate.getTime() > now || validToDate.getTime() < now)
    throw badProof('The signing certificate is expired or not yet valid.');
  return publicKey;
}

async function fetchText(url: URL, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal, redirect: 'error' });
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body) {
    bytes += piece.length;
    if (bytes > MAX_BYTES) throw new Error('too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('latin1');
}
