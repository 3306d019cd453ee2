import { expect, it } from 'vitest';
import { hostConfigFromEnv, parseProbeTarget } from './config.ts';

it.each([
  ['db', { protocol: null, hostname: 'db', port: null }],
  ['db:80', { protocol: null, hostname: 'db', port: '80' }],
  ['[::1]:8080', { protocol: null, hostname: '[::1]', port: '8080' }],
  ['https://App.example.com', { protocol: 'https:', hostname: 'app.example.com', port: '443' }],
  ['http://app:8080/', { protocol: 'http:', hostname: 'app', port: '8080' }],
])('reads the probe target %s', (text, target) => {
  expect(parseProbeTarget(text)).toEqual(target);
});

it.each(['http://app/path', 'user@host', ':80', 'ftp://x'])('refuses the probe target %s', (text) => {
  expect(() => parseProbeTarget(text)).toThrow('HOST_MCP_PROBE_TARGETS');
});

it('keeps /var/log and adds the configured directories', () => {
  const config = hostConfigFromEnv({
    HOST_MCP_LOG_DIRS: '/srv/a: /srv/b:',
    HOST_MCP_PROBE_TARGETS: 'a, b:1',
  });
  expect(config.logRoots).toEqual([
    { path: '/var/log', onlyLogNames: false },
    { path: '/srv/a', onlyLogNames: true },
    { path: '/srv/b', onlyLogNames: true },
  ]);
  expect(config.probeTargets.map((target) => target.hostname)).toEqual(['a', 'b']);
  expect(config).toMatchObject({ procRoot: '/proc', walkRoots: ['/'] });
});
