import { describe, expect, it, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { printConfig } from './check.ts';

const ENV = {
  HOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  CHAT_URL: 'https://chat.example.com/hooks/abcdefgh12345678',
  MAIL_PASSWORD: 'a-mail-password',
};
const MAIL = 'kind: email, host: smtp.example.com, from: t@example.com, to: [ops@example.com]';
const HOOK = 'kind: webhook, url: "https://hooks.example.com/x", secrets_env: [HOOK_SECRET]';

const load = (channel: string, rule = '', env: Record<string, string> = ENV) =>
  loadText(`notifications: { channels: { one: { ${channel} } }, rules: [${rule}] }`, env);

describe('notifications', () => {
  it('are loaded and printed without secrets', async () => {
    const config = await load(
      `${MAIL}, username: me, password_env: MAIL_PASSWORD`,
      '{ events: [session.ended], verdicts: [none, action_required], channels: [one] }',
    );
    expect(config.notifications.channels.one).toMatchObject({
      ...{ name: 'one', kind: 'email', port: 587, security: 'starttls', allowPrivate: false },
    });
    expect(config.notifications.rules).toMatchObject([{ events: ['session.ended'], teams: null }]);
    const printed = printConfig(config);
    expect(printed).toContain('password_env: MAIL_PASSWORD');
    expect(printed).not.toContain('a-mail-password');
  });

  const channels: [string, string, RegExp][] = [
    ['an unknown kind', 'kind: fax', /channels\.one\.kind/],
    ['a receiver that adds a header', `${MAIL.replace('ops@', 'ops@x\\nBcc: y@')}`, /to\[0\]/],
    [
      'a user without a password',
      `${MAIL}, username: me`,
      /password_env: username and password_env need each other/,
    ],
    [
      'a password without encryption',
      `${MAIL}, security: none, username: me, password_env: MAIL_PASSWORD`,
      /without encryption/,
    ],
    [
      'a variable that is not set',
      `${MAIL}, username: me, password_env: OTHER`,
      /environment variable OTHER is not set/,
    ],
    ['http to the internet', HOOK.replace('https:', 'http:'), /url: must begin with https/],
    ['a password in a URL', HOOK.replace('//', '//me:pass@'), /must not contain a user name or password/],
    ['three secrets', HOOK.replace('[HOOK_SECRET]', '[HOOK_SECRET, A, B]'), /secrets_env/],
    [
      'a secret of another form',
      HOOK.replace('HOOK_SECRET', 'MAIL_PASSWORD'),
      /is no secret of Standard Webhooks/,
    ],
    ['a chat URL that is none', 'kind: teams, url_env: MAIL_PASSWORD', /holds no URL that begins with https/],
    ['a key of another kind', `${HOOK}, host: x`, /host: unknown key/],
  ];
  test.each(channels)('refuse %s', async (_, channel, problem) => {
    const loading = load(channel);
    await expect(loading).rejects.toThrow(problem);
    await expect(loading).rejects.not.toThrow(/a-mail-password/);
  });

  const rules: [string, string, RegExp][] = [
    ['an unknown event', '{ events: [session.paused], channels: [one] }', /events\[0\]/],
    [
      'an unknown channel',
      '{ events: [session.ended], channels: [two] }',
      /no notification channel is named "two"/,
    ],
    [
      'an unknown source',
      '{ events: [session.ended], sources: [prom], channels: [one] }',
      /no alert source is named "prom"/,
    ],
    [
      'an unknown alert type',
      '{ events: [session.ended], alert_types: [x-y], channels: [one] }',
      /no alert type is named "x-y"/,
    ],
    ['no channel', '{ events: [session.ended], channels: [] }', /channels/],
    [
      'a verdict before the end',
      '{ events: [session.started, session.ended], verdicts: [none], channels: [one] }',
      /verdicts: cannot select session\.started/,
    ],
    [
      'a severity of a budget',
      '{ events: [budget.reached], severities: [info], channels: [one] }',
      /severities: cannot select budget\.reached/,
    ],
    [
      'a team of a canary',
      '{ events: [canary.failing], teams: [a], channels: [one] }',
      /teams: cannot select canary\.failing/,
    ],
    [
      'a source of replays',
      '{ events: [replay.worse], sources: [api], channels: [one] }',
      /sources: cannot select replay\.worse/,
    ],
  ];
  test.each(rules)('refuse a rule with %s', async (_, rule, problem) => {
    await expect(load(HOOK, rule)).rejects.toThrow(problem);
  });

  it('allow http to private addresses if that is said', async () => {
    const config = await load(`${HOOK.replace('https:', 'http:')}, allow_private: true`);
    expect(config.notifications.channels.one).toMatchObject({ allowPrivate: true });
  });
});
