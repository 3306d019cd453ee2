import { type ExecutionArgs, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { HttpMetrics } from './metrics.ts';

export function operationMetrics(metrics: HttpMetrics): Plugin {
  return {
    onExecute({ args }) {
      const done = begin(metrics, args);
      return { onExecuteDone: ({ result }) => done(hasErrors(result)) };
    },
    onSubscribe({ args }) {
      const done = begin(metrics, args);
      return { onSubscribeResult: ({ result }) => done(hasErrors(result)) };
    },
  };
}

function begin(metrics: HttpMetrics, args: ExecutionArgs): (failed: boolean) => void {
  const begun = performance.now();
  return (failed) => {
    const operation = getOperationAST(args.document, args.operationName);
    if (!operation) return;
    const seconds = (performance.now() - begun) / 1000;
    metrics.operationEnded({
      type: operation.operation,
      name: operation.name?.value ?? null,
      failed,
      seconds,
    });
  };
}

function hasErrors(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'errors' in result && result.errors !== undefined;
}
