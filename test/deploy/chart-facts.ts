import { parse } from 'yaml';
import type { Manifest } from './render.ts';

/** The parts of an object that decide how it works, without names of releases, labels and checksums. */
const PARTS = ['data', 'roleRef', 'rules', 'spec', 'subjects'];
/** Hash at the end of the names that kustomize gives to ConfigMaps. */
const HASH = /^(tarsy-(?:config|environment|oauth2-proxy|sign-in|sign-in-page))-[a-z0-9]{10}$/;

/** Returns the facts of all objects by kind and name, so that those of kustomize and of the chart can be compared. */
export function factsOf(manifests: readonly Manifest[]): Record<string, Manifest> {
  const named = JSON.parse(JSON.stringify(manifests), (_, value) =>
    typeof value === 'string' ? value.replace(HASH, '$1') : value,
  ) as Manifest[];
  return Object.fromEntries(
    named.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, partsOf(manifest)]),
  );
}

function partsOf(manifest: Manifest): Manifest {
  const parts = Object.fromEntries(
    PARTS.filter((part) => manifest[part] !== undefined).map((part) => [part, manifest[part]]),
  );
  // Labels and annotations of pods differ; selectors refer to the labels, which networkProblems verifies.
  if (parts.spec?.template) parts.spec.template = { spec: parts.spec.template.spec };
  if (manifest.kind === 'Ingress') parts.annotations = manifest.metadata.annotations;
  if (manifest.kind === 'ConfigMap')
    parts.data = Object.fromEntries(
      Object.entries<string>(parts.data).map(([name, text]) => [name, contentOf(name, text)]),
    );
  return parts;
}

/** Returns the content of a file, because the chart writes YAML of its own, without comments. */
function contentOf(name: string, text: string): unknown {
  return name.endsWith('.yaml') ? parse(text) : text.trim();
}
