import { createHash } from 'node:crypto';
import { sendDelivery } from '../helpers/deliveries.ts';

type Labels = Record<string, string>;
interface Firing {
  readonly labels: Labels;
  readonly summary: string;
  /** Minutes since the alert began. */
  readonly minutes: number;
  readonly resolved?: boolean;
}

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** Sends a group of alerts as Alertmanager does. */
export function sendGroup(url: string, alerts: readonly Firing[], source = 'alertmanager-eu') {
  const [first] = alerts;
  const { alertname = '', service = '' } = first!.labels;
  const isResolved = alerts.every(({ resolved }) => resolved);
  const body = {
    version: '4',
    groupKey: `{}/{service="${service}"}:{alertname="${alertname}"}`,
    status: isResolved ? 'resolved' : 'firing',
    receiver: 'tarsy',
    groupLabels: { alertname, service },
    commonLabels: first!.labels,
    commonAnnotations: {},
    externalURL: 'https://alertmanager.shop.example',
    alerts: alerts.map(({ labels, summary, minutes, resolved }) => ({
      status: resolved ? 'resolved' : 'firing',
      labels,
      annotations: { summary },
      startsAt: ago(minutes),
      endsAt: resolved ? ago(1) : '0001-01-01T00:00:00Z',
      generatorURL: 'https://prometheus.shop.example/graph',
      fingerprint: createHash('sha256').update(JSON.stringify(labels)).digest('hex').slice(0, 16),
    })),
  };
  return sendDelivery(url, body, { source });
}

const labels = (alertname: string, service: string, severity: string, more: Labels = {}): Labels => ({
  ...{ alertname, service, severity, cluster: 'prod-eu-1' },
  ...more,
});

const checkout = (pod: string, minutes: number): Firing => ({
  labels: labels('CheckoutErrorRateHigh', 'checkout', 'critical', { namespace: 'shop', pod }),
  summary: 'Error rate of checkout above 5% for 5 minutes',
  minutes,
});

/** Alerts of the investigation that the pictures show. */
export const CHECKOUT = [checkout('checkout-7c9d6b8f5-q7hns', 9)];
/** The same group some minutes later, with the alert of a second pod. */
export const CHECKOUT_LATER = [...CHECKOUT, checkout('checkout-7c9d6b8f5-9mwtr', 2)];

/** Sends further alerts: excluded, silenced, waiting for more, and resolved. */
export async function sendOthers(url: string): Promise<void> {
  const one = (alertname: string, service: string, severity: string, summary: string): Firing => ({
    ...{ labels: labels(alertname, service, severity), summary, minutes: 50 },
  });
  await sendGroup(url, [one('CertificateRenewed', 'login', 'info', 'Certificate of login was renewed')]);
  await sendGroup(url, [one('DeploymentFinished', 'catalog', 'info', 'catalog 5.3.0 runs on all pods')]);
  const node = (name: string, minutes: number): Firing => ({
    labels: labels('NodeNotReady', 'batch', 'warning', { node: name }),
    summary: `${name} is drained`,
    minutes,
  });
  await sendGroup(url, [node('node-17', 130), node('node-18', 128)]);
  const disk = (volume: string, minutes: number): Firing => ({
    labels: labels('VolumeAlmostFull', 'object-store', 'warning', { volume }),
    summary: `Volume ${volume} is 91% full`,
    minutes,
  });
  await sendGroup(url, [disk('data-0', 24), disk('data-1', 19), disk('data-2', 6)]);
  const over = {
    ...one('CanaryFailed', 'object-store', 'warning', 'The canary of object-store failed'),
    minutes: 31,
  };
  await sendGroup(url, [over]);
  await sendGroup(url, [{ ...over, resolved: true }]);
}
