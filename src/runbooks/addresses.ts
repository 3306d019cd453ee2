import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The kind of an IP address. FORBIDDEN: cloud metadata, link-local, multicast, reserved and tunnel addresses. */
export type AddressKind = 'PUBLIC' | 'PRIVATE' | 'FORBIDDEN';

/** Addresses of cloud metadata services (Alibaba, Azure, AWS, Google), which give credentials to local clients. */
const METADATA = new Set(['100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254']);

const PRIVATE_RANGES = new Set(['private', 'loopback', 'carrierGradeNat', 'uniqueLocal']);

/** The well-known NAT64 prefix; the last 32 bits are the IPv4 address. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];

/** The only IPv6 range with internet addresses. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Returns the kind of an IP address; `FORBIDDEN` for any other text. */
export function addressKind(address: string): AddressKind {
  const bare = address.replace(/%.*$/, ''); // removes the zone of a link-local address
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

/** Returns an IPv6 address in hexadecimal only, because ipaddr.js reads `::8.8.8.8` as the mapped `::ffff:8.8.8.8`. */
function withoutDots(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function embeddedV4(address: ipaddr.IPv6): string {
  return address.toByteArray().slice(12).join('.');
}
