/** A kind of object that this server reads. */
export interface Resource {
  kind: string;
  /** API group; empty for the core group. */
  group: string;
  /** Version used if the server's list of groups cannot be read. */
  version: string;
  plural: string;
  /** Object names are in no namespace, or objects in one namespace act on others: always listed for the whole cluster. */
  wide?: boolean;
  /** Only metadata is read in lists: the content is large, or secret. */
  metadataOnly?: boolean;
  /** Name of the product whose custom resource this is. Without the product in the cluster, nothing is missing. */
  product?: 'Argo CD' | 'Flux';
}

const core = (kind: string, plural: string, more: Partial<Resource> = {}): Resource => ({
  kind,
  group: '',
  version: 'v1',
  plural,
  ...more,
});
const apps = (kind: string, plural: string): Resource => ({ kind, group: 'apps', version: 'v1', plural });
const metadataOnly = { metadataOnly: true };

export const RESOURCES = {
  deployments: apps('Deployment', 'deployments'),
  replicaSets: apps('ReplicaSet', 'replicasets'),
  statefulSets: apps('StatefulSet', 'statefulsets'),
  daemonSets: apps('DaemonSet', 'daemonsets'),
  controllerRevisions: apps('ControllerRevision', 'controllerrevisions'),
  pods: core('Pod', 'pods'),
  events: core('Event', 'events'),
  nodes: core('Node', 'nodes', { wide: true }),
  configMaps: core('ConfigMap', 'configmaps', metadataOnly),
  secrets: core('Secret', 'secrets', metadataOnly),
  services: core('Service', 'services', metadataOnly),
  ingresses: { ...core('Ingress', 'ingresses', metadataOnly), group: 'networking.k8s.io' },
  networkPolicies: { ...core('NetworkPolicy', 'networkpolicies', metadataOnly), group: 'networking.k8s.io' },
  cronJobs: { ...core('CronJob', 'cronjobs', metadataOnly), group: 'batch' },
  autoscalers: {
    ...core('HorizontalPodAutoscaler', 'horizontalpodautoscalers'),
    group: 'autoscaling',
    version: 'v2',
  },
  applications: {
    kind: 'Application',
    group: 'argoproj.io',
    version: 'v1alpha1',
    plural: 'applications',
    wide: true,
    product: 'Argo CD',
  },
  kustomizations: {
    kind: 'Kustomization',
    group: 'kustomize.toolkit.fluxcd.io',
    version: 'v1',
    plural: 'kustomizations',
    wide: true,
    product: 'Flux',
  },
  helmReleases: {
    kind: 'HelmRelease',
    group: 'helm.toolkit.fluxcd.io',
    version: 'v2',
    plural: 'helmreleases',
    wide: true,
    product: 'Flux',
  },
  gitRepositories: {
    kind: 'GitRepository',
    group: 'source.toolkit.fluxcd.io',
    version: 'v1',
    plural: 'gitrepositories',
    wide: true,
    product: 'Flux',
  },
} as const satisfies Record<string, Resource>;

export type ResourceName = keyof typeof RESOURCES;

/** Returns the API path of a list. @param namespace `null` for the whole cluster */
export function pathOf({ group, plural }: Resource, version: string, namespace: string | null): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === null
    ? `${root}/${plural}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}
