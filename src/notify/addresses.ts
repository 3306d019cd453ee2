import { isIP } from 'node:net';
import { addressKind } from '../runbooks/addresses.ts';
import type { Network } from '../runbooks/network.ts';
import { SendError } from './failure.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * Resolves a host and returns its addresses. Refuses the host if one address is not allowed; addresses of cloud metadata
 * services and link-local ones never are. @throws SendError
 */
export async function checkedAddresses(
  network: Network,
  host: string,
  { allowPrivate }: { allowPrivate: boolean },
  signal: AbortSignal,
): Promise<string[]> {
  const bare = host.replace(/^\[|\]$/g, '');
  const addresses = isIP(bare) === 0 ? await untilAborted(network.resolve(bare), signal) : [bare];
  for (const address of addresses) {
    const kind = addressKind(address);
    if (kind === 'PUBLIC' || (kind === 'PRIVATE' && allowPrivate)) continue;
    const hint = kind === 'PRIVATE' ? ' Set allow_private: true if that is intended.' : '';
    throw new SendError(`${bare} does not lead to a public address.${hint}`, {
      code: 'PRIVATE_ADDRESS',
      isFinal: true,
    });
  }
  if (addresses.length === 0) throw new SendError(`${bare} has no address.`, { code: 'UNREACHABLE' });
  return addresses;
}
