import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/**
 * Trusts the certificate authorities of the file that SSL_CERT_FILE names, in addition to Node's own and those of
 * NODE_EXTRA_CA_CERTS. Applies to every later TLS connection of this process.
 * @returns why the file was not used; `null` if it was, or none is named
 */
export function trustCertificates(env: NodeJS.ProcessEnv): string | null {
  const file = env.SSL_CERT_FILE;
  if (!file) return null;
  try {
    setDefaultCACertificates([...defaultCertificates(), readFileSync(file, 'utf8')]);
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no certificates';
    return `SSL_CERT_FILE is not used: ${file} could not be read (${code})`;
  }
}

/** Returns the certificate authorities that TLS connections of this process trust (PEM). */
export function defaultCertificates(): string[] {
  return getCACertificates('default');
}
