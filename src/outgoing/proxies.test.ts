import { expect, test } from 'vitest';
import { proxyFor, usesProxies } from './proxies.ts';

const HTTPS = new URL('https://mcp.example.test/mcp');
const HTTP = new URL('http://mcp.example.test/mcp');

test('each protocol has its own variable', () => {
  const env = { HTTP_PROXY: 'http://plain:3128', HTTPS_PROXY: 'http://secure:3129' };
  expect(proxyFor(HTTP, env)?.name).toBe('plain:3128');
  expect(proxyFor(HTTPS, env)?.name).toBe('secure:3129');
  expect(proxyFor(new URL('wss://mcp.example.test'), env)?.name).toBe('secure:3129');
  expect(proxyFor(HTTPS, { HTTP_PROXY: 'http://plain:3128' })).toBeNull();
});

test('a variable in lower case takes precedence, unless it is empty', () => {
  const env = {
    HTTPS_PROXY: 'http://upper:1',
    https_proxy: 'http://lower:2',
    NO_PROXY: '*',
    no_proxy: 'x.test',
  };
  expect(proxyFor(HTTPS, env)?.name).toBe('lower:2');
  expect(proxyFor(HTTPS, { ...env, https_proxy: '', no_proxy: '' })).toBeNull();
});

test('a proxy without protocol is an HTTP proxy, and its name lacks the password', () => {
  const env = { HTTPS_PROXY: 'me:pass%2Fword@proxy.test:3128' };
  expect(proxyFor(HTTPS, env)).toEqual({
    url: 'http://me:pass%2Fword@proxy.test:3128/',
    name: 'proxy.test:3128',
  });
  expect(proxyFor(HTTPS, { HTTPS_PROXY: 'https://proxy.test' })?.name).toBe('proxy.test:443');
});

test.each(['socks5://me:secret@proxy:1080', 'http://', 'http://me:secret@pro xy'])(
  'refuses %s without showing its password',
  (HTTPS_PROXY) => {
    const read = () => usesProxies({ HTTPS_PROXY });
    expect(read).toThrow(/^HTTPS_PROXY must be the URL of an http or https proxy/);
    expect(read).not.toThrow(/secret/);
  },
);

test('an environment without proxies uses none', () => {
  expect(usesProxies({ NO_PROXY: 'example.test' })).toBe(false);
  expect(usesProxies({ http_proxy: 'proxy:3128' })).toBe(true);
});
