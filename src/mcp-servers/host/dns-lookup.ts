import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { z } from 'zod';
import { systemCode, ToolFailure } from '../tool/failure.ts';
import type { ServerTool } from '../tool/tool.ts';
import type { HostConfig } from './config.ts';

const TIMEOUT_MS = 3_000;
const MAX_RECORDS = 30;
/** Matches host names, including the underscores of service records. */
const NAME =
  /^(?=.{1,253}\.?$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i;

const input = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(254)
    .describe('Host name (e.g. db.example.com) or IP address (reverse lookup).'),
});

export function dnsLookupTool(config: HostConfig): ServerTool<typeof input> {
  return {
    name: 'dns_lookup',
    title: 'DNS lookup',
    description:
      'Resolves a host name as seen from this host: addresses the system uses (hosts file and DNS), A, AAAA, CNAME, MX and NS records, latency; ' +
      'reverse lookup for an IP address. Use it for DNS failures, name resolution errors, NXDOMAIN, host not found, wrong address.',
    input,
    openWorld: true,
    async run({ name }, signal) {
      const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
      const cancel = () => resolver.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      try {
        if (isIP(name) === 0) return await forward(config, resolver, name);
        return `${name}:\n${await answer('PTR', () => resolver.reverse(name))}`;
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
  };
}

async function forward(config: HostConfig, resolver: Resolver, name: string): Promise<string> {
  if (!NAME.test(name)) throw new ToolFailure('BAD_INPUT', `"${name}" is no host name.`);
  const [system, address, ...others] = await Promise.all([
    answer('system', async () => (await lookup(name, { all: true })).map(({ address }) => address)),
    answer('A', () => resolver.resolve4(name)),
    answer('AAAA', () => resolver.resolve6(name)),
    answer('CNAME', () => resolver.resolveCname(name)),
    answer('MX', async () =>
      (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${exchange}`),
    ),
    answer('NS', () => resolver.resolveNs(name)),
  ]);
  return [
    `${name} as resolved on ${config.hostname} (DNS servers: ${resolver.getServers().join(', ') || 'none'}):`,
    system,
    address,
    ...others.filter((line) => !line.endsWith('(ENODATA)')),
  ].join('\n');
}

/** Looks up one record type. Returns one line, even if there is no record or no answer. */
async function answer(kind: string, ask: () => Promise<string[]>): Promise<string> {
  const started = performance.now();
  const took = () => `${(performance.now() - started).toFixed(0)} ms`;
  try {
    const found = await ask();
    const more = found.length > MAX_RECORDS ? ` and ${found.length - MAX_RECORDS} more` : '';
    return `${kind}: ${found.slice(0, MAX_RECORDS).join(', ')}${more} (${took()})`;
  } catch (error) {
    const code = systemCode(error) ?? 'unknown error';
    const reason =
      code === 'ENOTFOUND' ? 'the name does not exist' : code === 'ENODATA' ? 'no such record' : 'no answer';
    return `${kind}: ${reason} after ${took()} (${code})`;
  }
}
