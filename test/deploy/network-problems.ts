import type { Manifest } from './render.ts';

const WORKLOADS = new Set(['Deployment', 'StatefulSet']);

/** Returns the ports and labels in the manifests that refer to nothing. */
export function networkProblems(manifests: readonly Manifest[]): string[] {
  const workloads = manifests.filter(({ kind }) => WORKLOADS.has(kind));
  const pods = workloads.map(({ spec }) => spec.template);
  return [
    ...workloads.flatMap(selectorProblems),
    ...workloads.flatMap(probeProblems),
    ...of(manifests, 'Service').flatMap((service) => serviceProblems(service, pods)),
    ...of(manifests, 'PodDisruptionBudget').flatMap((budget) =>
      unmatched(budget, budget.spec.selector, pods),
    ),
    ...of(manifests, 'NetworkPolicy').flatMap((policy) => policyProblems(policy, pods)),
    ...of(manifests, 'Ingress').flatMap((ingress) => ingressProblems(ingress, manifests)),
    ...of(manifests, 'Route').flatMap((route) => routeProblems(route, manifests)),
    ...manifests.flatMap((manifest) => bindingProblems(manifest, manifests)),
    ...workloads.flatMap((workload) => accountProblems(workload, manifests)),
  ];
}

export function of(manifests: readonly Manifest[], kind: string): Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind);
}

export function titleOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`;
}

function matches(selector: Manifest, labels: Record<string, string> = {}): boolean {
  return Object.entries(selector ?? {}).every(([key, value]) => labels[key] === value);
}

function containers(pod: Manifest): Manifest[] {
  return pod.spec.containers;
}

/** Returns true if a pod listens on the port, given by name or number. */
function hasPort(pod: Manifest, port: string | number): boolean {
  const ports = containers(pod).flatMap(({ ports = [] }) => ports);
  return ports.some(({ name, containerPort }: Manifest) => port === name || port === containerPort);
}

function selectorProblems(workload: Manifest): string[] {
  const { selector, template } = workload.spec;
  return matches(selector.matchLabels, template.metadata.labels)
    ? []
    : [`${titleOf(workload)} does not select its own pods`];
}

function probeProblems(workload: Manifest): string[] {
  return containers(workload.spec.template).flatMap((container) => {
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
    const asked = probes
      .filter(Boolean)
      .map((probe) => (probe.httpGet ?? probe.tcpSocket ?? probe.grpc)?.port);
    const own = { spec: { containers: [container] } };
    return asked
      .filter((port) => port !== undefined && !hasPort(own, port))
      .map(
        (port) => `${titleOf(workload)}: a probe of ${container.name} asks port ${port}, which it has not`,
      );
  });
}

function serviceProblems(service: Manifest, pods: readonly Manifest[]): string[] {
  const { selector, ports } = service.spec;
  const chosen = pods.filter(({ metadata }) => matches(selector, metadata.labels));
  if (chosen.length === 0) return [`${titleOf(service)} selects no pod`];
  return ports
    .filter(({ targetPort }: Manifest) => !chosen.every((pod) => hasPort(pod, targetPort)))
    .map(({ targetPort }: Manifest) => `${titleOf(service)}: its pods have no port ${targetPort}`);
}

function unmatched(owner: Manifest, selector: Manifest, pods: readonly Manifest[]): string[] {
  return pods.some(({ metadata }) => matches(selector?.matchLabels, metadata.labels))
    ? []
    : [`${titleOf(owner)} selects no pod`];
}

function policyProblems(policy: Manifest, pods: readonly Manifest[]): string[] {
  const { podSelector, ingress } = policy.spec;
  const chosen = pods.filter(({ metadata }) => matches(podSelector.matchLabels, metadata.labels));
  const rules: Manifest[] = ingress ?? [];
  const ports = rules.flatMap(({ ports = [] }) => ports.map(({ port }: Manifest) => port));
  const from = rules.flatMap((rule) => rule.from ?? []).filter((peer) => peer.podSelector);
  return [
    ...unmatched(policy, podSelector, pods),
    ...from.flatMap((peer) => unmatched(policy, peer.podSelector, pods)),
    ...ports
      .filter((port) => !chosen.every((pod) => hasPort(pod, port)))
      .map((port) => `${titleOf(policy)} lets in to port ${port}, which its pods have not`),
  ];
}

function ingressProblems(ingress: Manifest, manifests: readonly Manifest[]): string[] {
  const paths = ingress.spec.rules.flatMap(({ http }: Manifest) => http.paths);
  return paths.flatMap(({ backend }: Manifest) => {
    const { name, port } = backend.service;
    return servicePortProblems(ingress, name, port.name ?? port.number, manifests);
  });
}

function routeProblems(route: Manifest, manifests: readonly Manifest[]): string[] {
  return servicePortProblems(route, route.spec.to.name, route.spec.port.targetPort, manifests);
}

function servicePortProblems(
  owner: Manifest,
  name: string,
  port: string | number,
  manifests: readonly Manifest[],
): string[] {
  const service = of(manifests, 'Service').find(({ metadata }) => metadata.name === name);
  if (!service) return [`${titleOf(owner)} leads to the Service ${name}, which there is not`];
  const known = service.spec.ports.some((each: Manifest) => each.name === port || each.port === port);
  return known ? [] : [`${titleOf(owner)} leads to port ${port} of ${name}, which it has not`];
}

function bindingProblems(manifest: Manifest, manifests: readonly Manifest[]): string[] {
  if (manifest.kind !== 'ClusterRoleBinding' && manifest.kind !== 'RoleBinding') return [];
  return manifest.subjects.flatMap(({ name, namespace }: Manifest) => {
    const account = of(manifests, 'ServiceAccount').find(({ metadata }) => metadata.name === name);
    if (!account) return [`${titleOf(manifest)} names the ServiceAccount ${name}, which there is not`];
    return namespace === account.metadata.namespace
      ? []
      : [`${titleOf(manifest)} names ${name} in the namespace ${namespace}`];
  });
}

function accountProblems(workload: Manifest, manifests: readonly Manifest[]): string[] {
  const name = workload.spec.template.spec.serviceAccountName;
  if (name === undefined) return [];
  return of(manifests, 'ServiceAccount').some(({ metadata }) => metadata.name === name)
    ? []
    : [`${titleOf(workload)} runs as the ServiceAccount ${name}, which there is not`];
}
