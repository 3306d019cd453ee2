import { type Member, normalName } from './members.ts';

/** Maximum number of entities of an alert or a group. */
export const MAX_ENTITIES = 10;
const MAX_ENTITY_CHARACTERS = 200;

interface Kind {
  /** Word shown before the value, such as `host`. `null` if the value is shown alone. */
  readonly label: string | null;
  readonly names: readonly string[];
  readonly isNamespaced?: true;
}

const workload = (label: string, ...names: string[]): Kind => ({ label, names, isNamespaced: true });
const thing = (label: string | null, ...names: string[]): Kind => ({ label, names });

/**
 * Kinds in tiers, most specific first. Only the first tier with a value counts, because labels of later
 * tiers, such as `pod`, may name the exporter that measured the affected object.
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
      ...words('database databasename dbname datname dbinstanceidentifier dbclusteridentifier'),
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
  [thing('cluster', 'cluster', 'clustername'), thing('namespace', 'namespace', 'kubenamespace')],
];

const NAMESPACES = words(
  'namespace kubenamespace k8snamespacename kubernetesnamespace namespacename exportednamespace',
);
/** Matches Kubernetes namespaces. CloudWatch uses the same label for kinds of metrics, such as `AWS/EC2`. */
const KUBERNETES_NAMESPACE = /^[a-z0-9-]+$/;

function words(text: string): string[] {
  return text.split(' ');
}

/** Returns the entities that alert labels name, such as `Deployment payments/api` or `host db-03`. */
export function entitiesFromLabels(alerts: readonly Readonly<Record<string, string>>[]): string[] {
  const found = new Set<string>();
  for (const labels of alerts) {
    const byName = new Map(
      Object.entries(labels).map(([name, value]) => [normalName(name), [value]] as const),
    );
    for (const entity of entitiesByName(byName)) if (found.size < MAX_ENTITIES) found.add(entity);
    if (found.size === MAX_ENTITIES) break;
  }
  return [...found];
}

export function entitiesFromMembers(members: readonly Member[]): string[] {
  const byName = new Map<string, string[]>();
  for (const { name, within, value } of members) {
    // {"service": {"name": "api"}} means {"service": "api"}
    const key = ['name', 'summary', 'slug'].includes(name) && within !== '' ? within : name;
    if (byName.has(key)) byName.get(key)!.push(value);
    else byName.set(key, [value]);
  }
  return entitiesByName(byName).slice(0, MAX_ENTITIES);
}

function entitiesByName(byName: ReadonlyMap<string, readonly string[]>): string[] {
  const namespace = NAMESPACES.flatMap((name) => byName.get(name) ?? []).find((value) =>
    KUBERNETES_NAMESPACE.test(value),
  );
  for (const kinds of TIERS) {
    const found = kinds.flatMap(({ label, names, isNamespaced }) => {
      const values = names.map((name) => byName.get(name)).find((given) => given !== undefined) ?? [];
      return values
        .flatMap((value) => (label === null ? value.split(/,\s*/) : [value]))
        .map((value) => value.trim())
        .filter((value) => isEntityName(value, label))
        .map((value) => (isNamespaced && namespace && !value.includes('/') ? `${namespace}/${value}` : value))
        .map((value) => (label === null ? value : `${label} ${value}`));
    });
    if (found.length > 0) return [...new Set(found)];
  }
  return [];
}

function isEntityName(value: string, label: string | null): boolean {
  if (value === '' || value.length > MAX_ENTITY_CHARACTERS || /[\n{}<>]/.test(value)) return false;
  return label !== 'namespace' || KUBERNETES_NAMESPACE.test(value);
}

const KINDS_IN_PROSE = new Map(
  words(
    'Deployment StatefulSet DaemonSet CronJob Pod node host server instance database service cluster queue',
  ).map((label) => [label.toLowerCase(), label === 'server' ? 'host' : label]),
);
const ENTITY_IN_PROSE = new RegExp(
  `\\b(${[...KINDS_IN_PROSE.keys()].join('|')})s?(?:\\s*[:=/]\\s*|\\s+)["'\`*]{0,2}([a-z0-9][\\w./:-]{0,100})`,
  'gi',
);

/**
 * Returns the entities in sentences, such as `host db-03` or `pod/api`: a kind and a name. A plain word counts as
 * a name only after a mark such as `:`, `/` or a quotation mark.
 */
export function entitiesInProse(text: string): string[] {
  const found = new Set<string>();
  for (const [whole, kind, written] of text.matchAll(ENTITY_IN_PROSE)) {
    const name = written!.replace(/[.:/-]+$/, '');
    const isMarked = /[:=/`"'*]/.test(whole.slice(kind!.length, whole.length - written!.length));
    if (name !== '' && (isMarked || /[\d/.-]/.test(name)))
      found.add(`${KINDS_IN_PROSE.get(kind!.toLowerCase())} ${name}`);
    if (found.size === MAX_ENTITIES) break;
  }
  return [...found];
}
