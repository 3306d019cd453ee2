import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * True if a request goes to its host directly: the host is this machine, or `NO_PROXY` lists it. Entries are separated by
 * commas or white space: `*`, a name (with its subdomains), `.name`, `*.name` (subdomains alone), an IP address or an
 * address range (`10.0.0.0/8`). `:port` after an entry restricts it to that port.
 */
export function isDirect(host: string, port: number, noProxy: string): boolean {
  const name = bare(host);
  if (isLoopback(name)) return true;
  return noProxy.split(/[\s,]+/).some((entry) => entry !== '' && matches(entry, name, port));
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isIn(LOOPBACK, name);
}

function matches(entry: string, name: string, port: number): boolean {
  const { host, port: onlyPort } = split(entry);
  if (onlyPort !== null && onlyPort !== port) return false;
  if (host === '*') return true;
  if (isIP(name) !== 0) return matchesAddress(host, name);
  const suffix = host.replace(/^\*?\./, '');
  return name.endsWith(`.${suffix}`) || (name === suffix && !host.startsWith('*'));
}

/** Splits `host:port`. An IPv6 address with a port has brackets; one without a port may lack them. */
function split(entry: string): { host: string; port: number | null } {
  const found = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry);
  return { host: bare(found?.[1] ?? entry), port: found ? Number(found[2]) : null };
}

function matchesAddress(entry: string, address: string): boolean {
  const [network = '', prefix] = entry.split('/');
  if (isIP(network) === 0) return false;
  const family = familyOf(network);
  const length = Number(prefix ?? (family === 'ipv4' ? 32 : 128));
  if (!(length >= 0 && length <= (family === 'ipv4' ? 32 : 128))) return false;
  const list = new BlockList();
  list.addSubnet(network, length, family);
  return isIn(list, address);
}

function isIn(list: BlockList, text: string): boolean {
  return isIP(text) !== 0 && list.check(text, familyOf(text));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Returns a host in lower case, without the brackets of an IPv6 address and the final dot of a name. */
function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/(.)\.$/, '$1');
}
