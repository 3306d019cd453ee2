import { afterEach, expect, test } from 'vitest';
import { HOSTILE, noticeWith } from '../../../../test/fixtures/notice.ts';
import { type Internet, startInternet } from '../../../../test/helpers/internet.ts';
import { startReceiver } from '../../../../test/helpers/receiver.ts';
import { SENDER_ENV, SENDERS, type SenderCase, writeBackOf } from '../../../../test/helpers/senders/index.ts';
import { type FakeSender, startSender } from '../../../../test/helpers/senders/server.ts';
import { uuidv7 } from '../../../common/uuidv7.ts';
import { writeBackSchema } from '../../../config/schema/write-back.ts';
import { systemNetwork } from '../../../runbooks/network.ts';
import { SendError, type SendFailure } from '../../failure.ts';
import { createGuardedRequest } from '../../guarded-request.ts';
import type { Notice } from '../../notice.ts';
import type { NoteTarget, Send } from '../channel.ts';
import { openWriteBack } from './index.ts';

let sender: FakeSender;
let send: Send;
afterEach(async () => {
  expect(sender.violations).toEqual([]);
  await sender.close();
});

async function start(of: SenderCase, more: object = {}): Promise<void> {
  sender = await startSender(of.spec, [of.object]);
  const config = writeBackSchema.parse(writeBackOf(of, sender.url, more));
  send = openWriteBack(createGuardedRequest(systemNetwork()), SENDER_ENV, config);
}

/** Returns the notice about the end of a session with this cause. */
function notice(why = 'Logs fill it', more: Partial<Notice> = {}): Notice {
  const { session, ...rest } = noticeWith(why);
  return {
    ...{ ...rest, event: 'session.ended', call: null, title: 'Action required: The disk is full' },
    ...{ verdict: 'ACTION_REQUIRED', session: { ...session!, status: 'COMPLETED' } },
    ...more,
  };
}

/** Makes an attempt to write a note. @returns the remark or the failure */
async function attempt(
  objectId: string | null,
  { id = uuidv7(), about = notice(), ...more }: Partial<NoteTarget> & { id?: string; about?: Notice } = {},
): Promise<string | null | (SendFailure & { message: string })> {
  const target = { objectId, since: new Date(Date.now() - 60_000), omitted: 0, isRepeated: false, ...more };
  const outgoing = { id, createdAt: new Date(), notice: about, target };
  try {
    return await send(outgoing, AbortSignal.timeout(20_000));
  } catch (error) {
    if (!(error instanceof SendError)) throw error;
    return { ...error.failure, message: error.message };
  }
}

const notesOf = (object: string) => sender.notes.get(object) ?? [];
const only = (...names: string[]) => SENDERS.filter(({ name }) => names.includes(name));
const without = (name: string) => SENDERS.filter((each) => each.name !== name);

test.each(SENDERS)('$name gets a note with verdict, cause and link', async (of) => {
  await start(of);
  expect(await attempt(of.object)).toBeNull();
  expect(notesOf(of.object)).toEqual([expect.stringContaining('Action required: The disk is full')]);
  expect(notesOf(of.object)[0]).toMatch(/Logs fill it[\s\S]*https:\/\/tarsy\.example\/sessions\//);
  expect(sender.changes).toEqual([]);
});

test.each(SENDERS)('$name without valid credentials refuses for good', async (of) => {
  await start(of);
  sender.refusesAll = true;
  const failure = await attempt(of.object);
  expect(failure).toMatchObject({ isFinal: true, code: of.name === 'zabbix' ? 'REFUSED' : 'HTTP_401' });
  expect(JSON.stringify(failure)).not.toContain('secret');
  expect(failure).not.toHaveProperty('isOfDelivery');
});

test.each(without('datadog'))('$name without the object fails for this note alone', async (of) => {
  await start(of);
  sender.notes.clear();
  expect(await attempt(of.object)).toMatchObject({ code: 'OBJECT_GONE', isFinal: true, isOfDelivery: true });
});

test.each(SENDERS)('$name at a wrong address fails for every note, which raises the warning', async (of) => {
  await start(of);
  const wrong = await startReceiver();
  wrong.answers.push({ status: 404 }, { status: 404 });
  const config = writeBackSchema.parse(writeBackOf(of, wrong.url));
  send = openWriteBack(createGuardedRequest(systemNetwork()), SENDER_ENV, config);
  const failure = await attempt(of.object);
  expect(failure).toMatchObject({ code: 'HTTP_404', isFinal: true });
  expect(failure).not.toHaveProperty('isOfDelivery');
  await wrong.close();
});

test.each(SENDERS)('$name that limits the rate gets one note later', async (of) => {
  await start(of);
  sender.reactions.push({ status: 429, headers: { 'retry-after': '300' } });
  const id = uuidv7();
  expect(await attempt(of.object, { id })).toMatchObject({ isRateLimited: true, retryAfterMs: 300_000 });
  expect(await attempt(of.object, { id, isRepeated: true })).toBeNull();
  expect(notesOf(of.object)).toHaveLength(1);
});

test.each(SENDERS)('$name that fails twice gets one note', async (of) => {
  await start(of);
  sender.reactions.push({ status: 503 }, { status: 502 });
  const id = uuidv7();
  expect(await attempt(of.object, { id })).toMatchObject({ code: 'HTTP_503', isFinal: false });
  expect(await attempt(of.object, { id, isRepeated: true })).toMatchObject({ code: 'HTTP_502' });
  expect(await attempt(of.object, { id, isRepeated: true })).toBeNull();
  expect(notesOf(of.object)).toHaveLength(1);
});

test.each(SENDERS)('$name whose answer is lost gets no second note', async (of) => {
  await start(of);
  sender.reactions.push('drop');
  const id = uuidv7();
  expect(await attempt(of.object, { id })).toMatchObject({ code: 'UNREACHABLE' });
  const remark = 'An earlier attempt had written the note.';
  expect(await attempt(of.object, { id, isRepeated: true })).toBe(remark);
  expect(notesOf(of.object)).toHaveLength(1);
});

test.each(only('opsgenie', 'jsm'))('a note of $name behind many others is found', async (of) => {
  await start(of);
  const notes = sender.notes.get(of.object)!;
  notes.push(...Array.from({ length: 150 }, () => 'another note'));
  sender.reactions.push('drop');
  const id = uuidv7();
  expect(await attempt(of.object, { id })).toMatchObject({ code: 'UNREACHABLE' });
  expect(await attempt(of.object, { id, isRepeated: true })).toMatch(/^An earlier attempt/);
  expect(notes).toHaveLength(151);
});

test.each(only('pagerduty', 'jira'))('a link that a person pasted at $name is no note', async (of) => {
  await start(of);
  const pasted = `see ${notice().link}`;
  sender.notes
    .get(of.object)!
    .push(of.name === 'jira' ? JSON.stringify({ type: 'text', text: pasted }) : pasted);
  expect(await attempt(of.object, { isRepeated: true })).toBeNull();
  expect(notesOf(of.object)).toHaveLength(2);
});

test.each(SENDERS)('$name is checked by a test that writes nothing', async (of) => {
  await start(of);
  const about = notice('', { event: 'test', session: null });
  expect(await attempt(null, { about })).toBe('Address and credentials work. A test writes no note.');
  expect(notesOf(of.object)).toEqual([]);
  sender.refusesAll = true;
  expect(await attempt(null, { about })).toMatchObject({ isFinal: true });
});

test.each(SENDERS)('an id that is none of $name reaches no URL', async (of) => {
  await start(of);
  for (const id of ['..', '../x', 'a/b/c', 'x y', '1;drop', ''])
    expect(await attempt(id)).toMatchObject({ code: 'NO_OBJECT', isFinal: true });
  expect(sender.requests).toEqual([]);
});

test.each(without('grafana'))('an alert without an id of $name says what is missing', async (of) => {
  await start(of);
  expect(await attempt(null)).toMatchObject({
    ...{ code: 'NO_OBJECT', isFinal: true },
    message: expect.stringMatching(/^The delivery of the alert contains no id of a /),
  });
});

test('an alert rule of Grafana without a panel gets an annotation of the organization', async () => {
  await start(only('grafana')[0]!);
  sender.notes.set('', []);
  expect(await attempt(null)).toBeNull();
  expect(notesOf('')).toHaveLength(1);
});

test('a record of ServiceNow is found by its number', async () => {
  const [of] = only('servicenow');
  await start(of!);
  expect(await attempt('INC0010001')).toBeNull();
  expect(notesOf(of!.object)).toHaveLength(1);
  expect(await attempt('INC0010002')).toMatchObject({
    message: 'ServiceNow has no record INC0010002, or does not show it to TARSy.',
  });
});

test('a page in place of the API is no success', async () => {
  const [of] = only('servicenow');
  await start(of!);
  const page = async () => '<html>Your instance is hibernating</html>';
  send = openWriteBack(page, SENDER_ENV, writeBackSchema.parse(writeBackOf(of!, sender.url)));
  const failure = await attempt(of!.object);
  expect(failure).toMatchObject({ code: 'UNEXPECTED_ANSWER' });
  expect(failure).not.toHaveProperty('isFinal', true);
});

test('the remark names objects that got no note', async () => {
  const [of] = only('pagerduty');
  await start(of!);
  expect(await attempt(of!.object, { omitted: 3 })).toBe('Too many objects: 3 more incidents got no note.');
});

/** Matches text that the sender would interpret. */
const ACTIVE: Readonly<Record<string, RegExp>> = {
  opsgenie: /@(?!\u2060)/,
  jsm: /@(?!\u2060)/,
  grafana:
    /<(?!a href="https:\/\/tarsy\.example\/sessions\/[\w-]+" target="_blank">Written by TARSy<\/a>|\/a>$)/,
  datadog: /@(?!\u2060)|%%%/,
  sentry: /(?<!\\)[[*`]|<|@(?!\u2060)/,
  servicenow: /\[\/?code\]/i,
  jira: /"type":"(?!doc|paragraph|text|strong|link)|"href":"(?!https:\/\/tarsy\.example\/)/,
  'jira-data-center': /\{noformat\}[\s\S]*\{noformat\}/,
};

test.each(SENDERS)('hostile text stays text at $name', async (of) => {
  await start(of);
  const why = `${HOSTILE}\n[code]<b>x</b>[/code] {noformat}h1. x{noformat} [~admin] %%% x %%%`;
  const { title } = noticeWith(HOSTILE);
  expect(await attempt(of.object, { about: notice(why, { title }) })).toBeNull();
  const [note = ''] = notesOf(of.object);
  expect(note).toContain('click');
  expect(note).not.toMatch(ACTIVE[of.name] ?? /hunter2/);
  expect(note).not.toMatch(/hunter2|[\u202a-\u202e\u2066-\u2069]/);
});

test.each(SENDERS)('a long note fits the limit of $name', async (of) => {
  await start(of);
  for (const why of ['x'.repeat(60_000), '漢'.repeat(60_000), '*@`"\\<&%'.repeat(9_000)])
    expect(await attempt(of.object, { about: notice(why) })).toBeNull();
  for (const note of notesOf(of.object)) expect(note).toContain('https://tarsy.example/sessions/');
});

test.each(only('pagerduty', 'opsgenie', 'jsm', 'zabbix', 'sentry'))(
  '$name is changed only after the configured verdicts',
  async (of) => {
    const canAcknowledge = of.name !== 'sentry';
    const acknowledge = ['action_required', 'no_action'];
    await start(of, { resolve: ['no_action'], ...(canAcknowledge && { acknowledge }) });
    for (const verdict of ['ACTION_SUGGESTED', 'ACTION_REQUIRED', 'NO_ACTION'] as const)
      expect(await attempt(of.object, { about: notice('', { verdict }) })).toBeNull();
    const failed = notice('', { verdict: 'NO_ACTION' });
    const about = { ...failed, session: { ...failed.session!, status: 'TIMED_OUT' } };
    expect(await attempt(of.object, { about })).toBeNull();
    expect(sender.changes).toEqual([
      ...(canAcknowledge ? [expect.stringMatching(/^acknowledged? /)] : []),
      expect.stringMatching(/^(?:resolved|close) /),
    ]);
  },
);

test('a private address gets nothing unless it is allowed', async () => {
  const [of] = only('pagerduty');
  await start(of!);
  const internet: Internet = await startInternet();
  internet.names.set('pd.example', ['10.0.0.7']);
  const config = writeBackOf(of!, 'https://pd.example', { allow_private: false });
  send = openWriteBack(createGuardedRequest(internet.network), SENDER_ENV, writeBackSchema.parse(config));
  expect(await attempt(of!.object)).toMatchObject({ code: 'PRIVATE_ADDRESS', isFinal: true });
  expect([...internet.requests, ...internet.trapped]).toEqual([]);
  await internet.close();
});
