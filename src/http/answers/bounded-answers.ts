import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, type GraphQLError, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { WebSocket } from 'ws';
import type { Visibility } from '../../access/visibility.ts';
import type { AnswerAccount } from '../../schema/answer.ts';
import type { Context } from '../../schema/context.ts';
import { tookTooLong } from '../../schema/errors.ts';
import { MAX_ANSWER_MS, SENDING_MS } from '../tunables.ts';
import type { Ledger, OpenAnswer } from './ledger.ts';
import type { Unread } from './unread-bytes.ts';

/** What an operation reads with: its account is charged, its client waits behind itself, and sees what it may. */
export type ReadsFor = (
  answer: AnswerAccount,
  client: string,
  sight: Visibility,
) => Pick<Context, 'reads' | 'loaders'>;

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** Gives each operation but subscriptions an account, and answers with its error once there is one. */
export function boundedAnswers(deps: {
  ledger: Ledger;
  unread: Unread;
  readsFor: ReadsFor;
  /** Who asks, of those among whom what there is is shared. */
  nameOf: (req: IncomingMessage) => string;
}): Plugin<Pick<Context, 'viewer'> & { req: IncomingMessage; res?: ServerResponse; socket?: WebSocket }> {
  const { ledger, unread, readsFor, nameOf } = deps;
  return {
    onExecute({ executeFn, setExecuteFn, extendContext, args }) {
      const { req, res, socket, viewer } = args.contextValue;
      const client = nameOf(req);
      const answer = ledger.open({ client });
      extendContext({ answer } as never);
      // As they are: a copy would have them made.
      const reads = Object.getOwnPropertyDescriptors(readsFor(answer, client, viewer.teams));
      Object.defineProperties(args.contextValue, reads);
      setExecuteFn(async (given: ExecutionArgs) => {
        const stop = isQuery(given) ? stopEarly(answer, res ?? socket) : () => {};
        try {
          const result = await (executeFn as Execute)(given);
          return answer.error === null ? result : { errors: [answer.error as GraphQLError] };
        } finally {
          stop();
          sent(answer, unread, res);
        }
      });
    },
  };
}

/** Its bytes are still here until its client has read them: the next large one waits for that, for a while. */
function sent(answer: OpenAnswer, unread: Unread, res: ServerResponse | undefined): void {
  if (!res || res.closed || answer.error !== null) {
    answer.close();
    return;
  }
  const read = unread.add(answer.written, () => res.destroy());
  const late = setTimeout(answer.close, SENDING_MS);
  res.once('close', () => {
    clearTimeout(late);
    read();
    answer.close();
  });
}

/** What a mutation began it ends; a query that nobody waits for, or that takes too long, is given up. */
function isQuery({ document, operationName }: ExecutionArgs): boolean {
  return getOperationAST(document, operationName)?.operation === 'query';
}

function stopEarly(answer: OpenAnswer, client: EventEmitter | undefined): () => void {
  const late = setTimeout(() => answer.fail(tookTooLong('The request')), MAX_ANSWER_MS);
  const gone = () => answer.fail(tookTooLong('The request')); // for nobody: its client is gone
  client?.once('close', gone);
  return () => {
    clearTimeout(late);
    client?.off('close', gone);
  };
}
