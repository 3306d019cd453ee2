import { titleOf } from './network-problems.ts';
import type { Manifest } from './render.ts';

const WORKLOADS = ['Deployment', 'StatefulSet'];
/** `host/path:tag`: the first part names a registry when it has a dot or a port, or is this machine. */
const FULL_IMAGE = /^(?:localhost|[\w-]+(?:\.[\w-]+)+(?::\d+)?)\/[\w./-]+:[\w.-]+$/;

/** Whether an image says where it comes from, and which one of it is meant: runtimes guess differently otherwise. */
export function namesRegistry(image: string): boolean {
  return FULL_IMAGE.test(image);
}

/** Images without their registry, and containers that nobody notices when they hang. */
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
