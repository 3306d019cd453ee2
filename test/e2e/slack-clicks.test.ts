import { expect, test, vi } from 'vitest';
import { approvalsOf } from '../helpers/approvals.ts';
import { CHANGING_CALL } from '../helpers/approvals-suite.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';
import { problemOfBlocks } from '../helpers/slack/blocks.ts';
import { ANA, BO, CY, slackSuite, VAL } from '../helpers/slack/suite.ts';
import { BOT_USER } from '../helpers/slack/workspace.ts';

vi.setConfig({ testTimeout: 120_000 }); // on a busy machine, starting an agent's tools takes seconds

const slackTest = slackSuite();
const { suite, start, deliver, whispers, buttonOf, refusals } = slackTest;
const settled = () => slackTest.settled();

const ASK = [{ tools: ['note'], action: 'ask' }];
const APPROVE = 'tarsy_approve';
const DENY = 'tarsy_deny';

async function click(user: string, action: { action_id: string; value: string }): Promise<void> {
  const payload = slackTest.slack.click(user, action);
  expect((await deliver('interactive', payload)).statuses).toEqual([200]);
  await settled();
}

/** Starts an investigation that waits for approval. Returns its id and the message in Slack about the approval. */
async function askedForApproval() {
  await start('http', {}, ASK);
  suite.app.llm.script(CHANGING_CALL, { text: 'Cleaned up.' }, { text: 'Summary.' });
  const { id, approval } = await suite.asked();
  await expect.poll(() => slackTest.slack.messages.length, { timeout: 30_000 }).toBe(1);
  await settled();
  return { id, approval, message: slackTest.slack.messages[0]! };
}

test('an ended investigation is rated from Slack as on the page, once', async () => {
  await start();
  suite.app.llm.script({ text: 'The disk is full.' }, { text: 'Disk full.' });
  const id = await suite.as('ana').submit('Disk trouble');
  await suite.ended(id);
  await settled();
  const button = buttonOf(slackTest.slack.messages[0], 'tarsy_rate:PARTIALLY_ACCURATE');
  await click(VAL, button);
  await click(BO, button);
  await click(BO, button);
  await click(CY, { ...button, action_id: 'tarsy_rate:ACCURATE' });
  await click(CY, { ...button, action_id: 'tarsy_rate:PERFECT' });
  expect(whispers()).toEqual([
    [VAL, 'This needs the role RESPONDER; yours is VIEWER.'],
    [BO, 'Thank you. The rating is stored with the investigation.'],
    [BO, 'Thank you. The rating is stored with the investigation.'],
    [CY, 'bo@example.com has finished this review. REOPEN it to review again.'],
    [CY, 'There is no such rating.'],
  ]);
  const { rows } = await suite.sql.query(
    `select s.rating, s.assignee, a.via from alert_sessions s, audit_events a where a.action = 'session.review'`,
  );
  expect(rows).toEqual([{ rating: 'PARTIALLY_ACCURATE', assignee: 'bo@example.com', via: 'SLACK' }]);
});

test('a call is approved from Slack once, runs, and the audit names the person', async () => {
  const { id, message } = await askedForApproval();
  expect(problemOfBlocks(message.blocks)).toBeNull();
  expect(message.blocks?.map(({ text }) => text?.text).slice(0, 3)).toEqual([
    ':raised_hand: *Approval Needed*',
    'Call: tools.note',
    '{\n  "text": "clean up"\n}',
  ]);
  const approve = buttonOf(message, APPROVE);
  await click(VAL, approve);
  await Promise.all([click(BO, approve), click(BO, approve), click(CY, approve)]);
  await suite.ended(id);
  expect(await suite.notes()).toEqual(['clean up']);
  const [approval] = await approvalsOf(suite.as('ana'), id);
  expect(approval).toMatchObject({ status: 'EXECUTED', decisions: [{ approved: true }] });
  const { rows } = await suite.sql.query(
    `select actor, action, via from audit_events where action like 'approval.%'`,
  );
  expect(rows).toEqual([{ actor: approval!.decisions[0]!.actor, action: 'approval.approve', via: 'SLACK' }]);
  expect(rows[0].actor).toMatch(/^(?:bo|cy)@example\.com$/);
  expect(await refusals()).toEqual([
    {
      actor: 'val@example.com',
      via: 'SLACK',
      detail: expect.objectContaining({ action: APPROVE, code: 'FORBIDDEN' }),
    },
  ]);
});

test('the message about a call shows the outcome, wherever the decision was made', async () => {
  const { id, approval } = await askedForApproval();
  await suite
    .as('bo')
    .query('mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { __typename } }', {
      input: { id: approval.id, argumentsHash: approval.argumentsHash, approve: false },
    });
  await suite.ended(id);
  const texts = () => slackTest.slack.messages[0]!.blocks!.map(({ text }) => text?.text);
  await expect.poll(texts, { timeout: 30_000 }).toContain('Denied by bo');
  expect(texts()).toContain('DENIED: Denied by an approver; the call is never made.');
  expect(() => buttonOf(slackTest.slack.messages[0], DENY)).toThrow('no button');
});

test('an approval is refused for other arguments, other ids, and after it expired', async () => {
  const { approval, message } = await askedForApproval();
  const approve = buttonOf(message, APPROVE);
  const uuid = approve.value.split(':')[0]!;
  await click(BO, { ...approve, value: `${uuid}:${'0'.repeat(64)}` });
  await click(BO, { ...approve, value: `${uuid.replace(/^./, 'f')}:${approval.argumentsHash}` });
  await click(BO, { ...approve, value: `' or 1=1 --:${approval.argumentsHash}` });
  await click(BO, { ...approve, value: '' });
  await suite.sql.query('update approvals set expires_at = now()');
  await expect
    .poll(async () => (await suite.sql.query('select status from approvals')).rows, { timeout: 60_000 })
    .toEqual([{ status: 'EXPIRED' }]);
  await click(BO, approve);
  expect(whispers().map(([, text]) => text)).toEqual([
    'The arguments of the call differ from those you decided on. Read the call again, then decide.',
    ...Array(3).fill('There is no approval with this id.'),
    'The approval expired without a decision (EXPIRED).',
  ]);
  expect(await suite.notes()).toEqual([]);
});

test('a call with masked arguments cannot be approved in Slack, also not by a forged button', async () => {
  await start('http', {}, ASK);
  suite.app.llm.script(
    toolCall('tools.note', { text: 'password: hunter2-Syn7hetic' }),
    { text: 'Done.' },
    { text: 'Summary.' },
  );
  const { id, approval } = await suite.asked();
  await expect.poll(() => slackTest.slack.messages.length, { timeout: 30_000 }).toBe(1);
  await settled();
  const [message] = slackTest.slack.messages;
  expect(JSON.stringify(message)).not.toContain('hunter2');
  expect(() => buttonOf(message, APPROVE)).toThrow('no button');
  const deny = buttonOf(message, DENY);
  await click(BO, { ...deny, action_id: APPROVE });
  expect(whispers()).toEqual([[BO, 'Some arguments are masked, so approve it on the page.']]);
  expect((await approvalsOf(suite.as('ana'), id))[0]).toMatchObject({ id: approval.id, status: 'PENDING' });
  await click(BO, deny);
  await suite.ended(id);
  expect((await approvalsOf(suite.as('ana'), id))[0]).toMatchObject({ status: 'DENIED' });
  expect(await suite.notes()).toEqual([]);
});

test('users do not approve the call of their own question, under either of their names', async () => {
  await start('http', { chain: { chat: { agent: 'TestAgent' } } }, ASK);
  suite.app.llm.script({ text: 'The disk is full.' }, { text: 'Summary.' });
  const id = await suite.as('ana').submit('Disk trouble');
  await suite.ended(id);
  await settled();
  suite.app.llm.script(CHANGING_CALL, { text: 'Noted.' });
  const thread = slackTest.slack.messages[0]!.ts;
  const question = slackTest.slack.message(ANA, `<@${BOT_USER}> note it`, { thread_ts: thread });
  await deliver('event', slackTest.slack.event({ ...question, type: 'app_mention' }));
  await expect.poll(() => slackTest.slack.messages.length, { timeout: 60_000 }).toBe(2);
  const message = slackTest.slack.messages[1]!;
  expect(message.thread_ts).toBe(thread);
  const approve = buttonOf(message, APPROVE);
  await deliver('interactive', slackTest.slack.click(ANA, approve));
  await expect
    .poll(() => whispers().at(-1), { timeout: 30_000 })
    .toEqual([ANA, expect.stringMatching(/^The call comes from your own question/)]);
  const [approval] = await approvalsOf(suite.as('ana'), id);
  const onPage = await suite
    .as('ana')
    .query<{ decideApproval: { __typename: string } }>(
      'mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { __typename } }',
      { input: { id: approval!.id, argumentsHash: approval!.argumentsHash, approve: true } },
    );
  expect(onPage.decideApproval.__typename).toBe('ForbiddenError');
  await deliver('interactive', slackTest.slack.click(BO, approve));
  await expect.poll(() => suite.notes(), { timeout: 60_000 }).toEqual(['clean up']);
});
