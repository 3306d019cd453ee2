import { expect, it } from 'vitest';
import { read } from '../fixtures/delivery.ts';

const incident = (type: string, data: Record<string, unknown> = {}) => ({
  event: {
    ...{ id: 'ev2', event_type: `incident.${type}`, occurred_at: '2026-11-26T09:10:00Z' },
    data: {
      ...{ id: 'Q1', type: 'incident', title: 'checkout slow', status: 'triggered', urgency: 'high' },
      priority: { summary: 'P1' },
      ...data,
    },
  },
});

it.each([
  ['priority_updated', 'triggered'],
  ['acknowledged', 'acknowledged'],
  ['escalated', 'triggered'],
  ['reassigned', 'acknowledged'],
])('PagerDuty: an event incident.%s says that the incident is open, and how bad it is', (type, status) => {
  expect(read('pagerduty', incident(type, { status })).alerts).toMatchObject([
    { state: 'FIRING', severity: 'CRITICAL', reportedAt: new Date('2026-11-26T09:10:00Z') },
  ]);
  const lower = incident(type, { status, priority: { summary: 'P3' } });
  expect(read('pagerduty', lower).alerts).toMatchObject([{ severity: 'WARNING' }]);
});

it('PagerDuty: an event that comes after the end of its incident says that it is over', () => {
  expect(read('pagerduty', incident('priority_updated', { status: 'resolved' })).alerts).toMatchObject([
    { state: 'RESOLVED' },
  ]);
});

it.each(['UpdatePriority', 'Acknowledge'])(
  'Opsgenie: %s says that the alert is open, and how bad it is',
  (action) => {
    const alert = { alertId: 'a1', alias: 'checkout', message: 'checkout slow', priority: 'P1' };
    expect(read('opsgenie', { action, alert }).alerts).toMatchObject([
      { state: 'FIRING', severity: 'CRITICAL', fingerprint: 'checkout', episode: 'a1' },
    ]);
  },
);
