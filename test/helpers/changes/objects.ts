import { gzipSync } from 'node:zlib';

/** An object of the test cluster. */
export interface TestObject {
  kind: string;
  metadata: { name: string; namespace?: string; [field: string]: unknown };
  involvedObject?: { kind: string; name: string; namespace?: string };
  [field: string]: unknown;
}

/** The start of the alert in all histories. */
export const ALERT = Date.parse('2026-11-28T10:00:00Z');

/** Returns a time relative to the alert's start, in the format of Kubernetes. */
export const at = (minutes: number, seconds = 0): string =>
  new Date(ALERT + minutes * 60_000 + seconds * 1000).toISOString().replace('.000Z', 'Z');

const NAMESPACE = 'shop';

interface Meta {
  name: string;
  namespace?: string;
  created?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  owner?: { kind: string; name: string };
  writes?: { manager: string; time: string; fields: object; subresource?: string }[];
}

const uidOf = (kind: string, name: string) => `uid-${kind}-${name}`;

export function metadata(
  kind: string,
  { name, namespace = NAMESPACE, created = at(-10_000), ...meta }: Meta,
) {
  return {
    name,
    ...(namespace !== '' && { namespace }),
    uid: uidOf(kind, name),
    resourceVersion: '4711',
    creationTimestamp: created,
    ...(meta.labels && { labels: meta.labels }),
    ...(meta.annotations && { annotations: meta.annotations }),
    ...(meta.owner && {
      ownerReferences: [{ ...meta.owner, uid: uidOf(meta.owner.kind, meta.owner.name), controller: true }],
    }),
    ...(meta.writes && {
      managedFields: meta.writes.map(({ fields, ...write }) => ({
        operation: 'Update',
        fieldsV1: fields,
        ...write,
      })),
    }),
  };
}

export interface TemplateOptions {
  image?: string;
  env?: Record<string, string>;
  configMap?: string;
}

function template({ image = 'shop/checkout:1.4', env = {}, configMap }: TemplateOptions = {}) {
  return {
    metadata: { labels: { app: 'checkout', 'pod-template-hash': image.length.toString(16) } },
    spec: {
      containers: [
        {
          name: 'app',
          image,
          ...(Object.keys(env).length > 0 && {
            env: Object.entries(env).map(([name, value]) => ({ name, value })),
          }),
          ...(configMap && { envFrom: [{ configMapRef: { name: configMap } }] }),
        },
      ],
    },
  };
}

export interface RevisionOptions extends TemplateOptions {
  number: number;
  created: string;
  history?: string;
  cause?: string;
}

/** Returns a Deployment with its ReplicaSets; its template is that of the last revision. */
export function deployment(
  name: string,
  revisions: readonly RevisionOptions[],
  meta: Omit<Meta, 'name'> = {},
): TestObject[] {
  const current = revisions.toSorted((a, b) => a.number - b.number).at(-1);
  const sets = revisions.map(({ number, created, history, cause, ...options }) => ({
    kind: 'ReplicaSet',
    metadata: metadata('ReplicaSet', {
      name: `${name}-${replicaSetHash(created)}`,
      created,
      ...(meta.namespace && { namespace: meta.namespace }),
      owner: { kind: 'Deployment', name },
      annotations: {
        'deployment.kubernetes.io/revision': String(number),
        ...(history && { 'deployment.kubernetes.io/revision-history': history }),
        ...(cause && { 'kubernetes.io/change-cause': cause }),
      },
    }),
    spec: { template: template(options) },
  }));
  const object = {
    kind: 'Deployment',
    metadata: metadata('Deployment', { name, ...meta }),
    spec: { template: template(current) },
  };
  return [object, ...sets];
}

/** Returns the suffix of a ReplicaSet's name in these tests. */
export const replicaSetHash = (created: string): string => (Date.parse(created) / 1000).toString(36);

/** Returns a pod of a ReplicaSet, or of another owner. */
export function pod(
  name: string,
  options: {
    owner: { kind: string; name: string };
    node?: string;
    image?: string;
    digest?: string;
    started?: string;
  },
): TestObject {
  const {
    owner,
    node = 'node-1',
    image = 'shop/checkout:1.4',
    digest = 'a'.repeat(64),
    started = at(-5000),
  } = options;
  return {
    kind: 'Pod',
    metadata: metadata('Pod', { name, owner, created: started }),
    spec: { nodeName: node, containers: [{ name: 'app', image }] },
    status: {
      startTime: started,
      containerStatuses: [
        {
          name: 'app',
          image,
          imageID: `docker.io/shop/checkout@sha256:${digest}`,
          restartCount: 0,
          state: { running: { startedAt: started } },
        },
      ],
    },
  };
}

export interface EventOptions {
  about: { kind: string; name: string; namespace?: string };
  reason: string;
  message: string;
  time: string;
  namespace?: string;
  annotations?: Record<string, string>;
}

let events = 0;

export function event({
  about,
  reason,
  message,
  time,
  namespace = NAMESPACE,
  annotations,
}: EventOptions): TestObject {
  events += 1;
  return {
    kind: 'Event',
    metadata: metadata('Event', {
      name: `${about.name}.${events.toString(16)}`,
      namespace,
      created: time,
      ...(annotations && { annotations }),
    }),
    involvedObject: { namespace, ...about },
    reason,
    message,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    source: { component: 'test' },
  };
}

/** Returns a ConfigMap or Secret with its last write. */
export function config(
  kind: 'ConfigMap' | 'Secret',
  name: string,
  {
    time,
    data = {},
    manager = 'kubectl-edit',
  }: { time: string; data?: Record<string, string>; manager?: string },
): TestObject {
  const fields = { 'f:data': Object.fromEntries(Object.keys(data).map((key) => [`f:${key}`, {}])) };
  return { kind, metadata: metadata(kind, { name, writes: [{ manager, time, fields }] }), data };
}

export function node(
  name: string,
  state: { created?: string; spec?: object; conditions?: object[] } = {},
): TestObject {
  return {
    kind: 'Node',
    metadata: metadata('Node', { name, namespace: '', ...(state.created && { created: state.created }) }),
    spec: state.spec ?? {},
    status: { conditions: state.conditions ?? [] },
  };
}

export const SECRET_VALUE = 'hunter2-of-the-release';

/** Returns the Secret of a Helm release, encoded as Helm does. */
export function helmRelease(
  name: string,
  version: number,
  release: { created: string; chart: string; description?: string },
): TestObject {
  const content = {
    name,
    version,
    info: { status: 'deployed', description: release.description ?? 'Upgrade complete' },
    chart: {
      metadata: { name, version: release.chart, appVersion: `1.${version}` },
      values: { password: SECRET_VALUE },
    },
    config: { database: { password: SECRET_VALUE } },
    manifest: `password: ${SECRET_VALUE}`,
  };
  const encoded = Buffer.from(gzipSync(JSON.stringify(content)).toString('base64')).toString('base64');
  return {
    kind: 'Secret',
    metadata: metadata('Secret', {
      name: `sh.helm.release.v1.${name}.v${version}`,
      created: release.created,
      labels: { owner: 'helm', name, version: String(version), status: 'deployed' },
    }),
    type: 'helm.sh/release.v1',
    data: { release: encoded },
  };
}
