import { describe, expect, it } from 'vitest';
import { endSession, passTime } from '../../test/helpers/deliveries.ts';
import { intakeApi } from '../../test/helpers/intake-api.ts';

const api = intakeApi();

describe('submitAlert', () => {
  const SUBMIT = `mutation ($input: SubmitAlertInput!) { submitAlert(input: $input) { __typename
    ... on SubmitAlertSuccess { session { id author title severity entities alertData group { source groupKey } } }
    ... on AlertNotInvestigatedError { code message decision { outcome session { id } } } ... on ValidationError { field message } } }`;
  const submit = async (input: Record<string, unknown>) =>
    (await api.query(SUBMIT, { input: { data: 'Disk is full\nof logs', ...input } })).data.submitAlert;

  it('without keys creates one session per alert', async () => {
    expect(await submit({})).toMatchObject({ session: { group: null } });
    expect(await submit({})).toMatchObject({ __typename: 'SubmitAlertSuccess' });
    expect(await submit({ data: '{"alert": "A", "level": "warn", "host": "b"}' })).toMatchObject({
      session: { title: 'A: host b', severity: 'WARNING', entities: ['host b'] },
    });
    expect((await api.pool.query('select 1 from alert_groups')).rows).toEqual([]);
  });

  it('with a dedupKey joins alert groups, so that the text is investigated once', async () => {
    const first = await submit({ dedupKey: 'disk', severity: 'ERROR' });
    expect(first.session).toMatchObject({
      author: 'api-client',
      alertData: 'Disk is full\nof logs',
      title: 'Disk is full',
      severity: 'ERROR',
      group: { source: 'api', groupKey: 'disk' },
    });
    expect(await submit({ dedupKey: 'disk', severity: 'ERROR' })).toMatchObject({
      __typename: 'AlertNotInvestigatedError',
      code: 'ALERT_NOT_INVESTIGATED',
      decision: { outcome: 'DUPLICATE', session: { id: first.session.id } },
    });
    expect(await submit({ dedupKey: 'disk', severity: 'CRITICAL', data: 'Disk is overfull' })).toMatchObject({
      decision: { outcome: 'JOINED', session: { id: first.session.id } },
    });
    expect((await api.pool.query('select alert_data from alert_sessions')).rows).toEqual([
      { alert_data: 'Disk is full\nof logs' },
    ]);
    await endSession(api.pool, Buffer.from(first.session.id, 'base64').toString().split(':')[1]!);
    await passTime(api.pool, 5 * 3600);
    expect(await submit({ dedupKey: 'disk', severity: 'ERROR' })).toMatchObject({
      __typename: 'SubmitAlertSuccess',
    });
  });

  it('with labels is subject to rules and silences', async () => {
    expect(await submit({ labels: { severity: 'info' } })).toMatchObject({
      decision: { outcome: 'EXCLUDED', session: null },
    });
    expect(await submit({ severity: 'INFO' })).toMatchObject({ decision: { outcome: 'EXCLUDED' } });
    expect(await submit({ labels: { host: 'a', port: 80 } })).toMatchObject({
      session: { group: { source: 'api' } },
    });
    for (const labels of [
      7,
      [],
      { a: {} },
      Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`l${index}`, 'x'])),
    ])
      expect(await submit({ labels })).toMatchObject({ field: 'labels' });
  });

  it('with an idempotencyKey returns the first session for a day, even to concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => submit({ idempotencyKey: 'k1' })));
    expect(new Set(answers.map(({ session }) => session.id)).size).toBe(1);
    expect((await api.pool.query('select 1 from alert_sessions')).rows).toHaveLength(1);
    expect(await submit({ idempotencyKey: 'k1', data: 'another text' })).toMatchObject({
      __typename: 'ValidationError',
      field: 'idempotencyKey',
    });
    expect((await submit({ idempotencyKey: 'k2' })).session.id).not.toBe(answers[0]!.session.id);
    await api.pool.query(`update alert_submissions set created_at = created_at - interval '25 hours'`);
    expect((await submit({ idempotencyKey: 'k1' })).session.id).not.toBe(answers[0]!.session.id);
    expect(await submit({ idempotencyKey: ' ' })).toMatchObject({ field: 'idempotencyKey' });
    expect(await submit({ dedupKey: 'x'.repeat(513) })).toMatchObject({ field: 'dedupKey' });
    expect(await submit({ dedupKey: 'half \ud83d' })).toMatchObject({ field: 'dedupKey' });
    expect(await submit({ idempotencyKey: 'k3', dedupKey: 'd', data: ' ' })).toMatchObject({ field: 'data' });
  });
});
