import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, type GraphQLError, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { WebSocket } from 'ws';
import type { Visibility } from '../../access/visibility.ts';
import type { AnswerAccount, Context } from '../../schema/context.ts';
import { tookTooLong } from '../../schema/errors.ts';
import { MAX_ANSWER_MS, SENDING_MS } from '../tunables.ts';
import type { Ledger, OpenAnswer } from './ledger.ts';
import type { UnreadBytes } from './unread-bytes.ts';

/** Returns the readers of one operation. */
export type ReadsFor = (operation: {
  /** Account to which the bytes read are charged. */
  answer: AnswerAccount;
  client: string;
  /** Rows outside this visibility are hidden. */
  sight: Visibility;
  /** True for a query, whose reads may use a replica. A mutation reads what it wrote. */
  isQuery: boolean;
}) => Pick<Context, 'reads' | 'loaders'>;

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** Opens a memory account for each query and mutation. If the account fails, its error replaces the answer. */
export function boundedAnswers(deps: {
  ledger: Ledger;
  unread: UnreadBytes;
  readsFor: ReadsFor;
  clientNameOf: (req: IncomingMessage) => string;
}): Plugin<Pick<Context, 'viewer'> & { req: IncomingMessage; res?: ServerResponse; socket?: WebSocket }> {
  const { ledger, unread, readsFor, clientNameOf } = deps;
  return {
    onExecute({ executeFn, setExecuteFn, extendContext, args }) {
      const { req, res, socket, viewer } = args.contextValue;
      const client = clientNameOf(req);
      const answer = ledger.open({ client });
      extendContext({ answer } as never);
      const operation = { answer, client, sight: viewer.teams, isQuery: isQuery(args) };
      // Copies property descriptors, because reading the getters here would create the reads too early.
      const reads = Object.getOwnPropertyDescriptors(readsFor(operation));
      Object.defineProperties(args.contextValue, reads);
      setExecuteFn(async (given: ExecutionArgs) => {
        const stop = isQuery(given) ? stopEarly(answer, res ?? socket) : () => {};
        try {
          const result = await (executeFn as Execute)(given);
          return answer.error === null ? result : { errors: [answer.error as GraphQLError] };
        } finally {
          stop();
          countUntilRead(answer, unread, res);
        }
      });
    },
  };
}

function countUntilRead(answer: OpenAnswer, unread: UnreadBytes, res: ServerResponse | undefined): void {
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

/** True for a query. Only queries are aborted early: a mutation always finishes what it began. */
function isQuery({ document, operationName }: ExecutionArgs): boolean {
  return getOperationAST(document, operationName)?.operation === 'query';
}

function stopEarly(answer: OpenAnswer, client: EventEmitter | undefined): () => void {
  const fail = () => answer.fail(tookTooLong('The request'));
  const late = setTimeout(fail, MAX_ANSWER_MS);
  client?.once('close', fail);
  return () => {
    clearTimeout(late);
    client?.off('close', fail);
  };
}
