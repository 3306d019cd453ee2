import { lookup } from 'node:dns/promises';
import { isIPv6, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

/** Name resolution and connections, which tests replace. */
export interface Network {
  /** Returns all addresses of a host name. @throws Error if the name has none */
  resolve(hostname: string): Promise<string[]>;
  /** Returns a connector that connects only to these addresses. */
  connector(addresses: readonly string[]): buildConnector.connector;
}

const CONNECT_TIMEOUT_MS = 5_000;

export function systemNetwork(): Network {
  return {
    async resolve(hostname) {
      const found = await lookup(hostname, { all: true });
      return found.map(({ address }) => address);
    },
    connector: (addresses) =>
      buildConnector({
        lookup: pinnedLookup(addresses),
        autoSelectFamily: true,
        timeout: CONNECT_TIMEOUT_MS,
      }),
  };
}

/** Returns a look-up that answers every host name with the checked addresses, so that connections use no others. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_hostname, options, done) => {
    const first = all[0];
    if (!first) done(new Error('no address'), '', 0);
    else if (options.all) done(null, all);
    else done(null, first.address, first.family);
  };
}
