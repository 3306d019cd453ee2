import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isIPv6 } from 'node:net';
import { buildConnector } from 'undici';

/** The way to other machines. A test puts its own in the place of the system's. */
export interface Network {
  /** All addresses of a name. @throws when it has none */
  resolve(hostname: string): Promise<string[]>;
  /** Opens connections to these addresses and no others, whatever a name resolves to by then. */
  connector(addresses: readonly string[]): buildConnector.connector;
}

/** Milliseconds until a connection that does not come about is given up. */
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

/** In the place of the system's resolver: gives what was checked. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_hostname, options, done) => {
    const first = all[0];
    if (!first) done(new Error('no address'), '', 0);
    else if (options.all) done(null, all);
    else done(null, first.address, first.family);
  };
}
