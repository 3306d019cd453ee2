import { isIP } from 'node:net';
import { ValidationError } from '../common/errors.ts';
import type { RunbooksConfig } from '../config/types.ts';
import { addressKind } from './addresses.ts';

const FIELD = 'runbookUrl';

/** Maximum length of a URL (characters). */
const MAX_LENGTH = 2000;

/** The host of raw files on GitHub; allowed whenever github.com is allowed. */
export const GITHUB_RAW_HOST = 'raw.githubusercontent.com';

/** The configured rules for runbook URLs. */
export type RunbookRules = Pick<RunbooksConfig, 'allowedDomains' | 'allowHttp' | 'privateHosts'>;

/**
 * Parses and checks the URL of a runbook: https (http if allowed) on the standard port, an allowed host, no
 * credentials. The fetch checks the addresses that the host resolves to.
 * @throws ValidationError
 */
export function checkRunbookUrl(address: string, rules: RunbookRules): URL {
  const url = parse(address);
  const protocols = rules.allowHttp ? ['https:', 'http:'] : ['https:'];
  if (!protocols.includes(url.protocol)) {
    const allowed = protocols.map((protocol) => `${protocol}//`).join(' or ');
    throw new ValidationError(`The runbook URL must begin with ${allowed}, not ${url.protocol}.`, FIELD);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ValidationError('The runbook URL holds a user name or password; send it without.', FIELD);
  }
  if (isPrivateHost(url, rules)) return url;
  if (url.port !== '') {
    throw new ValidationError(
      'The runbook URL names a port; only the standard port of the protocol is allowed.',
      FIELD,
    );
  }
  checkHost(url.hostname, rules);
  return url;
}

/** True if the operator lists this host, at this port, as one with a private address. */
export function isPrivateHost(url: URL, { privateHosts }: RunbookRules): boolean {
  return privateHosts.includes(url.host) || privateHosts.includes(`${url.hostname}:${effectivePort(url)}`);
}

/** Returns the IP address in a URL's host; `null` if the host is a name. */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

function parse(address: string): URL {
  if (address.length > MAX_LENGTH)
    throw new ValidationError(`The runbook URL is longer than ${MAX_LENGTH} characters.`, FIELD);
  // URL parsers drop tabs and line breaks and read a backslash as a slash, so the result would differ from what users see.
  if (/[\s\\\p{Cc}]/u.test(address))
    throw new ValidationError(
      'The runbook URL holds white space, a backslash or a control character.',
      FIELD,
    );
  const url = URL.parse(address);
  if (url) return url;
  throw new ValidationError(
    'The runbook URL is not a URL. Send an absolute one, beginning with https://.',
    FIELD,
  );
}

function checkHost(hostname: string, { allowedDomains }: RunbookRules): void {
  const hosts = allowedDomains.includes('github.com') ? [...allowedDomains, GITHUB_RAW_HOST] : allowedDomains;
  if (!hosts.some((domain) => hostname === domain || hostname === `www.${domain}`)) {
    throw new ValidationError(
      `Runbooks from ${hostname} are not allowed. Allowed: ${allowedDomains.join(', ') || 'none'}.`,
      FIELD,
    );
  }
  const literal = literalAddress({ hostname } as URL);
  if (literal !== null && addressKind(literal) !== 'PUBLIC')
    throw new ValidationError(`The runbook URL leads to ${hostname}, which is not a public address.`, FIELD);
}

function effectivePort({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
