import { describe, expect, it } from 'vitest';
import { HOSTILE, read } from '../fixtures/delivery.ts';

describe('cloudwatch', () => {
  const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:alarms';
  const ARN = 'arn:aws:cloudwatch:eu-west-1:123456789012:alarm:cpu-high';
  const alarm = (more: Record<string, unknown> = {}) => ({
    AlarmName: 'cpu-high',
    AlarmDescription: 'CPU of the web tier',
    AWSAccountId: '123456789012',
    NewStateValue: 'ALARM',
    OldStateValue: 'OK',
    NewStateReason: 'Threshold Crossed: 1 datapoint (99.0) was greater than the threshold (90.0).',
    StateChangeTime: '2026-11-22T10:00:00.500+0000',
    Region: 'EU (Ireland)',
    AlarmArn: ARN,
    Trigger: {
      MetricName: 'CPUUtilization',
      Namespace: 'AWS/EC2',
      Dimensions: [{ name: 'InstanceId', value: 'i-0abc' }],
      Threshold: 90,
    },
    ...more,
  });
  const envelope = (message: unknown, more: Record<string, unknown> = {}) => ({
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: TOPIC,
    Subject: 'ALARM: "cpu-high" in EU (Ireland)',
    Message: typeof message === 'string' ? message : JSON.stringify(message),
    Timestamp: '2026-11-22T10:00:01.000Z',
    SignatureVersion: '2',
    ...more,
  });

  it('reads an alarm, with the region from the ARN', () => {
    const { alerts, deliveryKey } = read('cloudwatch', envelope(alarm()));
    expect(deliveryKey).toBe('22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324');
    expect(alerts).toMatchObject([
      {
        fingerprint: ARN,
        group: ARN,
        title: 'cpu-high',
        severity: 'UNKNOWN',
        state: 'FIRING',
        labels: {
          InstanceId: 'i-0abc',
          namespace: 'AWS/EC2',
          metric: 'CPUUtilization',
          account: '123456789012',
          region: 'eu-west-1',
        },
        annotations: { description: 'CPU of the web tier', threshold: '90', state: 'ALARM' },
        startsAt: new Date('2026-11-22T10:00:00.500Z'),
      },
    ]);
  });

  it('reads a resolved alarm', () => {
    expect(read('cloudwatch', envelope(alarm({ NewStateValue: 'OK' }))).alerts).toMatchObject([
      { state: 'RESOLVED', endsAt: new Date('2026-11-22T10:00:00.500Z') },
    ]);
  });

  it('treats missing data as an alert only if the source is configured so', () => {
    const body = envelope(alarm({ NewStateValue: 'INSUFFICIENT_DATA' }));
    expect(read('cloudwatch', body).alerts).toEqual([]);
    expect(read('cloudwatch', body, { source: { insufficientData: 'fire' } }).alerts).toMatchObject([
      { state: 'FIRING' },
    ]);
  });

  it('reads a composite alarm, which has no trigger, and one without an ARN', () => {
    const composite = alarm({ Trigger: undefined, AlarmRule: 'ALARM(a) AND ALARM(b)', AlarmArn: undefined });
    expect(read('cloudwatch', envelope(composite)).alerts).toMatchObject([
      { labels: { region: 'EU (Ireland)' }, annotations: { rule: 'ALARM(a) AND ALARM(b)' } },
    ]);
  });

  it('turns any other published message into an alert, and accepts a raw delivery', () => {
    expect(read('cloudwatch', envelope(HOSTILE, { Subject: 'Backup failed' })).alerts).toMatchObject([
      { title: 'Backup failed', state: 'FIRING', annotations: { message: HOSTILE.replace('\0', '\ufffd') } },
    ]);
    const headers = { 'x-amz-sns-rawdelivery': 'true' };
    expect(read('cloudwatch', alarm(), { headers })).toMatchObject({
      deliveryKey: null,
      alerts: [{ title: 'cpu-high' }],
    });
  });

  it('reads the severity of other messages from text or JSON', () => {
    const text = JSON.stringify({ check: 'backup', summary: 'Backup failed', priority: 'P2' });
    expect(read('cloudwatch', envelope(text, { Subject: undefined })).alerts).toMatchObject([
      { title: 'Backup failed', severity: 'ERROR' },
    ]);
  });

  it('shows the confirmation address of a subscription and does not fetch it', () => {
    const asked = envelope('You have chosen to subscribe', {
      Type: 'SubscriptionConfirmation',
      SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription',
    });
    expect(read('cloudwatch', asked)).toMatchObject({
      alerts: [],
      ignored: `SNS asks to confirm the subscription of ${TOPIC}. Open this address to do so: https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription`,
    });
  });

  it.each([
    [{}, '$.Type: is required'],
    [{ Type: 'Notification' }, '$.MessageId: is required'],
    [envelope({ AlarmName: 'x' }), '$.Message.NewStateValue: is required'],
  ])('reports where %j is wrong', (body, message) => {
    expect(() => read('cloudwatch', body)).toThrow(expect.objectContaining({ status: 422, message }));
  });
});

describe('gcp-monitoring', () => {
  const incident = (more: Record<string, unknown> = {}) => ({
    version: '1.2',
    incident: {
      incident_id: '0.mabc',
      scoping_project_id: 'shop-prod',
      url: 'https://console.cloud.google.com/monitoring/alerting/incidents/0.mabc',
      started_at: 1763805600,
      ended_at: null,
      state: 'open',
      summary: 'CPU of vm-1 is above 0.9',
      severity: 'Critical',
      policy_name: 'CPU high',
      policy_user_labels: { team: 'shop' },
      condition_name: 'VM CPU',
      resource: { type: 'gce_instance', labels: { instance_id: '11', zone: 'eu-1' } },
      metric: { type: 'compute.googleapis.com/instance/cpu/utilization', labels: { core: '0' } },
      observed_value: '0.97',
      threshold_value: '0.9',
      documentation: { content: 'See the runbook', mime_type: 'text/markdown' },
      ...more,
    },
  });

  it('reads an open incident as an episode of the alert of its policy and resource', () => {
    const [open] = read('gcp-monitoring', incident()).alerts;
    expect(open).toMatchObject({
      episode: '0.mabc',
      title: 'CPU high',
      severity: 'CRITICAL',
      state: 'FIRING',
      labels: {
        team: 'shop',
        instance_id: '11',
        zone: 'eu-1',
        core: '0',
        resource_type: 'gce_instance',
        project: 'shop-prod',
      },
      annotations: {
        summary: 'CPU of vm-1 is above 0.9',
        documentation: 'See the runbook',
        observed_value: '0.97',
      },
      startsAt: new Date(1763805600000),
    });
    const [next] = read('gcp-monitoring', incident({ incident_id: '0.mdef' })).alerts;
    const [other] = read(
      'gcp-monitoring',
      incident({ resource: { type: 'gce_instance', labels: { instance_id: '12' } } }),
    ).alerts;
    expect(next!.group).toBe(open!.group);
    expect(other!.group).not.toBe(open!.group);
  });

  it('reads a closed incident, in either letter case', () => {
    const end = incident({ state: 'CLOSED', ended_at: 1763805900 });
    expect(read('gcp-monitoring', end).alerts).toMatchObject([
      { state: 'RESOLVED', endsAt: new Date(1763805900000) },
    ]);
  });

  it('uses the policy’s labels without a severity', () => {
    const labelled = incident({ severity: undefined, policy_user_labels: { severity: 'warning' } });
    expect(read('gcp-monitoring', labelled).alerts[0]!.severity).toBe('WARNING');
  });

  it('reads an incident without optional fields as an alert of its own', () => {
    const bare = {
      incident: { incident_id: 'x', state: 'open', documentation: 'plain', summary: 'Test incident' },
    };
    expect(read('gcp-monitoring', bare).alerts).toMatchObject([
      {
        fingerprint: 'x',
        title: 'Test incident',
        severity: 'UNKNOWN',
        annotations: { documentation: 'plain' },
      },
    ]);
  });

  it('keeps hostile text as text', () => {
    const [hostile] = read(
      'gcp-monitoring',
      incident({ summary: HOSTILE, url: 'https://user:pass@example.com' }),
    ).alerts;
    expect(hostile).toMatchObject({ url: null, annotations: { summary: HOSTILE.replace('\0', '\ufffd') } });
  });

  it.each([
    [{ version: '1.2' }, '$.incident: is required'],
    [{ incident: { incident_id: 'x' } }, '$.incident.state: is required'],
  ])('reports where %j is wrong', (body, message) => {
    expect(() => read('gcp-monitoring', body)).toThrow(expect.objectContaining({ status: 422, message }));
  });
});

describe('azure-monitor', () => {
  const TARGET = '/subscriptions/s/resourcegroups/g/providers/microsoft.compute/virtualmachines/vm-1';
  const alert = (essentials: Record<string, unknown> = {}, data: Record<string, unknown> = {}) => ({
    schemaId: 'azureMonitorCommonAlertSchema',
    data: {
      essentials: {
        alertId: '/subscriptions/s/providers/Microsoft.AlertsManagement/alerts/b9569717',
        alertRule: 'vm-cpu',
        severity: 'Sev1',
        signalType: 'Metric',
        monitorCondition: 'Fired',
        monitoringService: 'Platform',
        alertTargetIDs: [TARGET],
        configurationItems: ['vm-1'],
        originAlertId: 'o',
        firedDateTime: '2026-11-22T10:00:00.1234567Z',
        description: 'CPU above 80 %',
        ...essentials,
      },
      alertContext: { condition: { windowSize: 'PT5M' } },
      customProperties: { team: 'shop' },
      ...data,
    },
  });

  it('reads a fired alert', () => {
    const [fired] = read('azure-monitor', alert()).alerts;
    expect(fired).toMatchObject({
      episode: '/subscriptions/s/providers/Microsoft.AlertsManagement/alerts/b9569717',
      title: 'vm-cpu',
      severity: 'ERROR',
      state: 'FIRING',
      labels: { team: 'shop', targets: TARGET, items: 'vm-1', signal: 'Metric', service: 'Platform' },
      annotations: { description: 'CPU above 80 %', 'context.condition': '{"windowSize":"PT5M"}' },
      startsAt: new Date('2026-11-22T10:00:00.123Z'),
    });
  });

  it('reads a resolved alert as the same alert', () => {
    const end = alert({ monitorCondition: 'Resolved', resolvedDateTime: '2026-11-22T10:05:00.7654321Z' });
    const [fired] = read('azure-monitor', alert()).alerts;
    const [resolved] = read('azure-monitor', end).alerts;
    expect(resolved).toMatchObject({ state: 'RESOLVED', endsAt: new Date('2026-11-22T10:05:00.765Z') });
    expect(resolved!.fingerprint).toBe(fired!.fingerprint);
  });

  it('distinguishes the same rule on other targets, in any order', () => {
    const key = (targets: string[]) =>
      read('azure-monitor', alert({ alertTargetIDs: targets })).alerts[0]!.group;
    expect(key(['a', 'b'])).toBe(key(['b', 'a']));
    expect(key(['a'])).not.toBe(key(['a', 'b']));
    expect(key(['ab'])).not.toBe(key(['a', 'b']));
  });

  it('reads an alert without optional fields', () => {
    const bare = {
      schemaId: 'azureMonitorCommonAlertSchema',
      data: { essentials: { alertRule: 'r', monitorCondition: 'Fired' } },
    };
    expect(read('azure-monitor', bare).alerts).toMatchObject([
      { title: 'r', severity: 'UNKNOWN', episode: null, startsAt: null },
    ]);
  });

  it('keeps hostile text as text', () => {
    const [hostile] = read(
      'azure-monitor',
      alert({ description: HOSTILE }, { customProperties: { [HOSTILE]: 'x' } }),
    ).alerts;
    expect(hostile!.annotations.description).toContain('<script>');
    expect(Object.keys(hostile!.labels)[0]).not.toContain('\0');
  });

  it.each([
    [
      { schemaId: 'AzureMonitorMetricAlert' },
      /^\$\.schemaId: expected azureMonitorCommonAlertSchema; enable/,
    ],
    [alert({ monitorCondition: undefined }), /^\$\.data\.essentials\.monitorCondition: is required/],
  ])('reports where %j is wrong', (body, message) => {
    expect(() => read('azure-monitor', body)).toThrow(message);
  });
});
