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
import { anonymousViewer, visibilityKey } from '../../access/viewer.ts';
import { isTransient } from '../../db/transient.ts';
import type { Context } from '../../schema/context.ts';
import { StreamSource } from '../../schema/stream-source.ts';
import type { Ledger } from '../answers/ledger.ts';
import { EXECUTION_RETRY_MS, MAX_BUFFERED_BYTES, MAX_EVENT_BYTES } from '../tunables.ts';
import { createExecutionKeys } from './execution-key.ts';
import type { ExecuteItem, FanOutGroups } from './fan-out.ts';
import { createSubscriber, type Sink } from './subscriber.ts';

export interface StreamContext {
  sink: Sink;
}

/** Executes each live item once for all subscribers with the same key, and replayed items for each subscriber alone. */
export function sharedExecution(deps: {
  groups: FanOutGroups;
  ledger: Ledger;
  mask: (error: unknown) => GraphQLError;
}): Plugin {
  const { groups } = deps;
  const keyOf = createExecutionKeys();

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
      viewer: visibilityKey(context.viewer),
    });
    const forAll = { ...validated, contextValue: sharedContext(context) };
    return createSubscriber({
      stream: source.stream,
      join: (receive) => groups.of(key, source.stream, executor(forAll, deps))(receive),
      execute: executor(validated, deps),
      sink: context.sink,
      maxBuffered: MAX_BUFFERED_BYTES,
    });
  }

  return {
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn((args: ExecutionArgs) => subscribe(args)),
  };
}

/**
 * Returns the context without the data of one subscriber, because all subscribers with the same key share the results.
 */
function sharedContext(context: Context): Omit<Context, 'answer'> {
  const { engine, intake, reads, loaders, alertTypes, labels, model, mcpServers, tokens, savedViews } =
    context;
  const { configuration, budgets, dashboardUrl, teams, viewer, presence, schedules } = context;
  return {
    ...{ engine, intake, reads, loaders, alertTypes, labels, model, mcpServers, tokens, savedViews },
    ...{ configuration, budgets, dashboardUrl, teams, presence, schedules },
    viewer: anonymousViewer(viewer),
    lastEventId: null,
  };
}

function executor(
  args: ValidatedSubscriptionArgs,
  { ledger, mask }: { ledger: Ledger; mask: (error: unknown) => GraphQLError },
): ExecuteItem {
  const context = args.contextValue as Omit<Context, 'answer'>;
  const masked = (result: ExecutionResult): ExecutionResult =>
    result.errors ? { ...result, errors: result.errors.map(mask) } : result;
  return (item) => {
    const run = () => {
      const answer = ledger.open({ limit: MAX_EVENT_BYTES });
      const settle = (result: ExecutionResult): ExecutionResult => {
        const { error } = answer;
        answer.close();
        return error === null ? result : { errors: [error as GraphQLError] };
      };
      const result = executeSubscriptionEvent({
        ...args,
        contextValue: { ...context, answer },
        rootValue: item,
      });
      return result instanceof Promise ? result.then(settle) : settle(result);
    };
    const result = run();
    return result instanceof Promise ? withRetries(result, run).then(masked) : masked(result);
  };
}

/** Repeats the execution of an event while its reads fail temporarily, so that the event is late instead of lost. */
async function withRetries(
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

/** Codes of failed reads that may succeed later and are not shown to subscribers. */
const TEMPORARY_CODES: readonly unknown[] = ['BUSY', 'TOOK_TOO_LONG'];

function isUnreachable(error: unknown): boolean {
  if (isTransient(error)) return true;
  if (!(error instanceof GraphQLError)) return false;
  const { extensions, originalError } = error;
  return (
    TEMPORARY_CODES.includes(extensions.code) || (originalError !== undefined && isUnreachable(originalError))
  );
}
