import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Where an address leads: to the internet, into a network of one's own, or where nobody may be sent (the metadata
 * services of clouds, link-local, multicast, reserved and tunnel addresses).
 */
export type AddressKind = 'PUBLIC' | 'PRIVATE' | 'FORBIDDEN';

/**
 * Metadata and management services of clouds that are no link-local addresses: Alibaba, Azure, AWS and Google over IPv6.
 * They hand out credentials to whoever asks from the machine.
 */
const METADATA: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
]);

const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'carrierGradeNat',
  'uniqueLocal',
]);

/** NAT64's well-known prefix: the IPv4 address that it stands for is in the last 32 bits. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];

/** The only part of IPv6 in which addresses of the internet are. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** @param address as a resolver gives it; what is no address is forbidden */
export function addressKind(address: string): AddressKind {
  const bare = address.replace(/%.*$/, ''); // the zone of a link-local address
  if (isIP(bare) === 0) return 'FORBIDDEN';
  const parsed = ipaddr.parse(isIPv6(bare) ? withoutDots(bare) : bare);
  if (METADATA.has(parsed.toString())) return 'FORBIDDEN';
  if (parsed instanceof ipaddr.IPv6) return kindOfV6(parsed);
  return kindOfRange(parsed.range());
}

function kindOfV6(address: ipaddr.IPv6): AddressKind {
  const range = address.range();
  if (range === 'ipv4Mapped' || address.match(NAT64)) return addressKind(embeddedV4(address));
  if (range === 'unicast' && !address.match(GLOBAL_UNICAST)) return 'FORBIDDEN';
  return kindOfRange(range);
}

function kindOfRange(range: string): AddressKind {
  if (range === 'unicast') return 'PUBLIC';
  return PRIVATE_RANGES.has(range) ? 'PRIVATE' : 'FORBIDDEN';
}

/** In hexadecimal only: with an IPv4 part, the library reads `::8.8.8.8` as the mapped `::ffff:8.8.8.8`. */
function withoutDots(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function embeddedV4(address: ipaddr.IPv6): string {
  return address.toByteArray().slice(12).join('.');
}
