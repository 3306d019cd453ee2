import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

/** Tools of an online shop with fixed answers, over stdio. The first argument names the server. */
interface Tool {
  readonly description: string;
  readonly input: Record<string, z.ZodString>;
  readonly readOnlyHint: boolean;
  readonly answer: string;
}

const namespace = z.string().describe('Namespace');
const service = z.string().describe('Name of the service');

const reads = (description: string, input: Tool['input'], lines: readonly string[]): Tool => ({
  ...{ description, input, readOnlyHint: true },
  answer: lines.join('\n'),
});

const SERVERS: Record<string, Record<string, Tool>> = {
  kubernetes: {
    list_pods: reads('Lists the pods of a namespace.', { namespace }, [
      'NAME                        READY  STATUS            RESTARTS  AGE  NODE',
      'cart-6b8d9f7c5-2xkzq        1/1    Running           0         9d   node-04',
      'catalog-5f6c8d9b7-8mwtr     1/1    Running           1         9d   node-02',
      'checkout-7c9d6b8f5-4xkzq    1/1    Running           0         38m  node-01',
      'checkout-7c9d6b8f5-9mwtr    1/1    Running           0         38m  node-03',
      'checkout-7c9d6b8f5-q7hns    0/1    CrashLoopBackOff  9         38m  node-04',
      'payments-84f7b6d9c-tz5lp    1/1    Running           0         4d   node-01',
    ]),
    pod_logs: reads('Returns the last lines of the log of a pod.', { namespace, pod: z.string() }, [
      '11:58:41.207 INFO  http   POST /v1/orders 201 148 ms',
      '11:58:43.915 ERROR pool   no free connection after 5000 ms: 5 of 5 in use, 41 waiting',
      '11:58:43.916 ERROR http   POST /v1/orders 503 5012 ms',
      '11:58:44.120 ERROR pool   no free connection after 5000 ms: 5 of 5 in use, 43 waiting',
      '11:58:44.121 ERROR http   POST /v1/orders 503 5009 ms',
      '11:58:46.002 WARN  health readiness probe answered 503: pool exhausted',
      '11:58:46.730 INFO  http   GET /v1/orders/81723 200 31 ms',
    ]),
  },
  metrics: {
    error_rate: reads('Shows how many requests of a service fail.', { service }, [
      'service   window  requests  failed %  p99 ms',
      'checkout  5m      4812      6.1       5013',
      'checkout  1h      58310     2.4       1830',
      'checkout  24h     1402771   0.2       212',
    ]),
    pool_usage: reads('Shows the connections of a service to its database.', { service }, [
      'service   time   size  in use  waiting',
      'checkout  11:40  50    17      0',
      'checkout  11:50  50    19      0',
      'checkout  11:55  5     5       22',
      'checkout  12:00  5     5       43',
    ]),
  },
  deploys: {
    recent_deployments: reads('Lists the recent deployments of a service, newest first.', { service }, [
      'time   service   version  author  change',
      '11:52  checkout  2.14.1   ben     Read the pool size from the new configuration',
      '08:10  checkout  2.14.0   ana     Cache prices for one minute',
      'Tue    checkout  2.13.4   ana     Update the tax tables',
    ]),
    roll_back: {
      description: 'Rolls a service back to a version that ran before.',
      input: { service, version: z.string() },
      readOnlyHint: false,
      answer: 'checkout runs version 2.14.0',
    },
  },
};

const name = process.argv[2] ?? '';
const server = new McpServer({ name, version: '1.0.0' });
for (const [tool, { description, input, readOnlyHint, answer }] of Object.entries(SERVERS[name] ?? {}))
  server.registerTool(tool, { description, inputSchema: input, annotations: { readOnlyHint } }, () => ({
    content: [{ type: 'text' as const, text: answer }],
  }));
await server.connect(new StdioServerTransport());
