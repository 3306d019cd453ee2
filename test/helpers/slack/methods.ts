import { problemOfBlocks } from './blocks.ts';
import { appendStream, isStreaming, startStream, stopStream } from './streams.ts';
import {
  type Args,
  type FakeSlack,
  type PostedMessage,
  type Result,
  refuse,
  type SlackRequest,
} from './types.ts';
import { APP_TOKEN, BOT_USER, SLACK_CHANNEL, SLACK_TEAM, SLACK_TOKEN } from './workspace.ts';

/** Scopes of the methods; one of each list suffices. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'chat.postMessage': ['chat:write'],
  'chat.update': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.startStream': ['chat:write'],
  'chat.appendStream': ['chat:write'],
  'chat.stopStream': ['chat:write'],
  'conversations.history': ['channels:history', 'groups:history'],
  'conversations.replies': ['channels:history', 'groups:history'],
  'conversations.info': ['channels:read', 'groups:read'],
  'users.info': ['users:read'],
};

/** Performs a call as Slack does: checks token, scopes, channel and arguments. */
export async function perform(
  slack: FakeSlack,
  request: SlackRequest,
  nextTs: () => string,
): Promise<Result> {
  const { args, method, authorization } = request;
  if (method === 'apps.connections.open')
    return authorization === `Bearer ${APP_TOKEN}`
      ? {
          ok: true,
          url:
            slack.linkUrl ?? slack.url.replace('http:', 'ws:').replace('/api/', `/link/?ticket=${nextTs()}`),
        }
      : refuse('invalid_auth');
  if (authorization !== `Bearer ${SLACK_TOKEN}`) return refuse('invalid_auth');
  if (method === 'auth.test')
    return {
      ok: true,
      team_id: SLACK_TEAM,
      team: 'Test',
      user_id: BOT_USER,
      bot_id: 'B0000BOT',
      user: 'tarsy',
    };
  const needed = SCOPES[method];
  if (!needed) return refuse('unknown_method');
  if (!needed.some((scope) => slack.scopes.has(scope)))
    return refuse('missing_scope', { needed: needed[0], provided: [...slack.scopes].join(',') });
  if (method === 'users.info') return userInfo(slack, args);
  if (args.channel !== SLACK_CHANNEL) return refuse('channel_not_found');
  switch (method) {
    case 'conversations.info':
      return {
        ok: true,
        channel: { id: SLACK_CHANNEL, is_channel: true, is_member: slack.isMember, is_archived: false },
      };
    case 'chat.postMessage':
      return post(slack, args, nextTs);
    case 'chat.update':
      return update(slack, args);
    case 'chat.startStream':
      return start(slack, args, nextTs);
    case 'chat.appendStream':
      return appendStream(slack, args);
    case 'chat.stopStream':
      return stopStream(slack, args, contentProblem);
    case 'chat.postEphemeral':
      return whisper(slack, args, nextTs);
    default:
      return read(slack, method, args);
  }
}

function userInfo(slack: FakeSlack, { user }: Args): Result {
  const known = slack.users.get(String(user));
  if (!known) return refuse('user_not_found');
  const { email, ...rest } = known;
  const profile = slack.scopes.has('users:read.email') && email !== undefined ? { email } : {};
  return {
    ok: true,
    user: { id: user, team_id: SLACK_TEAM, deleted: false, is_bot: false, ...rest, profile },
  };
}

function read(slack: FakeSlack, method: string, args: Args): Result {
  const isReplies = method === 'conversations.replies';
  if (isReplies && !slack.messages.some(({ ts }) => ts === args.ts)) return refuse('thread_not_found');
  const inPlace = slack.messages.filter(({ ts, thread_ts: thread, subtype }) =>
    isReplies
      ? thread === args.ts || ts === args.ts
      : thread === undefined || thread === ts || subtype === 'thread_broadcast',
  );
  const isInclusive = String(args.inclusive) === 'true';
  const recent = inPlace.filter(({ ts }) => {
    const [at, oldest, latest] = [Number(ts), Number(args.oldest ?? 0), Number(args.latest ?? Infinity)];
    return isInclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
  });
  const ordered = isReplies ? recent : recent.reverse();
  const from = Number(args.cursor ?? 0);
  const to = from + Number(args.limit ?? 100);
  const next_cursor = to < ordered.length ? String(to) : '';
  return { ok: true, messages: ordered.slice(from, to), response_metadata: { next_cursor } };
}

/** Returns why the content of a message is refused, or `null`. */
function contentProblem({ text, blocks, metadata }: Args): Result | null {
  if (blocks === undefined && (typeof text !== 'string' || text === '')) return refuse('no_text');
  if (typeof text === 'string' && text.length > 4000) return refuse('msg_too_long');
  const problem = blocks === undefined ? null : problemOfBlocks(blocks);
  if (problem !== null)
    return refuse(problem.startsWith('msg_') ? 'msg_blocks_too_long' : 'invalid_blocks', {
      response_metadata: { messages: [problem] },
    });
  const hasMetadata = metadata === undefined || (typeof metadata === 'object' && metadata !== null);
  return hasMetadata ? null : refuse('invalid_metadata_format');
}

async function post(slack: FakeSlack, args: Args, nextTs: () => string): Promise<Result> {
  if (!slack.isMember) return refuse('not_in_channel');
  const message = { ts: nextTs(), user: BOT_USER, bot_id: 'B0000BOT', ...args } as PostedMessage;
  const { thread_ts: thread } = message;
  if (thread !== undefined && !slack.messages.some(({ ts }) => ts === thread))
    return refuse('thread_not_found');
  const problem = contentProblem(args);
  if (problem) return problem;
  slack.messages.push(message);
  await slack.onPosted(message);
  return { ok: true, ts: message.ts, channel: SLACK_CHANNEL };
}

async function start(slack: FakeSlack, args: Args, nextTs: () => string): Promise<Result> {
  const result = startStream(slack, args, nextTs);
  if (result.ok) await slack.onPosted(slack.messages.find(({ ts }) => ts === result.ts)!);
  return result;
}

function update(slack: FakeSlack, args: Args): Result {
  const message = slack.messages.find(({ ts }) => ts === args.ts);
  if (!message) return refuse('message_not_found');
  if (message.bot_id === undefined) return refuse('cant_update_message');
  if (isStreaming(message)) return refuse('streaming_state_conflict');
  const problem = contentProblem(args);
  if (problem) return problem;
  Object.assign(message, { text: args.text, blocks: args.blocks, edits: (message.edits ?? 0) + 1 });
  if (args.metadata !== undefined) message.metadata = args.metadata;
  return { ok: true, ts: message.ts, channel: SLACK_CHANNEL };
}

function whisper(slack: FakeSlack, args: Args, nextTs: () => string): Result {
  if (!slack.users.has(String(args.user))) return refuse('user_not_in_channel');
  const problem = contentProblem(args);
  if (problem) return problem;
  slack.ephemerals.push({ ts: nextTs(), ...args } as FakeSlack['ephemerals'][number]);
  return { ok: true, message_ts: nextTs() };
}
