import { describe, expect, it } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';
import { printConfig } from './check.ts';

const TOKEN = 'a-token-of-24-characters';

describe('intake', () => {
  it('is loaded, and printed without the secrets of senders', async () => {
    const config = await loadText(`
intake:
  sources:
    prod-am:
      type: alertmanager
      tokens: [${TOKEN}]
    hooks:
      type: generic
      alert_type: host
      signature: { secrets: [${TOKEN}], header: X-Sig, timestamp_header: X-Time }
      basic: { username: me, passwords: [${TOKEN}] }
      mapping: { alerts: "$.items[*]", title: $.name, labels: { host: '$.a["b.c"]' } }
  rules:
    - name: quiet
      match: [severity="info", namespace!~"prod-.*"]
      investigate: never
    - { name: rest, alert_type: host, group_by: [cluster], group_wait: 0s }
`);
    expect(config.intake.sources['prod-am']).toMatchObject({
      name: 'prod-am',
      type: 'alertmanager',
      tokens: [TOKEN],
    });
    expect(config.intake.sources.hooks).toMatchObject({
      alertType: 'host',
      signature: { secrets: [TOKEN], header: 'x-sig', timestampHeader: 'x-time' },
      mapping: { alerts: '$.items[*]', labels: { host: '$.a["b.c"]' }, severity: null },
    });
    expect(config.intake.rules).toMatchObject([
      { name: 'quiet', investigate: 'never', groupWaitMs: null },
      { name: 'rest', groupBy: ['cluster'], groupWaitMs: 0 },
    ]);
    const printed = printConfig(config);
    expect(printed).not.toContain(TOKEN);
    expect(printed).toContain('tokens: "***"');
    expect(printed).toContain('timestamp_header: x-time');
  });

  it('warns about a source without authentication', async () => {
    const config = await loadText('intake: { sources: { lab: { type: zabbix, verification: none } } }');
    expect(config.warnings).toContain(
      'intake.sources.lab has verification: none; every client that reaches the server can send as this source',
    );
  });

  it.each([
    [
      '{ type: zabbix }',
      'is required for a source without tokens, api_tokens, basic, signature and topic_arns; set none to accept every sender',
    ],
    [
      `{ type: zabbix, verification: none, tokens: [${TOKEN}] }`,
      'conflicts with the configured authentication; remove one of them',
    ],
    ['{ type: zabbix, tokens: [short] }', 'needs at least 16 characters'],
    ['{ type: zabbix, tokens: [] }', 'tokens'],
    [`{ type: zabbix, tokens: ["${TOKEN} x"] }`, 'must be ASCII without spaces'],
    [`{ type: zabbix, signature: { secrets: [${TOKEN}] } }`, 'needs a header: zabbix has no default one'],
    [
      '{ type: zabbix, topic_arns: ["arn:aws:sns:eu-west-1:123456789012:x"] }',
      'is for sources of type cloudwatch, this one is zabbix',
    ],
    ['{ type: cloudwatch, topic_arns: [mine] }', 'expected the ARN of an SNS topic'],
    [
      `{ type: zabbix, tokens: [${TOKEN}], mapping: {} }`,
      'is for sources of type generic, this one is zabbix',
    ],
    [
      `{ type: generic, tokens: [${TOKEN}], mapping: { title: "$name" } }`,
      'expected a path such as $.alert.name',
    ],
    [
      `{ type: generic, tokens: [${TOKEN}], mapping: { title: "$.a[*]" } }`,
      '[*] is for the list of alerts only',
    ],
    ['{ type: unheard-of, verification: none }', 'type'],
    ['{ type: grafana, verification: none, tokens_in_url: true }', 'needs tokens'],
    ['{ type: grafana, verification: none, alert_type: nothing }', 'no alert type is named "nothing"'],
  ])('refuses a source %s', async (source, message) => {
    const error = await loadText(`intake: { sources: { s: ${source} } }`).catch((problem: Error) => problem);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) });
    expect(String(error)).not.toContain('short');
  });

  it.each([
    ['sources: { "a b": { type: zabbix, verification: none } }', 'a name has 1 to 63'],
    [
      'sources: { api: { type: zabbix, verification: none } }',
      'is the source of alerts that are submitted as text',
    ],
    ['rules: [{ name: a, match: ["severity"] }]', 'expected a matcher such as'],
    ['rules: [{ name: a, match: ["x=~\\"(\\""] }]', 'bad regular expression'],
    ['rules: [{ name: a }, { name: a }]', 'another rule is named "a"'],
    ['rules: [{ name: a, alert_type: nothing }]', 'no alert type is named "nothing"'],
  ])('refuses %s', async (written, message) => {
    await expect(loadText(`intake: { ${written} }`)).rejects.toThrow(message);
  });
});
