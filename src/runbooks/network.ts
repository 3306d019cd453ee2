import { lookup } from 'node:dns/promises';
import { isIPv6, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

/** Access to the network; tests provide their own. */
export interface Network {
  /** Returns all addresses of a name. @throws Error if it has none */
  resolve(hostname: string): Promise<string[]>;
  /** Returns a connector for these addresses only. */
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

/** Replaces the system's resolver, so that connections use only the checked addresses. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_hostname, options, done) => {
    const first = all[0];
    if (!first) done(new Error('no address'), '', 0);
    else if (options.all) done(null, all);
    else done(null, first.address, first.family);
  };
}
