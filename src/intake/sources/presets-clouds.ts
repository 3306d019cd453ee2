import type { PresetMapping } from './generic.ts';

const CONSOLE = 'https://{$.region}.console.aws.amazon.com';

/** CloudWatch alarms. Fingerprint and group equal those of the same alarm over SNS. */
const alarm: PresetMapping = {
  when: '$.detail.alarmName',
  title: '$.detail.alarmName',
  state: '$.detail.state.value',
  resolvedValues: ['OK'],
  ignoredValues: ['INSUFFICIENT_DATA'],
  fingerprint: ['{$.resources[0]} {$.detail.alarmContributor.id}', '$.resources[0]', '$.detail.alarmName'],
  group: ['$.resources[0]', '$.detail.alarmName'],
  endsAt: '$.detail.state.timestamp',
  reportedAt: ['$.detail.state.timestamp', '$.time'],
  url: `${CONSOLE}/cloudwatch/home?region={$.region}#alarmsV2:alarm/{$.detail.alarmName}`,
  labels: { alarm: '$.detail.alarmName', account: '$.account', region: '$.region' },
};

/** Any other EventBridge event. The title says what happened, and to which resource. */
const event: PresetMapping = {
  title: ['{$.detail-type}: {$.detail.title}', '{$.detail-type}: {$.resources[0]}', '$.detail-type'],
};

const argocd: PresetMapping = {
  title: ['{$.app}: {$.title}', '{$.app} is {$.health}', '$.app'],
  severity: ['$.severity', '$.health'],
  severities: {
    degraded: 'error',
    missing: 'error',
    unknown: 'warning',
    progressing: 'info',
    healthy: 'info',
  },
  state: ['$.state', '$.health'],
  resolvedValues: ['resolved', 'healthy'],
  ignoredValues: ['progressing', 'suspended'],
  fingerprint: ['{$.server}/{$.app}', '$.app'],
  reportedAt: '$.at',
  url: '$.url',
  labels: {
    app: '$.app',
    project: '$.project',
    namespace: '$.namespace',
    cluster: ['$.cluster', '$.server'],
    health: '$.health',
    sync: '$.sync',
  },
  annotations: { message: '$.message', revision: '$.revision', repository: '$.repository' },
};

/**
 * Flux reports an object's errors, and its recovery as `info` with a reason `…Succeeded`, or `NewArtifact` if a source
 * recovers with a new revision. Other `info` is no alert.
 */
const flux: PresetMapping = {
  when: '$.involvedObject',
  title: '{$.reason}: {$.involvedObject.kind} {$.involvedObject.namespace}/{$.involvedObject.name}',
  severity: '$.severity',
  state: '{$.severity}/{$.reason}',
  resolvedValues: ['info/*Succeeded', 'info/NewArtifact'],
  ignoredValues: ['info/*', 'trace/*'],
  reportedAt: '$.timestamp',
  fingerprint: '{$.involvedObject.kind}/{$.involvedObject.namespace}/{$.involvedObject.name}',
  labels: {
    kind: '$.involvedObject.kind',
    namespace: '$.involvedObject.namespace',
    name: '$.involvedObject.name',
    reason: '$.reason',
    controller: '$.reportingController',
    cluster: '$.metadata.cluster',
  },
  annotations: {
    message: '$.message',
    summary: '$.metadata.summary',
    revision: ['$.metadata.revision', '$.metadata["kustomize.toolkit.fluxcd.io/revision"]'],
  },
};

export const CLOUD_PRESETS = {
  eventbridge: [alarm, event],
  argocd: [argocd],
  flux: [flux],
} as const;
