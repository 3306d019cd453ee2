import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OperationTypeNode } from 'graphql';

/** Receives the measurements of the HTTP server. The implementation bounds operation names. */
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

export interface MetricsPage {
  contentType: string;
  render(): Promise<string>;
}

export async function answerMetrics(res: ServerResponse, page: MetricsPage): Promise<void> {
  const text = await page.render();
  res.writeHead(200, { 'Content-Type': page.contentType, 'Cache-Control': 'no-store' });
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
