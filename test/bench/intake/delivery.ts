/** Builds a delivery of a new group, as Alertmanager sends it. */
export function deliveryOf(mark: string, count: number): string {
  const groupLabels = { alertname: 'DiskAlmostFull', group: mark };
  const alerts = Array.from({ length: count }, (_, n) => ({
    status: 'firing',
    labels: { ...groupLabels, severity: 'critical', host: `web-${n}`, namespace: 'shop', mountpoint: '/var' },
    annotations: { summary: `The disk of web-${n} is almost full`, runbook_url: 'https://example.com/disk' },
    startsAt: '2026-11-22T10:00:00Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'https://prometheus.example.com/graph',
    fingerprint: `${mark}${n}`,
  }));
  const groupKey = `{}:{group="${mark}"}`;
  return JSON.stringify({ version: '4', groupKey, status: 'firing', receiver: 'tarsy', groupLabels, alerts });
}
