import { afterEach, beforeEach } from 'vitest';
import type { startTestApp } from '../app.ts';
import { approvalsSuite } from '../approvals-suite.ts';
import { startFakeSlack } from './server.ts';
import type { FakeSlack, PostedMessage } from './types.ts';
import { APP_TOKEN, SIGNING_SECRET, SLACK_CHANNEL, SLACK_TOKEN } from './workspace.ts';

type Options = NonNullable<Parameters<typeof startTestApp>[0]>;

/** Members of the workspace. `ana` is on the page, too, under her user name. */
export const ANA = 'U0000ANA';
export const BO = 'U0000BO';
export const CY = 'U0000CY';
export const VAL = 'U0000VAL';
/** Users whom TARSy does not know: without address, guest, of another workspace, bot, deactivated, unconfirmed. */
export const STRANGERS = {
  U00NOMAIL: {},
  U000GUEST: { email: 'ana@example.com', is_restricted: true },
  U000OTHER: { email: 'ana@example.com', team_id: 'T0OTHER', is_stranger: true },
  U0000ABOT: { email: 'ana@example.com', is_bot: true },
  U0000GONE: { email: 'ana@example.com', deleted: true },
  U000UNCONF: { email: 'ana@example.com', is_email_confirmed: false },
} as const;

const address = (name: string) => `${name}@example.com`;
const RESPONDERS = ['ana', 'bo', 'cy'];

/** An application that users reach from Slack. `ana`, `bo` and `cy` are responders, `val` reads. */
export function slackSuite() {
  const suite = approvalsSuite();
  let slack: FakeSlack;
  beforeEach(async () => {
    slack = await startFakeSlack();
    for (const [id, name] of Object.entries({ [ANA]: 'ana', [BO]: 'bo', [CY]: 'cy', [VAL]: 'val' }))
      slack.users.set(id, { email: address(name) });
    for (const [id, user] of Object.entries(STRANGERS)) slack.users.set(id, user);
  });
  afterEach(() => slack.close());
  return {
    suite,
    get slack() {
      return slack;
    },
    async start(
      receive: 'http' | 'socket' = 'http',
      more: Options = {},
      policy: object[] = [],
    ): Promise<void> {
      const keys = {
        token_env: 'MY_SLACK_TOKEN',
        signing_secret_env: 'MY_SECRET',
        app_token_env: 'MY_APP_TOKEN',
      };
      await suite.start(policy, {
        slackApiUrl: slack.url,
        env: { MY_SLACK_TOKEN: SLACK_TOKEN, MY_SECRET: SIGNING_SECRET, MY_APP_TOKEN: APP_TOKEN },
        access: {
          roles: {
            viewer: { users: ['*'] },
            responder: { users: [...RESPONDERS, ...RESPONDERS.map(address)] },
            admin: { users: ['root'] },
          },
          teams: {},
        },
        system: { slack: { enabled: true, channel: SLACK_CHANNEL, receive, reaction: 'mag', ...keys } },
        ...more,
      });
    },
    /** Delivers an event, click or command over HTTP. */
    deliver: (kind: 'event' | 'interactive' | 'command', payload: object) =>
      slack.deliver(suite.app.url, kind, payload),
    /** Resolves once every request is handled, and every message about it is posted or given up. */
    async settled(): Promise<void> {
      const { rows } = await suite.sql.query<{ open: number }>(
        `select (select count(*) from slack_requests where status in ('WAITING', 'ASKED'))
           + (select count(*) from slack_posts where status = 'WAITING') as open`,
      );
      if (Number(rows[0]!.open) === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return this.settled();
    },
    /** Texts of the messages of TARSy that everybody sees. */
    posted: (): string[] =>
      slack.messages.filter(({ bot_id: bot }) => bot === 'B0000BOT').map(({ text }) => text),
    whispers: (): [user: string, text: string][] => slack.ephemerals.map(({ user, text }) => [user, text]),
    /** Returns the value of a button of a message. */
    buttonOf(message: PostedMessage | undefined, action: string): { action_id: string; value: string } {
      const all = message?.blocks?.flatMap(({ elements = [] }) => elements) ?? [];
      const found = all.find(({ action_id: id }) => id === action);
      if (!found) throw new Error(`no button ${action} in ${JSON.stringify(message)}`);
      return { action_id: action, value: found.value ?? '' };
    },
    async refusals(): Promise<Record<string, unknown>[]> {
      const { rows } = await suite.sql.query(
        `select actor, via, detail from audit_events where action = 'slack.refuse' order by at, id`,
      );
      return rows;
    },
    async sessions(): Promise<{ id: string; author: string; alert_data: string }[]> {
      return (await suite.sql.query('select id, author, alert_data from alert_sessions order by created_at'))
        .rows;
    },
  };
}
