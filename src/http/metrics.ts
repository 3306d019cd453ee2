import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionArgs, getOperationAST, type OperationTypeNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Receives measurements from the HTTP server. Implementations limit the number of distinct operation names. */
export interface HttpMetrics {
  requestEnded(request: { method: string; path: string; status: number; seconds: number }): void;
  operationEnded(operation: {
    type: `${OperationTypeNode}`;
    name: string | null;
    failed: boolean;
    seconds: number;
  }): void;
  socketsChanged(by: 1 | -1): void;
}

export interface MetricsText {
  contentType: string;
  text: string;
}

export interface MetricsPage {
  /** @param accept the header `Accept` of the scrape; '' if there is none */
  render(accept: string): Promise<MetricsText>;
}

export async function answerMetrics(
  req: IncomingMessage,
  res: ServerResponse,
  page: MetricsPage,
): Promise<void> {
  const { contentType, text } = await page.render(req.headers.accept ?? '');
  res.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store', Vary: 'Accept' });
  res.end(text);
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);

export function countRequest(metrics: HttpMetrics, req: IncomingMessage, res: ServerResponse): void {
  const begun = performance.now();
  res.once('close', () => {
    const method = METHODS.has(req.method ?? '') ? String(req.method) : 'OTHER';
    const seconds = (performance.now() - begun) / 1000;
    metrics.requestEnded({ method, path: pathLabel(req.url ?? ''), status: res.statusCode, seconds });
  });
}

function pathLabel(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  if (path === '/graphql' || path === '/health' || path === '/metrics') return path;
  return path.startsWith('/assets/') ? '/assets/*' : '/*';
}

/** Measures operations over HTTP and WebSocket. A subscription is measured when it starts, not when it ends. */
export function operationMetrics(metrics: HttpMetrics): Plugin {
  return {
    onExecute: ({ args }) => ({ onExecuteDone: startOperation(metrics, args) }),
    onSubscribe: ({ args }) => ({ onSubscribeResult: startOperation(metrics, args) }),
  };
}

function startOperation(metrics: HttpMetrics, args: ExecutionArgs) {
  const begun = performance.now();
  return ({ result }: { result: object }): void => {
    const operation = getOperationAST(args.document, args.operationName);
    if (!operation) return;
    metrics.operationEnded({
      type: operation.operation,
      name: operation.name?.value ?? null,
      failed: 'errors' in result && result.errors !== undefined,
      seconds: (performance.now() - begun) / 1000,
    });
  };
}
