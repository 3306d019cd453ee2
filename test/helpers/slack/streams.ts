import { list, object, only, Problem, text } from './blocks.ts';
import { type Args, type FakeSlack, type PostedMessage, type Result, refuse } from './types.ts';
import { BOT_USER, SLACK_CHANNEL, SLACK_TEAM } from './workspace.ts';

/** Limits of streaming messages, as Slack documents them or enforces them. */
const LIMITS = { markdown: 12_000, field: 256, tasks: 50, messageBytes: 10_600, lifeMs: 300_000 } as const;

const STATUSES = ['pending', 'in_progress', 'complete', 'error'];

interface Task {
  task_id: string;
  title: string;
  status: string;
  details: string;
  output: string;
}

interface Stream {
  startedAt: number;
  /** True if the stream was started with chunks; it then refuses a text beside them. */
  isChunked: boolean;
  text: string;
  title: string;
  tasks: Map<string, Task>;
}

const streams = new WeakMap<PostedMessage, Stream>();

/** Starts a stream: only below a message of the channel, for one user of the workspace. */
export function startStream(slack: FakeSlack, args: Args, nextTs: () => string): Result {
  if (slack.streamRefusal !== null) return refuse(slack.streamRefusal);
  if (!slack.isMember) return refuse('not_in_channel');
  const {
    thread_ts: thread,
    recipient_team_id: team,
    recipient_user_id: user,
    task_display_mode: mode,
  } = args;
  if (thread === undefined) return refuse('invalid_thread_ts');
  const parent = slack.messages.find(({ ts }) => ts === thread);
  if (!parent) return refuse('thread_not_found');
  if (parent.thread_ts !== undefined && parent.thread_ts !== parent.ts) return refuse('invalid_thread_ts');
  if (team === undefined) return refuse('missing_recipient_team_id');
  if (user === undefined) return refuse('missing_recipient_user_id');
  if (!/^[UW][A-Z0-9]{2,}$/.test(String(user))) return refuse('invalid_arguments');
  if (team !== SLACK_TEAM || !slack.users.has(String(user))) return refuse('user_not_found');
  if (mode !== undefined && mode !== 'plan' && mode !== 'timeline') return refuse('invalid_arguments');
  const stream: Stream = {
    ...{ startedAt: Date.now(), isChunked: args.chunks !== undefined, text: '', title: '', tasks: new Map() },
  };
  const problem = add(stream, args);
  if (problem) return problem;
  const message: PostedMessage = {
    ...{ ts: nextTs(), thread_ts: String(thread), user: BOT_USER, bot_id: 'B0000BOT', text: '' },
    streaming_state: 'in_progress',
  };
  streams.set(message, stream);
  render(message);
  slack.messages.push(message);
  return { ok: true, ts: message.ts, channel: SLACK_CHANNEL };
}

export function appendStream(slack: FakeSlack, args: Args): Result {
  const { message, stream, refusal } = openStream(slack, args);
  if (refusal) return refusal;
  if (args.chunks === undefined && args.markdown_text === undefined) return refuse('no_text');
  const problem = add(stream, args);
  if (problem) return problem;
  render(message);
  return { ok: true, ts: message.ts, channel: SLACK_CHANNEL };
}

export function stopStream(slack: FakeSlack, args: Args, problemOf: (args: Args) => Result | null): Result {
  const { message, stream, refusal } = openStream(slack, args);
  if (refusal) return refusal;
  const { blocks, metadata } = args;
  const problem =
    (blocks || metadata ? problemOf({ text: '-', blocks, metadata }) : null) ?? add(stream, args);
  if (problem) return problem;
  end(message);
  if (blocks) message.blocks!.push(...(blocks as NonNullable<PostedMessage['blocks']>));
  if (metadata) message.metadata = metadata;
  return { ok: true, ts: message.ts, channel: SLACK_CHANNEL, message };
}

/** Ends every stream, as Slack does 5 minutes after its start. */
export function expireStreams({ messages }: FakeSlack): void {
  for (const message of messages) if (isStreaming(message)) end(message);
}

export function isStreaming(message: PostedMessage): boolean {
  const stream = streams.get(message);
  if (message.streaming_state === 'in_progress' && stream && Date.now() - stream.startedAt > LIMITS.lifeMs)
    end(message);
  return message.streaming_state === 'in_progress';
}

/** Ends a stream. Tasks that are open then are shown as failed. */
function end(message: PostedMessage): void {
  message.streaming_state = 'completed';
  for (const task of streams.get(message)!.tasks.values())
    if (task.status === 'pending' || task.status === 'in_progress') task.status = 'error';
  render(message);
}

type Opened =
  | { message: PostedMessage; stream: Stream; refusal: null }
  | { message: null; stream: null; refusal: Result };

function openStream(slack: FakeSlack, { ts }: Args): Opened {
  const refused = (error: string) => ({ message: null, stream: null, refusal: refuse(error) }) as const;
  const message = slack.messages.find((each) => each.ts === ts);
  if (!message) return refused('message_not_found');
  if (message.bot_id !== 'B0000BOT') return refused('message_not_owned_by_app');
  const stream = streams.get(message);
  if (!stream || !isStreaming(message)) return refused('message_not_in_streaming_state');
  return { message, stream, refusal: null };
}

/** Adds text or chunks to a stream, all or nothing. Returns why it is refused, or `null`. */
function add(stream: Stream, { chunks, markdown_text: markdown }: Args): Result | null {
  if (chunks !== undefined && markdown !== undefined)
    return refuse('cannot_provide_both_markdown_text_and_chunks');
  if (chunks === undefined && markdown === undefined) return null;
  if ((chunks !== undefined) !== stream.isChunked) return refuse('streaming_mode_mismatch');
  const next = { ...stream, tasks: new Map(stream.tasks) };
  try {
    if (markdown !== undefined) addChunk(next, { type: 'markdown_text', text: markdown }, 'markdown_text');
    else
      for (const [index, chunk] of list(chunks, 1000, 'chunks').entries())
        addChunk(next, object(chunk, `chunks[${index}]`), `chunks[${index}]`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refuse('invalid_chunks', { response_metadata: { messages: [error.message] } });
  }
  const shown = [next.text, next.title, ...[...next.tasks.values()].flatMap((task) => Object.values(task))];
  if (Buffer.byteLength(shown.join('')) > LIMITS.messageBytes) return refuse('msg_too_long');
  Object.assign(stream, next);
  return null;
}

function addChunk(stream: Stream, chunk: Record<string, unknown>, at: string): void {
  switch (chunk.type) {
    case 'markdown_text':
      only(chunk, ['type', 'text'], at);
      stream.text += text(chunk.text, LIMITS.markdown, `${at}.text`);
      return;
    case 'plan_update':
      only(chunk, ['type', 'title'], at);
      stream.title = text(chunk.title, LIMITS.field, `${at}.title`);
      return;
    case 'task_update': {
      only(chunk, ['type', 'id', 'title', 'status', 'details', 'output', 'sources'], at);
      const id = text(chunk.id, LIMITS.field, `${at}.id`);
      const known = stream.tasks.get(id);
      if (!STATUSES.includes(String(chunk.status))) throw new Problem(`${at}.status`);
      // A task that is known gets a new title and status; details and output grow.
      const grown = (name: 'details' | 'output') =>
        (known?.[name] ?? '') +
        (chunk[name] === undefined ? '' : text(chunk[name], LIMITS.field, `${at}.${name}`));
      const task = { details: grown('details'), output: grown('output'), status: String(chunk.status) };
      stream.tasks.set(id, { task_id: id, title: text(chunk.title, LIMITS.field, `${at}.title`), ...task });
      if (stream.tasks.size > LIMITS.tasks) throw new Problem(`${at}: too many tasks`);
      return;
    }
    default:
      throw new Problem(`${at}.type ${String(chunk.type)}`);
  }
}

/** Writes what a stream shows into its message, as Slack returns it. */
function render(message: PostedMessage): void {
  const { text: written, title, tasks } = streams.get(message)!;
  const shown = [...tasks.values()].map(({ details, output: _, ...task }) => ({
    ...{ type: 'task_card', ...task },
    ...(details === '' ? {} : { details }),
  }));
  message.text = [written, ...shown.map((task) => task.title)].join(' ').trim();
  const plan = { type: 'plan', title, tasks: shown };
  message.blocks = [
    ...(written === '' ? [] : [{ type: 'markdown', text: written }]),
    ...(shown.length === 0 && title === '' ? [] : [plan]),
  ] as unknown as NonNullable<PostedMessage['blocks']>;
}
