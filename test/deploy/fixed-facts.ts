import type { Manifest } from './render.ts';

/** Facts that an upgrade of the chart must keep. */
export interface FixedFacts {
  /**
   * Objects, such as `Service tarsy/tarsy`, and fields that Kubernetes refuses to change, as
   * `<kind> <namespace>/<name> <field> <JSON>`.
   */
  objects: string[];
  /** Secrets without which a container does not start, as `<name>` or `<name>/<key>`. Operators make them before an upgrade. */
  secrets: string[];
}

/** Fields of a kind that Kubernetes refuses to change. */
const IMMUTABLE: Readonly<Record<string, readonly string[]>> = {
  ClusterRoleBinding: ['roleRef'],
  Deployment: ['spec.selector'],
  PersistentVolumeClaim: ['spec.accessModes', 'spec.storageClassName', 'spec.volumeName'],
  RoleBinding: ['roleRef'],
  StatefulSet: ['spec.selector', 'spec.serviceName', 'spec.podManagementPolicy', 'spec.volumeClaimTemplates'],
};

/** Returns the fixed facts of rendered objects. The objects of Helm's hooks are left out, because Helm deletes them first. */
export function fixedFacts(manifests: readonly Manifest[]): FixedFacts {
  const kept = manifests.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined);
  return {
    objects: kept.flatMap(linesOf).sort(),
    secrets: [...new Set(manifests.flatMap(requiredSecrets))].sort(),
  };
}

function linesOf(manifest: Manifest): string[] {
  const { name, namespace } = manifest.metadata;
  const title = `${manifest.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  const fields = (IMMUTABLE[manifest.kind] ?? []).map((path) => {
    const value = path.split('.').reduce((at, part) => at?.[part], manifest);
    return `${title} ${path} ${JSON.stringify(value ?? null)}`;
  });
  return [title, ...fields];
}

function requiredSecrets(at: Manifest): string[] {
  if (typeof at !== 'object' || at === null) return [];
  return Object.entries<Manifest>(at).flatMap(([field, value]) => {
    if (!['secret', 'secretRef', 'secretKeyRef'].includes(field)) return requiredSecrets(value);
    const name = value.name ?? value.secretName;
    return value.optional ? [] : [value.key === undefined ? name : `${name}/${value.key}`];
  });
}
