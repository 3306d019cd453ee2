import type { CaseCall, CaseTool } from '../document.ts';

/** Kinds of resources with their other names. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  configmaps: ['configmap', 'cm'],
  cronjobs: ['cronjob', 'cj'],
  daemonsets: ['daemonset', 'ds'],
  deployments: ['deployment', 'deploy'],
  endpoints: ['endpoint', 'ep'],
  endpointslices: ['endpointslice'],
  events: ['event', 'ev'],
  horizontalpodautoscalers: ['horizontalpodautoscaler', 'hpa'],
  ingresses: ['ingress', 'ing'],
  jobs: ['job'],
  limitranges: ['limitrange', 'limits'],
  networkpolicies: ['networkpolicy', 'netpol'],
  persistentvolumeclaims: ['persistentvolumeclaim', 'pvc'],
  poddisruptionbudgets: ['poddisruptionbudget', 'pdb'],
  pods: ['pod', 'po'],
  replicasets: ['replicaset', 'rs'],
  resourcequotas: ['resourcequota', 'quota'],
  rolebindings: ['rolebinding'],
  roles: ['role'],
  secrets: ['secret'],
  serviceaccounts: ['serviceaccount', 'sa'],
  services: ['service', 'svc'],
  statefulsets: ['statefulset', 'sts'],
};

/** Kinds without a namespace. A namespace in a call about them has no meaning. */
const CLUSTER_KINDS: Readonly<Record<string, readonly string[]>> = {
  clusterrolebindings: ['clusterrolebinding'],
  clusterroles: ['clusterrole'],
  componentstatuses: ['componentstatus', 'cs'],
  customresourcedefinitions: ['customresourcedefinition', 'crd', 'crds'],
  ingressclasses: ['ingressclass'],
  mutatingwebhookconfigurations: ['mutatingwebhookconfiguration'],
  namespaces: ['namespace', 'ns'],
  nodes: ['node', 'no'],
  persistentvolumes: ['persistentvolume', 'pv'],
  priorityclasses: ['priorityclass', 'pc'],
  storageclasses: ['storageclass', 'sc'],
  validatingwebhookconfigurations: ['validatingwebhookconfiguration'],
};

const RESOURCE_TYPES: NonNullable<CaseTool['values']>[string] = {
  ...mapValues(KINDS, (aliases) => ({ aliases: [...aliases], without: [] })),
  ...mapValues(CLUSTER_KINDS, (aliases) => ({ aliases: [...aliases], without: ['namespace'] })),
};

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean', default: false };
const NAMESPACE = { type: 'string', description: 'Namespace of the objects.' };
const SERVICE = { type: 'string', description: 'Name of the service.' };
const TYPE = { type: 'string', description: 'Kind of the objects, such as pods or deployments.' };

/** A tool without its server. Calls with other parameters are refused, because the snapshot cannot answer them. */
function tool(
  name: string,
  description: string,
  parts: {
    properties?: Record<string, object>;
    required?: readonly string[];
    aliases?: Record<string, string>;
    more?: Partial<CaseTool>;
  } = {},
): Omit<CaseTool, 'server'> {
  const { properties = {}, required = [], aliases, more = {} } = parts;
  return {
    name,
    description,
    input_schema: { type: 'object', properties, required, additionalProperties: false },
    annotations: { read_only: true },
    ...(aliases && { aliases }),
    not_found: 'Not found: the cluster has nothing that matches these arguments.',
    ...more,
  };
}

const ofKind = { values: { resource_type: RESOURCE_TYPES } };
const kindAliases = {
  kind: 'resource_type',
  type: 'resource_type',
  resource: 'resource_type',
  ns: 'namespace',
};

const TOOLS: readonly Omit<CaseTool, 'server'>[] = [
  tool('GetResources', 'Lists objects of one kind as a table: all of a namespace, or one by its name.', {
    properties: {
      resource_type: TYPE,
      name: { ...TEXT, description: 'Name of one object; empty for all.' },
      namespace: NAMESPACE,
      output_wide: { ...FLAG, description: 'True for more columns, such as the node and the address.' },
      show_labels: { ...FLAG, description: 'True for a column with the labels.' },
    },
    required: ['resource_type'],
    aliases: kindAliases,
    more: { ...ofKind, display: ['output_wide', 'show_labels'] },
  }),
  tool('DescribeResource', 'Describes one object with its conditions and events.', {
    properties: { resource_type: TYPE, name: TEXT, namespace: NAMESPACE },
    required: ['resource_type', 'name'],
    aliases: kindAliases,
    more: ofKind,
  }),
  tool('GetAppYAML', 'Returns the manifests of an application as YAML.', {
    properties: { app_name: { ...TEXT, description: 'Name of the application.' } },
    required: ['app_name'],
    aliases: { app: 'app_name', name: 'app_name' },
  }),
  tool('GetErrorLogs', 'Returns the log lines of a service that look like errors.', {
    properties: { namespace: NAMESPACE, service_name: SERVICE },
    required: ['service_name'],
    aliases: { ns: 'namespace', service: 'service_name' },
  }),
  tool('GetRecentLogs', 'Returns the newest log lines of a service.', {
    properties: { namespace: NAMESPACE, service_name: SERVICE },
    required: ['service_name'],
    aliases: { ns: 'namespace', service: 'service_name' },
  }),
  tool('GetServiceDependencies', 'Returns the services that a service calls.', {
    properties: { service_name: SERVICE },
    required: ['service_name'],
    aliases: { service: 'service_name' },
  }),
  tool('CheckServiceConnectivity', 'Tries to connect to a port of a service.', {
    properties: { namespace: NAMESPACE, service_name: SERVICE, port: { type: 'integer' } },
    required: ['service_name', 'port'],
    aliases: { ns: 'namespace', service: 'service_name' },
  }),
  tool('CheckNodeServiceStatus', 'Returns the state of a system service on a node.', {
    properties: { node_name: { ...TEXT, description: 'Name of the node.' }, service_name: SERVICE },
    required: ['node_name', 'service_name'],
    aliases: { node: 'node_name', service: 'service_name' },
  }),
  tool('GetClusterConfiguration', 'Returns the configuration of the cluster.'),
  tool('GetAlerts', 'Returns the alerts that fire in the cluster.'),
];

/** Parameters that are offered only if they were recorded, and then with the recorded values only. */
const RECORDED_ONLY: Readonly<Record<string, readonly string[]>> = { GetResources: ['label_selector'] };
/** Tools that are offered only if they were recorded, because snapshots usually lack them. */
const OPTIONAL = new Set(['GetRecentLogs']);

type Call = Pick<CaseCall, 'tool' | 'arguments'>;

/**
 * Returns the tools of a case: the known ones, and further ones that were recorded. A miss means that something does
 * not exist, so that nothing is offered that the snapshot could not answer, such as selectors that were not recorded.
 * @param namespace the one that a call without a namespace means; empty if there is none
 */
export function toolsOf(server: string, calls: readonly Call[], namespace: string): CaseTool[] {
  const recorded = Map.groupBy(calls, (call) => call.tool);
  const known = TOOLS.filter(({ name }) => recorded.has(name) || !OPTIONAL.has(name)).map((one) => {
    const offered = { ...(one.input_schema.properties as Record<string, object>) };
    if ('namespace' in offered && namespace !== '')
      offered.namespace = { ...offered.namespace, default: namespace };
    for (const parameter of RECORDED_ONLY[one.name] ?? []) {
      const values = (recorded.get(one.name) ?? []).map((call) => call.arguments[parameter]);
      const texts = [...new Set(values)].filter((value) => typeof value === 'string' && value !== '').sort();
      if (texts.length > 0) offered[parameter] = { type: 'string', enum: texts };
    }
    return { server, ...one, input_schema: { ...one.input_schema, properties: offered } };
  });
  const names = new Set(TOOLS.map(({ name }) => name));
  const further = [...recorded].filter(([name]) => !names.has(name)).sort();
  return [...known, ...further.map(([name, own]) => ({ server, ...furtherTool(name, own) }))];
}

/** Returns a tool that only the recording has, with the recorded parameters. */
function furtherTool(name: string, calls: readonly Call[]): Omit<CaseTool, 'server'> {
  const parameters = [...new Set(calls.flatMap((call) => Object.keys(call.arguments)))].sort();
  const required = parameters.filter((key) => calls.every((call) => Object.hasOwn(call.arguments, key)));
  const properties = Object.fromEntries(parameters.map((key) => [key, {}]));
  return tool(name, `Answers of ${name} in the snapshot.`, { properties, required });
}

function mapValues<T, R>(named: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(named).map(([key, value]) => [key, change(value)]));
}
