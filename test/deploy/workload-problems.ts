import { titleOf } from './network-problems.ts';
import type { Manifest } from './render.ts';

const WORKLOADS = ['Deployment', 'StatefulSet'];
/** Matches `host/path:tag`; the first part is a registry if it contains a dot or a port, or is localhost. */
const FULL_IMAGE = /^(?:localhost|[\w-]+(?:\.[\w-]+)+(?::\d+)?)\/[\w./-]+:[\w.-]+$/;

/** Returns true if an image names its registry and version, because runtimes guess differently otherwise. */
export function namesRegistry(image: string): boolean {
  return FULL_IMAGE.test(image);
}

/** Returns images without a registry, and containers without a health check. */
export function workloadProblems(manifests: readonly Manifest[]): string[] {
  return manifests
    .filter(({ kind }) => WORKLOADS.includes(kind))
    .flatMap((workload) => {
      const { containers, initContainers = [] } = workload.spec.template.spec;
      return [
        ...[...containers, ...initContainers]
          .filter(({ image }: Manifest) => !namesRegistry(image))
          .map(imageProblem),
        ...containers.flatMap(missingProbes),
      ].map((problem) => `${titleOf(workload)}: ${problem}`);
    });
}

function imageProblem({ name, image }: Manifest): string {
  return `the image ${image} of ${name} names no registry or no tag`;
}

function missingProbes(container: Manifest): string[] {
  return ['readinessProbe', 'livenessProbe']
    .filter((probe) => container[probe] === undefined)
    .map((probe) => `${container.name} has no ${probe}`);
}
