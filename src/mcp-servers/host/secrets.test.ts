import { describe, expect, it } from 'vitest';
import { maskCommandLine } from './secrets.ts';

describe('maskCommandLine', () => {
  it.each([
    [['app', '--password=hunter2'], 'app --password=***'],
    [['app', '--db-password', 'hunter2', '--port', '80'], 'app --db-password *** --port 80'],
    [
      ['env', 'GITHUB_TOKEN=abc', 'PGPASSWORD=x', 'HOME=/root'],
      'env GITHUB_TOKEN=*** PGPASSWORD=*** HOME=/root',
    ],
    [['java', '-Dspring.datasource.password=x', '-Xmx1g'], 'java -Dspring.datasource.password=*** -Xmx1g'],
    [['app', '--apiKey', 'abc'], 'app --apiKey ***'],
    [['app', 'postgres://user:pw@db/x'], 'app postgres://user:***@db/x'],
    [['curl', '-H', 'Authorization: Bearer abcdefghijk'], 'curl -H Authorization:***'],
    [['mysql', '-u', 'root', '-psecret'], 'mysql -u root -p***'],
    [['app', '{"API_TOKEN": "abc", "HOME": "/root"}'], 'app {"API_TOKEN": "***", "HOME": "/root"}'],
    [['tool --token abc --verbose'], 'tool --token *** --verbose'],
    [['app', 'ghp_0123456789abcdef'], 'app ***'],
  ])('hides the secret in %j', (args, expected) => {
    expect(maskCommandLine(args)).toBe(expected);
  });

  it.each([
    [['app', '--path', '/data', '--pattern', 'x']],
    [['app', '--token-file=/run/token', '--max-tokens=100']],
    [['postgres:', 'author', 'compat-mode=1', 'keyboard=us']],
    [['nginx', '--auth-mode', 'basic', '--monkey', 'x']],
  ])('leaves %j as it is', (args) => {
    expect(maskCommandLine(args)).toBe(args.join(' '));
  });
});
