import { createHmac } from 'node:crypto';
import { encoded, type SignedRequest } from './deliveries.ts';
import { ANA, BO, STRANGERS, type slackSuite, VAL } from './suite.ts';
import { BOT_USER, SIGNING_SECRET, SLACK_CHANNEL } from './workspace.ts';

/** Responder of another team than that of the sessions. */
export const DEE = 'U0000DEE';

/** Objects that the attempts aim at. */
export interface Aims {
  /** Buttons of the message about an ended session of the team shop. */
  rate: Button;
  why: Button;
  /** Buttons of a call that needs two approvals; Ana has given one. */
  approve: Button;
  deny: Button;
  /** Buttons of calls that were denied and that expired. */
  denied: Button;
  expired: Button;
  /** Thread of the ended session. */
  thread: string;
  /** Message of a monitoring bot that has no investigation. */
  alert: string;
  /** A stored and handled request. */
  handled: SignedRequest;
}

export interface Button {
  action_id: string;
  value: string;
}

/** How an attempt is refused. `told` is what only the user reads; `code` is that of the audit event, if there is one. */
interface Refused {
  status?: number;
  told?: string | RegExp;
  code?: 'FORBIDDEN' | 'NOT_FOUND';
}

export type Attempt = [name: string, send: (aims: Aims) => Promise<number>, refused: Refused];

const now = () => Math.floor(Date.now() / 1000);
const UNSIGNED: Refused = { status: 401 };
const MALFORMED: Refused = { status: 400 };
const OTHER_WORKSPACE: Refused = { status: 403 };
/** Accepted and ignored, because Slack sends events that concern no app. */
const IGNORED: Refused = {};
const unknown: Refused = { told: /TARSy knows no role for the e-mail address/, code: 'FORBIDDEN' };
const viewer: Refused = { told: 'This needs the role RESPONDER; yours is VIEWER.', code: 'FORBIDDEN' };
const noSession: Refused = { told: 'There is no session with this id.', code: 'NOT_FOUND' };
const noApproval: Refused = { told: 'There is no approval with this id.', code: 'NOT_FOUND' };
const noMessage: Refused = {
  told: 'There is neither an investigation nor an alert in this message that you may use.',
  code: 'NOT_FOUND',
};
const forged = ({ value, ...button }: Button, change: (value: string) => string) => ({
  ...button,
  value: change(value),
});
const otherId = (value: string) => value.replace(/^./, (first) => (first === 'f' ? '0' : 'f'));

/** Attempts to act in Slack without the right to, with the senders that they use. */
export function slackAttempts(slackTest: ReturnType<typeof slackSuite>) {
  const click = (user: string, action: Button, more = {}) =>
    once(encoded('interactive', slackTest.slack.click(user, action, more)));
  const command = (user: string, more: Record<string, string> = {}) =>
    once(encoded('command', slackTest.slack.command(user, 'Disk of db-9 is full', more)));
  const event = (inner: object, envelope = {}) =>
    once(encoded('event', slackTest.slack.event(inner, envelope)));
  const mention = (user: string, more: object = {}, envelope = {}) => event(mentionBy(user, more), envelope);
  const mentionBy = (user: string, more: object = {}) => ({
    ...slackTest.slack.message(user, `<@${BOT_USER}> what fills db-9?`, more),
    type: 'app_mention',
  });
  const react = (user: string, ts: string, channel = SLACK_CHANNEL) =>
    event({ type: 'reaction_added', user, reaction: 'mag', item: { type: 'message', channel, ts } });

  /** Sends a request once. @returns the status */
  async function once(request: SignedRequest, headers: Record<string, string> = {}): Promise<number> {
    return (await slackTest.slack.sendOnce(slackTest.suite.app.url, request, headers)).status;
  }

  const signed = (more: Partial<SignedRequest> = {}, headers = {}) =>
    once({ ...encoded('event', slackTest.slack.event(mentionBy(BO))), ...more }, headers);

  const attempts: Attempt[] = [
    // Requests that are not from this app of Slack. Nothing says who sent them, so the log names the peer only.
    ['a wrong secret', () => signed({ secret: 'another secret' }), UNSIGNED],
    ['the secret of another app', () => signed({ secret: 'f'.repeat(32) }), UNSIGNED],
    ['no signature', () => signed({ signature: '' }), UNSIGNED],
    ['a signature of zeros', () => signed({ signature: `v0=${'0'.repeat(64)}` }), UNSIGNED],
    ['another version of the signature', () => signed({ signature: `v1=${'0'.repeat(64)}` }), UNSIGNED],
    ['an old time', () => signed({ at: now() - 301 }), UNSIGNED],
    ['a future time', () => signed({ at: now() + 330 }), UNSIGNED],
    ['no time', () => signed({}, { 'x-slack-request-timestamp': '' }), UNSIGNED],
    [
      'a new time for an old signature',
      () => signed({ at: now() - 400 }, { 'x-slack-request-timestamp': String(now()) }),
      UNSIGNED,
    ],
    [
      'the signature of another body',
      () => {
        const of = createHmac('sha256', SIGNING_SECRET).update(`v0:${now()}:{}`).digest('hex');
        return signed({ signature: `v0=${of}` });
      },
      UNSIGNED,
    ],
    // Payloads that Slack does not send.
    ['malformed JSON', () => signed({ body: '{' }), MALFORMED],
    ['an empty body', () => signed({ body: '' }), MALFORMED],
    ['an event as a form', () => signed({ type: 'application/x-www-form-urlencoded' }), MALFORMED],
    [
      'a click as JSON',
      ({ rate }) =>
        signed({
          body: encoded('interactive', slackTest.slack.click(BO, rate)).body,
          type: 'application/json',
        }),
      MALFORMED,
    ],
    [
      'an oversized body',
      () => signed({ body: JSON.stringify({ more: 'x'.repeat(1024 * 1024) }) }),
      { status: 413 },
    ],
    ['a user id with SQL', () => mention("U1'; drop table alert_sessions; --"), IGNORED],
    ['two buttons at once', ({ rate }) => click(BO, rate, { actions: [rate, rate] }), MALFORMED],
    [
      'a button value of 3,000 characters',
      ({ rate }) =>
        click(
          BO,
          forged(rate, () => 'x'.repeat(3000)),
        ),
      MALFORMED,
    ],
    // Other places.
    ['an event of another workspace', () => mention(BO, {}, { team_id: 'T0OTHER' }), OTHER_WORKSPACE],
    [
      'a click in another workspace',
      ({ rate }) => click(BO, rate, { team: { id: 'T0OTHER' } }),
      OTHER_WORKSPACE,
    ],
    ['a command of another workspace', () => command(BO, { team_id: 'T0OTHER' }), OTHER_WORKSPACE],
    ['a mention in another channel', () => mention(BO, { channel: 'C0OTHER' }), IGNORED],
    ['a click in another channel', ({ rate }) => click(BO, rate, { channel: { id: 'C0OTHER' } }), IGNORED],
    ['a command in another channel', () => command(BO, { channel_id: 'C0OTHER' }), IGNORED],
    ['a reaction in another channel', ({ alert }) => react(BO, alert, 'C0OTHER'), IGNORED],
    // Senders who are no users.
    ['a mention by a bot', () => mention(BO, { bot_id: 'B0MON' }), IGNORED],
    ['a mention by TARSy itself', () => mention(BOT_USER), IGNORED],
    ['a click by TARSy itself', ({ approve }) => click(BOT_USER, approve), IGNORED],
    ['a handled request again', ({ handled }) => once(handled), IGNORED],
    // Users whom TARSy does not know.
    ...Object.keys(STRANGERS).map(
      (user): Attempt => [`a mention by a stranger (${user})`, () => mention(user), unknown],
    ),
    ['a rating by a guest', ({ rate }) => click('U000GUEST', rate), unknown],
    ['an approval by a guest', ({ approve }) => click('U000GUEST', approve), unknown],
    ['a denial by a user of another workspace', ({ deny }) => click('U000OTHER', deny), unknown],
    [
      'a question by a user without e-mail address',
      ({ thread }) => mention('U00NOMAIL', { thread_ts: thread }),
      unknown,
    ],
    ['a look by a deactivated user', ({ why }) => click('U0000GONE', why), unknown],
    // A viewer, for each action.
    ['a rating by a viewer', ({ rate }) => click(VAL, rate), viewer],
    ['an approval by a viewer', ({ approve }) => click(VAL, approve), viewer],
    ['a denial by a viewer', ({ deny }) => click(VAL, deny), viewer],
    ['a question by a viewer', ({ thread }) => mention(VAL, { thread_ts: thread }), viewer],
    ['a mention by a viewer', () => mention(VAL), viewer],
    ['a reaction of a viewer', ({ alert }) => react(VAL, alert), viewer],
    ['a command by a viewer', () => command(VAL), viewer],
    // A session of another team, by every way.
    ['a rating of a hidden session', ({ rate }) => click(DEE, rate), noSession],
    ['a look at a hidden session', ({ why }) => click(DEE, why), noSession],
    ['an approval of a hidden session', ({ approve }) => click(DEE, approve), noSession],
    ['a denial of a hidden session', ({ deny }) => click(DEE, deny), noSession],
    [
      'a question in the thread of a hidden session',
      ({ thread }) => mention(DEE, { thread_ts: thread }),
      noMessage,
    ],
    ['a reaction to the message of a hidden session', ({ thread }) => react(DEE, thread), noMessage],
    // Forged buttons.
    [
      'an unknown button',
      ({ rate }) => click(BO, { ...rate, action_id: 'tarsy_delete' }),
      { told: 'TARSy does not know this button.' },
    ],
    [
      'an unknown rating',
      ({ rate }) => click(BO, { ...rate, action_id: 'tarsy_rate:PERFECT' }),
      { told: 'There is no such rating.' },
    ],
    ['another session’s id', ({ rate }) => click(BO, forged(rate, otherId)), noSession],
    [
      'an id with SQL',
      ({ rate }) =>
        click(
          BO,
          forged(rate, () => "' or 1=1 --"),
        ),
      noSession,
    ],
    [
      'an empty id',
      ({ why }) =>
        click(
          BO,
          forged(why, () => ''),
        ),
      noSession,
    ],
    ['another approval’s id', ({ approve }) => click(BO, forged(approve, otherId)), noApproval],
    [
      'an approval without a hash',
      ({ approve }) =>
        click(
          BO,
          forged(approve, (value) => value.split(':')[0]!),
        ),
      { told: /^The arguments of the call differ/ },
    ],
    [
      'the hash of other arguments',
      ({ approve }) =>
        click(
          BO,
          forged(approve, (value) => value.replace(/.$/, (last) => (last === '0' ? '1' : '0'))),
        ),
      { told: /^The arguments of the call differ/ },
    ],
    [
      'a session’s id as an approval',
      ({ approve, rate }) => click(BO, { ...approve, value: rate.value }),
      noApproval,
    ],
    [
      'an approval’s id as a session',
      ({ rate, approve }) => click(BO, { ...rate, value: approve.value.split(':')[0]! }),
      noSession,
    ],
    // Approvals that are no longer open, and a second one of the same person.
    [
      'an approval of a denied call',
      ({ denied }) => click(BO, denied),
      { told: /^The call was denied by bo/ },
    ],
    [
      'an approval of an expired call',
      ({ expired }) => click(BO, expired),
      { told: /expired without a decision/ },
    ],
    [
      'a denial after an own approval',
      ({ deny }) => click(ANA, deny),
      { told: /^You have already decided on this call/ },
    ],
    [
      'a second approval by the same person',
      ({ approve }) => click(ANA, approve),
      { told: 'Your decision is stored: approved.' },
    ],
  ];
  return { attempts, click, once };
}
