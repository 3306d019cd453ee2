import { expect, test } from 'vitest';
import { isDirect } from './no-proxy.ts';

test.each<[string, string, string, boolean]>([
  ['a name', 'example.test', 'https://example.test', true],
  ['a subdomain of a name', 'example.test', 'https://mcp.Example.test', true],
  ['a name that only ends alike', 'example.test', 'https://otherexample.test', false],
  ['a suffix', '.example.test', 'https://mcp.example.test', true],
  ['the name of a suffix itself', '.example.test', 'https://example.test', true],
  ['a subdomain of a wildcard', '*.example.test', 'https://mcp.example.test', true],
  ['the name of a wildcard itself', '*.example.test', 'https://example.test', false],
  ['an entry in upper case', 'EXAMPLE.TEST', 'https://example.test', true],
  ['a name with a final dot', 'example.test', 'https://example.test.', true],
  ['the default port', 'example.test:443', 'https://example.test', true],
  ['another port', 'example.test:8443', 'https://example.test', false],
  ['a port of every host', '*:8443', 'https://example.test:8443', true],
  ['every host', 'other.test, *', 'http://example.test', true],
  ['a later entry after white space', 'other.test  example.test', 'http://example.test', true],
  ['an IPv4 address', '10.1.2.3', 'http://10.1.2.3:8080', true],
  ['an address in a range', '10.0.0.0/8', 'http://10.9.8.7', true],
  ['an address outside a range', '10.0.0.0/8', 'http://11.0.0.1', false],
  ['an address whose text only ends alike', '1.2.3', 'http://10.1.2.3', false],
  ['an IPv6 address with a port', '[fd00::1]:8080', 'http://[fd00::1]:8080', true],
  ['an IPv6 address without brackets', 'fd00::1', 'http://[fd00::1]', true],
  ['an IPv6 range', 'fd00::/8', 'http://[fd00::7]', true],
  ['a range that is none', '10.0.0.0/99', 'http://10.0.0.1', false],
  ['nothing', '', 'http://example.test', false],
  ['localhost', '', 'http://localhost:3000', true],
  ['a name below localhost', '', 'http://mcp.localhost', true],
  ['a loopback address', '', 'http://127.8.0.1:9000', true],
  ['the IPv6 loopback address', '', 'http://[::1]', true],
  ['a mapped loopback address', '', 'http://[::ffff:127.0.0.1]', true],
])('%s in NO_PROXY %j: %s', (_, noProxy, address, expected) => {
  const url = new URL(address);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  expect(isDirect(url.hostname, port, noProxy)).toBe(expected);
});
