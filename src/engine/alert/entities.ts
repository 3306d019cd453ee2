import { type Member, normalName } from './members.ts';

/** Things that an investigation is listed by, and characters of each. */
const MAX_ENTITIES = 10;
const MAX_LENGTH = 200;

interface Kind {
  /** As people call it; null: the value says it itself. */
  readonly called: string | null;
  readonly names: readonly string[];
  /** Whether the value stands in a namespace of Kubernetes. */
  readonly spaced?: true;
}

const workload = (called: string, ...names: string[]): Kind => ({ called, names, spaced: true });
const thing = (called: string | null, ...names: string[]): Kind => ({ called, names });

/**
 * What alerts speak of, the most telling first: of what a line has none, the next counts. An exporter's own pod and instance
 * stand beside the workload that it tells of, and are not meant.
 */
const TIERS: readonly (readonly Kind[])[] = [
  [thing(null, 'entity', 'entities', 'impactedentity', 'impactedentities', 'impactedentityname')],
  [
    workload('Deployment', 'deployment', 'deploymentname', 'kubedeployment', 'kubernetesdeploymentname'),
    workload('StatefulSet', 'statefulset', 'kubestatefulset'),
    workload('DaemonSet', 'daemonset', 'kubedaemonset'),
    workload('CronJob', 'cronjob', 'kubecronjob'),
    workload('Job', 'jobname'),
    workload('HorizontalPodAutoscaler', 'horizontalpodautoscaler', 'hpa'),
    workload('PersistentVolumeClaim', 'persistentvolumeclaim', 'pvc'),
  ],
  [workload('Pod', 'pod', 'podname', 'kubepod', 'kubernetespodname', 'k8spodname')],
  [
    thing(
      'database',
      'database',
      'databasename',
      'dbname',
      'datname',
      'dbinstanceidentifier',
      'dbclusteridentifier',
    ),
    thing('queue', 'queue', 'queuename'),
    thing('topic', 'topicname', 'kafkatopic'),
    thing('function', 'functionname'),
    thing('table', 'tablename'),
    thing('bucket', 'bucket', 'bucketname'),
    thing('load balancer', 'loadbalancer', 'loadbalancername'),
    thing('node', 'node', 'nodename', 'kubenode', 'kubernetesnode'),
    thing('host', 'host', 'hostname', 'server', 'servername', 'machine', 'computer', 'device'),
  ],
  [thing('instance', 'instance', 'instanceid', 'autoscalinggroupname')],
  [thing('service', 'service', 'servicename', 'app', 'application', 'component')],
  [
    thing('resource', 'items', 'configurationitems', 'resourcename'),
    thing('project', 'project', 'projectname', 'projectslug'),
  ],
  [thing('cluster', 'cluster', 'clustername'), thing('namespace', ...['namespace', 'kubenamespace'])],
];

const NAMESPACES = [
  'namespace',
  'kubenamespace',
  'k8snamespacename',
  'kubernetesnamespace',
  'namespacename',
  'exportednamespace',
];

/** What the labels of alerts speak of, such as `Deployment payments/api` or `host db-03`; each once, those of the first first. */
export function entitiesFromLabels(alerts: readonly Readonly<Record<string, string>>[]): string[] {
  const found = new Set<string>();
  for (const labels of alerts) {
    const byName = new Map(
      Object.entries(labels).map(([name, value]) => [normalName(name), [value]] as const),
    );
    for (const entity of named(byName)) if (found.size < MAX_ENTITIES) found.add(entity);
    if (found.size === MAX_ENTITIES) break;
  }
  return [...found];
}

/** What the members of a text speak of. */
export function entitiesFromMembers(members: readonly Member[], objects: readonly string[] = []): string[] {
  const byName = new Map<string, string[]>();
  for (const { name, within, value } of members) {
    // {"service": {"name": "api"}} says the same as {"service": "api"}
    const key = ['name', 'summary', 'slug'].includes(name) && within !== '' ? within : name;
    if (byName.has(key)) byName.get(key)!.push(value);
    else byName.set(key, [value]);
  }
  return [...new Set([...objects, ...(objects.length > 0 ? [] : named(byName))])].slice(0, MAX_ENTITIES);
}

function named(byName: ReadonlyMap<string, readonly string[]>): string[] {
  const space = NAMESPACES.flatMap((name) => byName.get(name) ?? []).find((value) =>
    /^[a-z0-9-]+$/.test(value),
  );
  for (const kinds of TIERS) {
    const found = kinds.flatMap(({ called, names, spaced }) => {
      const values = names.map((name) => byName.get(name)).find((given) => given !== undefined) ?? [];
      return values
        .flatMap((value) => (called === null ? value.split(/,\s*/) : [value]))
        .map((value) => value.trim())
        .filter((value) => isName(value, called))
        .map((value) =>
          entity(called, spaced && space && !value.includes('/') ? `${space}/${value}` : value),
        );
    });
    if (found.length > 0) return [...new Set(found)];
  }
  return [];
}

/** CloudWatch calls the kind of a metric its namespace; what has line breaks is a text, and no name. */
function isName(value: string, called: string | null): boolean {
  if (value === '' || value.length > MAX_LENGTH || /[\n{}<>]/.test(value)) return false;
  return called !== 'namespace' || /^[a-z0-9-]+$/.test(value);
}

const entity = (called: string | null, value: string): string =>
  called === null ? value : `${called} ${value}`;

/** Kinds as people write them, and how they are called here. */
const SPOKEN = new Map(
  [
    'Deployment',
    'StatefulSet',
    'DaemonSet',
    'CronJob',
    'Pod',
    'node',
    'host',
    'server',
    'instance',
    'database',
    'service',
    'cluster',
    'queue',
  ].map((called) => [called.toLowerCase(), called === 'server' ? 'host' : called]),
);
const SPOKEN_OF = new RegExp(
  `\\b(${[...SPOKEN.keys()].join('|')})s?(?:\\s*[:=/]\\s*|\\s+)["'\`*]{0,2}([a-z0-9][\\w./:-]{0,100})`,
  'gi',
);

/** What a text of sentences speaks of: a kind and a name that no word of a language looks like (`host db-03`, `pod/api`). */
export function entitiesInProse(text: string): string[] {
  const found = new Set<string>();
  for (const [whole, kind, written] of text.matchAll(SPOKEN_OF)) {
    const name = written!.replace(/[.:/-]+$/, '');
    const isMarked = /[:=/`"'*]/.test(whole.slice(kind!.length, whole.length - written!.length));
    if (name !== '' && (isMarked || /[\d/.-]/.test(name)))
      found.add(entity(SPOKEN.get(kind!.toLowerCase())!, name));
    if (found.size === MAX_ENTITIES) break;
  }
  return [...found];
}
