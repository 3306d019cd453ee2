import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, ENDED } from '../helpers/api.ts';
import { browserSuite, type Dashboard, NO_BROWSER, startDashboard } from '../helpers/dashboard.ts';
import { type HttpMcpServer, startHttpMcp } from '../helpers/mcp/http-server.ts';
import { expectPageFits } from '../helpers/page-fit.ts';
import { toolCall } from '../helpers/scripted-llm/index.ts';

const TOKEN = 'prometheus-token';
const START = 1_800_000_000;

/** Prometheus's answer to a range query over an hour: a busy pod, a steady one and five idle ones. */
const ANSWER = JSON.stringify({
  status: 'success',
  data: {
    resultType: 'matrix',
    result: Array.from({ length: 7 }, (_, pod) => ({
      metric: { __name__: 'cpu_usage', pod: `checkout-${pod}`, note: '<img src=x onerror=alert(1)>' },
      values: Array.from({ length: 121 }, (_, n) => [START + n * 30, String(pod === 0 ? (n % 40) / 8 : pod)]),
    })),
  },
});

function createMcp(): McpServer {
  const server = new McpServer({ name: 'prometheus', version: '1.0.0' });
  const description = 'Answers a query over a range of time';
  server.registerTool('query_range', { description, annotations: { readOnlyHint: true } }, () => ({
    content: [{ type: 'text', text: ANSWER }],
  }));
  return server;
}

describe.skipIf(NO_BROWSER)(browserSuite('a result with time series'), () => {
  let prometheus: HttpMcpServer;
  let dashboard: Dashboard;
  let id = '';
  beforeAll(async () => {
    prometheus = await startHttpMcp(TOKEN, undefined, { createMcp });
    dashboard = await startDashboard({
      mcpServers: {
        prometheus: { transport: { type: 'http', url: `${prometheus.url}/mcp`, bearer_token: TOKEN } },
      },
      agents: { TestAgent: { mcp_servers: ['prometheus'] } },
    });
    const { llm, url } = dashboard.app;
    const api = apiClient(url);
    llm.script(toolCall('prometheus.query_range', {}), { text: 'Checkout is busy.' }, { text: 'In short.' });
    id = await api.submit('Checkout is slow');
    await api.waitFor(id, ({ status }) => ENDED.has(status));
  });
  afterAll(async () => {
    await dashboard?.stop();
    await prometheus?.close();
  });

  test('shows a small chart above the figures, and describes it in words', async () => {
    const { page, close } = await dashboard.open();
    await page.goto(`${dashboard.app.url}/sessions/${id}`);
    await page.getByRole('button', { name: /prometheus\.query_range/ }).click();
    const charts = page.getByRole('img', { name: /^cpu_usage\{pod="checkout-/ });
    await expect.poll(() => charts.count()).toBe(4);
    const busy = page.getByRole('img', {
      name: /checkout-0.*: Last 0, lowest 0 at .*highest 4\.875 at .*121 points/,
    });
    expect(await busy.count()).toBe(1);
    await expectPageFits(page, 'time-series');
    await page.getByRole('button', { name: '3 more of 7 time series' }).click();
    await expect.poll(() => charts.count()).toBe(7);
    await close();
  });
});
