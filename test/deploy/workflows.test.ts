import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const WORKFLOWS = globSync('.github/workflows/*.yaml', { cwd: ROOT });

interface Workflow {
  on: Record<string, unknown>;
  permissions: unknown;
  jobs: Record<string, Job>;
}
interface Job {
  needs?: string;
  uses?: string;
  strategy?: { matrix: { include: Image[] } };
  steps?: { run?: string }[];
}
interface Image {
  context: string;
  file: string;
}
const workflow = (path: string) => parse(read(path)) as Workflow;

test('images are published from tags only, after the checks', () => {
  const publishing = WORKFLOWS.filter((path) => /push: true|packages: write/.test(read(path)));
  expect(publishing).toEqual(['.github/workflows/images.yaml']);
  const { on, jobs } = workflow(publishing[0]!);
  expect(on).toEqual({ push: { tags: ['v*'] } });
  expect(jobs.build?.needs).toBe('check');
  expect(jobs.check?.uses).toBe('./.github/workflows/check.yaml');
  const images = jobs.build?.strategy?.matrix.include ?? [];
  expect(images.map(({ file }) => file)).toEqual(['deploy/Containerfile', 'llm-service/Containerfile']);
  for (const { context, file } of images)
    expect([existsSync(join(ROOT, context)), existsSync(join(ROOT, file))]).toEqual([true, true]);
});

test('a release has the Helm chart', () => {
  const steps = workflow('.github/workflows/images.yaml').jobs.release?.steps ?? [];
  const commands = steps.flatMap(({ run = '' }) => run);
  expect(commands).toContainEqual(expect.stringMatching(/^helm package deploy\/helm --destination release$/));
  expect(commands.at(-1)).toMatch(/^gh release create .* release\/\*\.tgz /);
});

test.each(WORKFLOWS)('%s may only read by default and runs scripts that exist', (path) => {
  expect(workflow(path).permissions).toEqual({ contents: 'read' });
  const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);
  const named = [...read(path).matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!);
  expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
});
