import { readEnvironment } from '../../src/config/env.ts';
import { of, titleOf } from './network-problems.ts';
import type { Manifest } from './render.ts';

/** Variables of the LLM service other than model keys. */
const LLM_VARIABLES = [
  'GRPC_HOST',
  'GRPC_PORT',
  'METRICS_PORT',
  'LOG_LEVEL',
  'GOOGLE_APPLICATION_CREDENTIALS',
];

/** Returns the ConfigMaps, Secrets, variables and addresses in the manifests that are missing or unused. */
export function configProblems(manifests: readonly Manifest[], secrets: readonly Manifest[]): string[] {
  const deployments = of(manifests, 'Deployment');
  return [
    ...deployments.flatMap((deployment) => volumeProblems(deployment, manifests, secrets)),
    ...deployments.flatMap((deployment) => variableProblems(deployment, manifests, secrets)),
    ...deployments.flatMap((deployment) => addressProblems(deployment, manifests)),
    ...deployments.flatMap((deployment) => proxyProblems(deployment, manifests)),
  ];
}

/** Returns the names of all variables that TARSy itself reads. */
export function variablesRead(): Set<string> {
  const read = new Set(['NODE_OPTIONS', 'NODE_COMPILE_CACHE']);
  const recorder = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get(_, key) {
        read.add(String(key));
        return undefined;
      },
    },
  );
  readEnvironment(recorder);
  return read;
}

/** Returns the variables that a configuration file references as `{{.NAME}}`. */
export function templateVariables(text: string): string[] {
  return [...text.matchAll(/\{\{\s*\.(\w+)/g)].map(([, name]) => name!);
}

function named(manifests: readonly Manifest[], kind: string, name: string): Manifest | undefined {
  return of(manifests, kind).find(({ metadata }) => metadata.name === name);
}

function volumeProblems(
  deployment: Manifest,
  manifests: readonly Manifest[],
  secrets: readonly Manifest[],
): string[] {
  const { volumes = [], containers, initContainers = [] } = deployment.spec.template.spec;
  const known = new Set(volumes.map(({ name }: Manifest) => name));
  const title = titleOf(deployment);
  const missing = volumes.flatMap(({ configMap, secret }: Manifest) => {
    if (configMap && !configMap.optional && !named(manifests, 'ConfigMap', configMap.name))
      return [`${title} mounts the ConfigMap ${configMap.name}, which there is not`];
    const isServed = manifests.some(({ metadata }) =>
      Object.values(metadata?.annotations ?? {}).includes(secret?.secretName),
    );
    if (secret && !isServed && !named(secrets, 'Secret', secret.secretName))
      return [`${title} mounts the Secret ${secret.secretName}, which nobody makes`];
    return [];
  });
  const unknown = [...containers, ...initContainers].flatMap(({ name, volumeMounts = [] }: Manifest) =>
    volumeMounts
      .filter((mount: Manifest) => !known.has(mount.name))
      .map((mount: Manifest) => `${title}: ${name} mounts ${mount.name}, which is no volume`),
  );
  return [...missing, ...unknown];
}

/** Returns a container's variables by name; values from a Secret are represented by their key. */
function variablesOf(
  container: Manifest,
  manifests: readonly Manifest[],
  secrets: readonly Manifest[],
): { values: Map<string, string>; problems: string[] } {
  const values = new Map<string, string>();
  const problems: string[] = [];
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    const source = configMapRef
      ? named(manifests, 'ConfigMap', configMapRef.name)?.data
      : named(secrets, 'Secret', secretRef.name)?.stringData;
    if (!source)
      problems.push(`${container.name} takes ${(configMapRef ?? secretRef).name}, which there is not`);
    for (const [key, value] of Object.entries(source ?? {})) values.set(key, String(value));
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    values.set(name, value ?? '');
    const wanted = valueFrom?.secretKeyRef;
    const shared = valueFrom?.configMapKeyRef;
    if (shared && named(manifests, 'ConfigMap', shared.name)?.data[shared.key] === undefined)
      problems.push(`${container.name} wants ${shared.key} of the ConfigMap ${shared.name}`);
    const isThere = wanted && named(secrets, 'Secret', wanted.name)?.stringData[wanted.key] !== undefined;
    if (wanted && !wanted.optional && !isThere)
      problems.push(`${container.name} wants ${wanted.key} of the Secret ${wanted.name}`);
  }
  return { values, problems };
}

function variableProblems(
  deployment: Manifest,
  manifests: readonly Manifest[],
  secrets: readonly Manifest[],
): string[] {
  const ours = variablesRead();
  const config = of(manifests, 'ConfigMap').find(({ metadata }) => /^tarsy-config\b/.test(metadata.name));
  const templates = templateVariables(Object.values(config?.data ?? {}).join('\n'));
  const tokens = Object.keys(named(secrets, 'Secret', 'tarsy-tokens')?.stringData ?? {});
  const keys = Object.keys(named(secrets, 'Secret', 'tarsy-llm-keys')?.stringData ?? {});
  return deployment.spec.template.spec.containers.flatMap((container: Manifest) => {
    const { values, problems } = variablesOf(container, manifests, secrets);
    const isTarsy = /\/tarsy:/.test(container.image);
    const isLlm = /\/tarsy-llm-service:/.test(container.image);
    const read = isTarsy ? [...ours, ...templates, ...tokens] : [...LLM_VARIABLES, ...keys];
    const unread = isTarsy || isLlm ? [...values.keys()].filter((name) => !read.includes(name)) : [];
    const unset = isTarsy ? templates.filter((name) => !values.has(name)) : [];
    return [
      ...problems,
      ...unread.map((name) => `${container.name} gets ${name}, which nothing reads`),
      ...unset.map((name) => `the configuration wants ${name}, which ${container.name} does not get`),
    ].map((problem) => `${titleOf(deployment)}: ${problem}`);
  });
}

/** Returns problems of the variables with addresses of the LLM service and of metrics. */
function addressProblems(deployment: Manifest, manifests: readonly Manifest[]): string[] {
  return deployment.spec.template.spec.containers.flatMap((container: Manifest) => {
    const { values } = variablesOf(container, manifests, []);
    const problems: string[] = [];
    const address = values.get('LLM_SERVICE_ADDR');
    if (address !== undefined) {
      const [host, port] = address.split(':');
      const service = named(manifests, 'Service', host!);
      if (!service?.spec.ports.some((each: Manifest) => each.port === Number(port)))
        problems.push(`no Service answers at LLM_SERVICE_ADDR ${address}`);
    }
    const metrics = values.get('METRICS_PORT');
    const ports = (container.ports ?? []).map(({ containerPort }: Manifest) => containerPort);
    if (metrics !== undefined && !ports.includes(Number(metrics)))
      problems.push(`METRICS_PORT is ${metrics} and ${container.name} has no such port`);
    return problems.map((problem) => `${titleOf(deployment)}: ${problem}`);
  });
}

/** Returns the proxies that do not forward to the API's port, or do not listen on their container's port. */
function proxyProblems(deployment: Manifest, manifests: readonly Manifest[]): string[] {
  const { containers } = deployment.spec.template.spec;
  const portsOf = (name: string): number[] =>
    containers
      .filter((container: Manifest) => container.name === name)
      .flatMap(({ ports = [] }: Manifest) => ports.map(({ containerPort }: Manifest) => containerPort));
  const api = portsOf('api');
  const texts: Record<string, string> = {
    'oauth2-proxy':
      of(manifests, 'ConfigMap').find(({ metadata }) => /^tarsy-oauth2-proxy\b/.test(metadata.name))?.data[
        'oauth2-proxy.cfg'
      ] ?? '',
    'kube-rbac-proxy':
      containers.find(({ name }: Manifest) => name === 'kube-rbac-proxy')?.args.join('\n') ?? '',
  };
  const config: string =
    of(manifests, 'ConfigMap').find(({ metadata }) => /^tarsy-config\b/.test(metadata.name))?.data[
      'tarsy.yaml'
    ] ?? '';
  return containers.flatMap(({ name }: Manifest) => {
    const text = texts[name];
    if (text === undefined) return [];
    const upstream = Number(/upstreams?\W+http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
    const family = /identity_headers: (\S+)/.exec(config)?.[1];
    const named = [...text.matchAll(/auth-header-\w+-field-name=(\S+)/g)].map(([, header]) => header!);
    const listens = Number(/address\W+(?:0\.0\.0\.0|\[::\]):(\d+)/.exec(text)?.[1]);
    return [
      ...(api.includes(upstream) ? [] : [`${name} leads to port ${upstream}, which the API has not`]),
      ...(portsOf(name).includes(listens) ? [] : [`${name} listens on ${listens}, which it does not expose`]),
      ...named
        .filter((header) => !header.startsWith(`${family}-`))
        .map((header) => `${name} writes ${header}, but the API believes ${family}`),
    ];
  });
}
