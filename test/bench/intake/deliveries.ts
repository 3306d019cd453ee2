import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { percentile } from '../report.ts';
import { deliveryOf } from './delivery.ts';

/**
 * Number of connections. The clients run in their own process, so that their work does not count as the
 * server's.
 */
const CLIENTS = 16;

export interface DeliveryLoad {
  port: number;
  path: string;
  /**
   * Number of senders. Each appends its number to the path, in turn; 0 sends all deliveries to the path
   * itself.
   */
  senders: number;
  token: string;
  requests: number;
  /** Alerts per delivery. */
  alerts: number;
  /**
   * Deliveries per second, sent on schedule no matter how long earlier ones take. `null` sends the next one
   * when an answer arrives.
   */
  perSecond: number | null;
}

export interface DeliveryReport {
  perSecond: number;
  /** Times from a delivery's scheduled time to its answer, including retries after a refusal (ms). */
  p50: number;
  p99: number;
  wrong: string | null;
}

process.on('message', ({ load }: { load: DeliveryLoad }) => void run(load));

let runs = 0;

async function run({ port, path, senders, token, requests, alerts, perSecond }: DeliveryLoad): Promise<void> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: perSecond === null ? CLIENTS : 64 });
  const [run, took] = [runs++, [] as number[]];
  let [next, wrong] = [0, null as string | null];
  const begun = performance.now();
  const send = async (index: number, since: number): Promise<void> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const body = deliveryOf(`${process.pid}-${run}-${index}`, alerts);
    const to = senders === 0 ? path : `${path}${index % senders}`;
    const response = await pool.request({ path: to, method: 'POST', headers, body });
    const text = await response.body.text();
    if (response.statusCode === 503) {
      // Waits as senders do; the measured time includes this wait.
      await delay(Number(response.headers['retry-after']) * 1000);
      return send(index, since);
    }
    took.push(performance.now() - since);
    if (response.statusCode !== 202) wrong ??= `${response.statusCode} ${text.slice(0, 200)}`;
  };
  const client = async () => {
    while (next < requests) await send(next++, performance.now());
  };
  if (perSecond === null) await Promise.all(Array.from({ length: CLIENTS }, client));
  else await Promise.all(Array.from({ length: requests }, (_, index) => atItsTime(index)));
  async function atItsTime(index: number): Promise<void> {
    const since = begun + (index * 1000) / perSecond!;
    await delay(Math.max(0, since - performance.now()));
    await send(index, since);
  }
  const report: DeliveryReport = {
    perSecond: (requests * 1000) / (performance.now() - begun),
    p50: percentile(took, 0.5),
    p99: percentile(took, 0.99),
    wrong,
  };
  await pool.close();
  process.send!({ report });
}
