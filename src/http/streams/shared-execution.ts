import { setTimeout as delay } from 'node:timers/promises';
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  executeSubscriptionEvent,
  GraphQLError,
  type ValidatedSubscriptionArgs,
  validateSubscriptionArgs,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { isTransient } from '../../db/transient.ts';
import { StreamSource } from '../../resolvers/subscriptions/stream-source.ts';
import type { Context, Viewer } from '../../schema/context.ts';
import { EXECUTION_RETRY_MS, MAX_BUFFERED_BYTES } from '../tunables.ts';
import type { ExecuteItem, Groups } from './group.ts';
import { createKeys } from './key.ts';
import { createSubscriber, type Sink } from './subscriber.ts';

/** What a transport adds to the context of a subscription. */
export interface StreamContext {
  sink: Sink;
}

/**
 * Executes each live item of a subscription once for all subscribers that would get the same result: those of the same
 * topic, document, operation, variables (but for the cursor) and viewer scope. Only the replay is executed for each.
 */
export function sharedExecution(deps: { groups: Groups; mask: (error: unknown) => GraphQLError }): Plugin {
  const { groups, mask } = deps;
  const keyOf = createKeys();

  async function subscribe(args: ExecutionArgs): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
    const validated = validateSubscriptionArgs(args);
    if (!('schema' in validated)) return { errors: validated };
    const source = await createSourceEventStream(validated);
    if ('errors' in source) return source;
    if (!(source instanceof StreamSource)) throw new TypeError('A subscription must give a StreamSource.');
    const context = args.contextValue as Context & StreamContext;
    const key = keyOf({
      topic: source.stream.topic,
      document: args.document,
      operationName: args.operationName,
      variables: args.variableValues,
      viewer: scopeOf(context.viewer),
    });
    const forAll = { ...validated, contextValue: forEverybody(context) };
    return createSubscriber({
      stream: source.stream,
      join: (receive) => groups.of(key, source.stream, executor(forAll, mask)).join(receive),
      execute: executor(validated, mask),
      sink: context.sink,
      maxHeld: MAX_BUFFERED_BYTES,
    });
  }

  return {
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn((args: ExecutionArgs) => subscribe(args)),
  };
}

/** What a viewer may see of what is live: everybody sees everything. Where that changes, so must this. */
function scopeOf(_viewer: Viewer): string {
  return 'everything';
}

/** The context without what is one subscriber's: nothing that one result holds may come from who was there first. */
function forEverybody({ engine, reads, loaders, alertTypes, mcpServers }: Context): Context {
  const viewer = { name: '', groups: [] };
  return { engine, reads, loaders, alertTypes, mcpServers, viewer, lastEventId: null };
}

function executor(args: ValidatedSubscriptionArgs, mask: (error: unknown) => GraphQLError): ExecuteItem {
  const masked = (result: ExecutionResult): ExecutionResult =>
    result.errors ? { ...result, errors: result.errors.map(mask) } : result;
  return (item) => {
    const run = () => executeSubscriptionEvent({ ...args, rootValue: item });
    const result = run();
    // Most items need no read: then all happens at once.
    return result instanceof Promise ? untilReachable(result, run).then(masked) : masked(result);
  };
}

/** An event that cannot be shown because the database is away is shown a little later, not lost. */
async function untilReachable(
  first: Promise<ExecutionResult>,
  again: () => ExecutionResult | Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  let result = await first;
  for (const wait of EXECUTION_RETRY_MS) {
    if (!result.errors?.some(isUnreachable)) return result;
    await delay(wait);
    result = await again();
  }
  return result;
}

function isUnreachable(error: unknown): boolean {
  if (isTransient(error)) return true;
  return (
    error instanceof GraphQLError && error.originalError !== undefined && isUnreachable(error.originalError)
  );
}
