import { expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { SENDER_ENV, SENDERS, writeBackOf } from '../../test/helpers/senders/index.ts';
import { printConfig } from './check.ts';

const SECRET = 'a-token-of-the-source';

const load = (source: object, writeBack: object, env: Record<string, string> = SENDER_ENV) =>
  loadText(
    JSON.stringify({ intake: { sources: { one: { ...source, tokens: [SECRET], write_back: writeBack } } } }),
    env,
  );

test.each(SENDERS)('$name is loaded as a channel, and printed without secrets', async (of) => {
  const config = await load(of.source, writeBackOf(of, 'https://sender.example.com/base'));
  expect(config.notifications.channels).toMatchObject({
    'write-back:one': { kind: 'write_back', source: 'one', writeBack: { kind: of.config.kind } },
  });
  const printed = printConfig(config);
  expect(printed).toContain('token_env: SENDER_TOKEN');
  expect(printed).not.toContain('a-secret');
});

test('write-back acknowledges and resolves nothing by default', async () => {
  const of = SENDERS[0]!;
  const config = await load(of.source, writeBackOf(of, 'https://sender.example.com'));
  expect(config.intake.sources.one!.writeBack).toMatchObject({ acknowledge: [], resolve: [] });
});

const PAGERDUTY = { kind: 'pagerduty', token_env: 'SENDER_TOKEN', from: 'tarsy@example.com' };
const DATADOG = { kind: 'datadog', token_env: 'SENDER_TOKEN', application_key_env: 'OTHER' };

test.each<[string, object, object, RegExp]>([
  ['a kind of another sender', { type: 'zabbix' }, PAGERDUTY, /write_back: of kind pagerduty does not fit/],
  [
    'a type without objects',
    { type: 'nagios' },
    PAGERDUTY,
    /write_back: is not possible for sources of type nagios/,
  ],
  ['type generic without an object', { type: 'generic' }, PAGERDUTY, /write_back: needs mapping\.object/],
  [
    'a variable that is not set',
    { type: 'pagerduty' },
    { ...PAGERDUTY, token_env: 'OTHER' },
    /token_env: .*OTHER is not set/,
  ],
  ['a missing second variable', { type: 'datadog' }, DATADOG, /application_key_env: .*OTHER is not set/],
  [
    'http to the internet',
    { type: 'pagerduty' },
    { ...PAGERDUTY, url: 'http://x.example' },
    /url: must begin with https/,
  ],
  [
    'a password in the URL',
    { type: 'pagerduty' },
    { ...PAGERDUTY, url: 'https://a:b@x.example' },
    /must not contain a user name/,
  ],
  [
    'resolving after a verdict that says otherwise',
    { type: 'pagerduty' },
    { ...PAGERDUTY, resolve: ['action_required'] },
    /resolve\[0\]/,
  ],
  [
    'a key of another kind',
    { type: 'pagerduty' },
    { ...PAGERDUTY, organization: 'x' },
    /organization: unknown key/,
  ],
  [
    'acknowledging where that is unknown',
    { type: 'grafana' },
    { kind: 'grafana', url: 'https://g.example', token_env: 'SENDER_TOKEN', acknowledge: ['no_action'] },
    /acknowledge: unknown key/,
  ],
])('refuses %s', async (_, source, writeBack, problem) => {
  await expect(load(source, writeBack)).rejects.toThrow(problem);
});

test('a rule cannot select the channel of a write-back', async () => {
  const rules = [{ events: ['session.ended'], channels: ['write-back:one'] }];
  const sources = { one: { type: 'pagerduty', tokens: [SECRET], write_back: PAGERDUTY } };
  const text = JSON.stringify({ intake: { sources }, notifications: { rules } });
  await expect(loadText(text, SENDER_ENV)).rejects.toThrow(/write-back:one/);
});
