import { isIP } from 'node:net';
import { ValidationError } from '../common/errors.ts';
import type { RunbooksConfig } from '../config/types.ts';
import { addressKind } from './addresses.ts';

const MAX_LENGTH = 2000;

/** The host of raw files on GitHub; allowed whenever github.com is allowed. */
export const GITHUB_RAW_HOST = 'raw.githubusercontent.com';

export type RunbookRules = Pick<RunbooksConfig, 'allowedDomains' | 'allowHttp' | 'privateHosts'>;

/** Parses and checks the URL of a runbook. The fetch later checks the host's IP addresses. @throws ValidationError */
export function checkRunbookUrl(address: string, rules: RunbookRules): URL {
  const url = parse(address);
  const protocols = rules.allowHttp ? ['https:', 'http:'] : ['https:'];
  if (!protocols.includes(url.protocol)) {
    const allowed = protocols.map((protocol) => `${protocol}//`).join(' or ');
    throw refused(`The runbook URL must begin with ${allowed}, not ${url.protocol}.`);
  }
  if (url.username !== '' || url.password !== '')
    throw refused('The runbook URL contains a user name or password; send the URL without them.');
  if (isPrivateHost(url, rules)) return url;
  if (url.port !== '')
    throw refused('The runbook URL names a port; only the standard port of the protocol is allowed.');
  checkHost(url.hostname, rules);
  return url;
}

/** True if the operator allows a private address for this host and port (`privateHosts`). */
export function isPrivateHost(url: URL, { privateHosts }: RunbookRules): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return privateHosts.includes(url.host) || privateHosts.includes(`${url.hostname}:${port}`);
}

/** Returns the IP address in a URL's host; `null` if the host is a name. */
export function literalAddress({ hostname }: Pick<URL, 'hostname'>): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? null : bare;
}

function parse(address: string): URL {
  if (address.length > MAX_LENGTH) throw refused(`The runbook URL is longer than ${MAX_LENGTH} characters.`);
  // Refuses white space, `\` and control characters, because URL parsers drop or replace some of them, which misleads
  // readers.
  if (/[\s\\\p{Cc}]/u.test(address))
    throw refused('The runbook URL contains white space, a backslash or a control character.');
  const url = URL.parse(address);
  if (!url) throw refused('The runbook URL is not a URL. Send an absolute one, beginning with https://.');
  return url;
}

function checkHost(hostname: string, { allowedDomains }: RunbookRules): void {
  const hosts = allowedDomains.includes('github.com') ? [...allowedDomains, GITHUB_RAW_HOST] : allowedDomains;
  if (!hosts.some((domain) => hostname === domain || hostname === `www.${domain}`))
    throw refused(
      `Runbooks from ${hostname} are not allowed. Allowed: ${allowedDomains.join(', ') || 'none'}.`,
    );
  const literal = literalAddress({ hostname });
  if (literal !== null && addressKind(literal) !== 'PUBLIC')
    throw refused(`The runbook URL leads to ${hostname}, which is not a public address.`);
}

function refused(problem: string): ValidationError {
  return new ValidationError(problem, 'runbookUrl');
}
