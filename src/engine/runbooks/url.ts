import { ValidationError } from '../errors.ts';

const FIELD = 'runbookUrl';

/** Longest address that is accepted, in characters. */
const MAX_LENGTH = 2000;

/**
 * Whether a runbook may come from this address: https, a host of the allow-list or below one, no credentials.
 * @param allowedDomains lower case; empty allows every host
 * @throws ValidationError
 */
export function checkRunbookUrl(address: string, allowedDomains: readonly string[]): URL {
  if (address.length > MAX_LENGTH)
    throw new ValidationError(`The runbook URL is longer than ${MAX_LENGTH} characters.`, FIELD);
  const url = URL.parse(address);
  if (!url)
    throw new ValidationError(
      'The runbook URL is not a URL. Send an absolute one, beginning with https://.',
      FIELD,
    );
  if (url.protocol !== 'https:')
    throw new ValidationError(`The runbook URL must begin with https://, not ${url.protocol}//.`, FIELD);
  if (url.username !== '' || url.password !== '') {
    throw new ValidationError('The runbook URL holds a user name or password; send it without.', FIELD);
  }
  if (url.port !== '')
    throw new ValidationError(
      'The runbook URL names a port; only the standard port of https is allowed.',
      FIELD,
    );
  const host = url.hostname.toLowerCase();
  const allowed =
    allowedDomains.length === 0 ||
    allowedDomains.some((domain) => host === domain || host === `www.${domain}`);
  if (!allowed) {
    throw new ValidationError(
      `Runbooks from ${host} are not allowed. Allowed: ${allowedDomains.join(', ')}.`,
      FIELD,
    );
  }
  return url;
}
