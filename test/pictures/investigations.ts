import type { GenerateRequest } from '../../src/engine/model/gen/llm_service.ts';
import { type ApiClient, ENDED } from '../helpers/api.ts';
import { askQuestion, waitForStageEnd } from '../helpers/chat.ts';
import { claimedFact } from '../helpers/report.ts';
import { type ScriptedLlm, type ScriptedResponse, toolCall } from '../helpers/scripted-llm/index.ts';
import { ANSWER, EVIDENCE, FINDINGS, SUMMARY, SYNTHESIS } from './texts.ts';

const used = (input: number, output: number) => ({ usage: { input, output, total: input + output } });
const fact = (
  subject: string,
  attribute: string,
  value: string,
  citation = 0,
  unit: string | null = null,
) => ({
  ...claimedFact(subject, attribute, value),
  ...{ citation, unit },
});

/** Returns the number of the output that has this text, as the request for the report cites it. */
function sourceOf({ messages }: GenerateRequest, text: string): string {
  const content = messages.map((message) => message.content).join('\n');
  const number = /\bT(\d+)\b(?![\s\S]*\bT\d+\b)/.exec(content.slice(0, content.indexOf(text)))?.[1];
  if (number === undefined) throw new Error(`no output says: ${text}`);
  return `T${number}`;
}

/** Returns the report of the investigation, with the numbers that its outputs have in this run. */
function report(request: GenerateRequest) {
  const cite = (quote: string) => ({ source: sourceOf(request, quote), quote });
  return toolCall('submit_report', {
    verdict: 'ACTION_REQUIRED',
    headline: 'checkout 2.14.1 runs with 5 database connections where it had 50',
    confidence: 0.9,
    entities: ['service checkout', 'namespace shop', 'pod checkout-7c9d6b8f5-q7hns'],
    claims: [
      {
        kind: 'CAUSE',
        text: 'Version 2.14.1 was deployed at 11:52.',
        citations: [cite(EVIDENCE.deployment)],
        facts: [fact('checkout', 'version', '2.14.1'), fact('2.14.1', 'time', '11:52')],
      },
      {
        kind: 'CAUSE',
        text: 'The pool of checkout has 5 connections, and 43 requests wait for one.',
        citations: [cite(EVIDENCE.pool)],
        facts: [fact('12:00', 'size', '5'), fact('12:00', 'in use', '5'), fact('12:00', 'waiting', '43')],
      },
      {
        kind: 'OBSERVATION',
        text: '6.1 % of the requests to checkout failed within 5 minutes.',
        citations: [cite(EVIDENCE.rate)],
        facts: [fact('5m', 'failed %', '6.1', 0, '%')],
      },
      {
        kind: 'OBSERVATION',
        text: 'checkout-7c9d6b8f5-q7hns was restarted 9 times.',
        citations: [cite(EVIDENCE.pod)],
        facts: [fact('checkout-7c9d6b8f5-q7hns', 'RESTARTS', '9')],
      },
      {
        kind: 'OBSERVATION',
        text: 'No order was lost.',
        citations: [cite(EVIDENCE.order)],
        facts: [fact('orders', 'lost', '0')],
      },
      {
        kind: 'RECOMMENDATION',
        text: 'Roll checkout back to 2.14.0, then set the pool size in the new configuration.',
        citations: [],
        facts: [],
      },
    ],
  });
}

/** Scripts the model for one investigation by three agents. */
export function scriptInvestigation(llm: ScriptedLlm): void {
  llm.route(
    'You are KubernetesAgent',
    [
      { waitMs: 1_400 },
      {
        thinking:
          'The alert names checkout. I look at its pods first, then at the log of one that is not ready.',
      },
      toolCall('kubernetes.list_pods', { namespace: 'shop' }),
      used(4_812, 96),
    ],
    [
      { waitMs: 1_900 },
      { thinking: 'One pod of checkout is in CrashLoopBackOff with 9 restarts.' },
      toolCall('kubernetes.pod_logs', { namespace: 'shop', pod: 'checkout-7c9d6b8f5-q7hns' }),
      used(5_306, 88),
    ],
    [{ waitMs: 2_600 }, { text: FINDINGS.kubernetes }, used(5_911, 214)],
  );
  llm.route(
    'You are MetricsAgent',
    [
      { waitMs: 1_700 },
      { thinking: 'Error rate and pool usage of checkout, to compare both over time.' },
      toolCall('metrics.error_rate', { service: 'checkout' }),
      toolCall('metrics.pool_usage', { service: 'checkout' }),
      used(4_640, 131),
    ],
    [{ waitMs: 2_200 }, { text: FINDINGS.metrics }, used(5_204, 187)],
  );
  llm.route(
    'You are DeployAgent',
    [{ waitMs: 1_100 }, toolCall('deploys.recent_deployments', { service: 'checkout' }), used(4_588, 71)],
    [{ waitMs: 1_500 }, { text: FINDINGS.deploys }, used(4_977, 156)],
  );
  // A report whose claims fail the check is asked for once more.
  const twice: ScriptedResponse = (request) => [{ waitMs: 3_100 }, report(request), used(9_320, 1_104)];
  llm.script([{ waitMs: 2_800 }, { text: SYNTHESIS }, used(7_850, 402)], twice, twice, [
    { waitMs: 900 },
    { text: SUMMARY },
    used(3_120, 96),
  ]);
}

/** Asks about an investigation, as a viewer does below its report. */
export async function chat(llm: ScriptedLlm, api: ApiClient, session: string): Promise<void> {
  llm.script([
    { thinking: 'The pool metrics show when the waiting began.' },
    { text: ANSWER },
    used(8_420, 143),
  ]);
  const stage = await askQuestion(api, session, 'Did customers notice before 11:55?');
  await waitForStageEnd(api, session, stage);
}

/** Submits an alert whose agent asks to roll back, and waits until the call waits for approval. */
export async function waitingForApproval(llm: ScriptedLlm, api: ApiClient, alert: string): Promise<string> {
  llm.route(
    'You are DeployAgent',
    [
      { thinking: 'Which version ran before the errors began?' },
      toolCall('deploys.recent_deployments', { service: 'checkout' }),
      used(4_588, 71),
    ],
    [
      {
        thinking: '2.14.0 ran without errors until 11:52. A roll-back changes production, so people decide.',
      },
      toolCall('deploys.roll_back', { service: 'checkout', version: '2.14.0' }),
      used(5_204, 118),
    ],
  );
  const id = await api.submit(alert, { alertType: 'remedy' });
  await api.waitFor(id, ({ status }) => status === 'WAITING_FOR_APPROVAL');
  return id;
}

/** Submits an alert whose agents stay in the middle of their work until `llm.open('running')`. */
export async function running(llm: ScriptedLlm, api: ApiClient, alert: string): Promise<string> {
  scriptRunning(llm);
  const id = await api.submit(alert, { alertType: 'service' });
  await llm.reached('running', 2);
  return id;
}

/** Scripts the model for agents that stay in the middle of their work. */
export function scriptRunning(llm: ScriptedLlm): void {
  llm.route(
    'You are KubernetesAgent',
    [
      { thinking: 'The alert names payments. I look at its pods first.' },
      toolCall('kubernetes.list_pods', { namespace: 'shop' }),
    ],
    [
      { thinking: 'Pods of payments are ready. The log of the newest one shows where the time goes.' },
      { text: FINDINGS.growing },
      { gate: 'running' },
      { hang: true },
    ],
  );
  llm.route(
    'You are MetricsAgent',
    [toolCall('metrics.error_rate', { service: 'payments' })],
    [{ thinking: 'The failed share rises, and p99 rises with it.' }, { gate: 'running' }, { hang: true }],
  );
  llm.route(
    'You are DeployAgent',
    [toolCall('deploys.recent_deployments', { service: 'payments' })],
    [{ text: FINDINGS.nothingDeployed }],
  );
}

export const ended = (api: ApiClient, id: string) => api.waitFor(id, ({ status }) => ENDED.has(status));
