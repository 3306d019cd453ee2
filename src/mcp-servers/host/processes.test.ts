import { describe, expect, it } from 'vitest';
import { maskCommandLine } from './processes.ts';

describe('maskCommandLine', () => {
  it.each([
    [['app', '--password=hunter2'], 'app --password=[MASKED_PASSWORD]'],
    [['app', '--db-password', 'hunter2', '--port', '80'], 'app --db-password [MASKED_PASSWORD] --port 80'],
    [
      ['env', 'GITHUB_TOKEN=abc', 'PGPASSWORD=xy', 'HOME=/root'],
      'env GITHUB_TOKEN=[MASKED_GITHUB_TOKEN] PGPASSWORD=[MASKED_PASSWORD] HOME=/root',
    ],
    [
      ['java', '-Dspring.datasource.password=xy', '-Xmx1g'],
      'java -Dspring.datasource.password=[MASKED_PASSWORD] -Xmx1g',
    ],
    [['app', '--apiKey', 'abcd'], 'app --apiKey [MASKED_API_KEY]'],
    [['app', 'postgres://user:pw@db/x'], 'app postgres://user:[MASKED_PASSWORD]@db/x'],
    [['curl', '-H', 'Authorization: Bearer abcdefghijk'], "curl -H 'Authorization: Bearer [MASKED_TOKEN]'"],
    [['mysql', '-u', 'root', '-pSyn7hetic'], 'mysql -u root -p[MASKED_PASSWORD]'],
    [
      ['app', '{"API_TOKEN": "abc", "HOME": "/root"}'],
      'app \'{"API_TOKEN": "[MASKED_TOKEN]", "HOME": "/root"}\'',
    ],
    [['tool --token abc --verbose'], 'tool --token [MASKED_TOKEN] --verbose'],
    [['app', `ghp_${'0123456789abcdef'.repeat(2)}`], 'app [MASKED_GITHUB_TOKEN]'],
    [['app', '--password', 'my pass phrase', '-x'], "app --password '[MASKED_PASSWORD]' -x"],
    [['app', '--password', "it's my pass phrase", '-x'], 'app --password "[MASKED_PASSWORD]" -x'],
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
