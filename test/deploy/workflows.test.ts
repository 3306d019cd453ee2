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
  needs?: string[];
  permissions?: Record<string, string>;
  uses?: string;
  strategy?: { matrix: { include: Image[] } };
  steps?: { run?: string; uses?: string }[];
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
  expect(jobs.build?.needs).toContain('check');
  expect(jobs.check?.uses).toBe('./.github/workflows/check.yaml');
  const images = jobs.build?.strategy?.matrix.include ?? [];
  expect(images.map(({ file }) => file)).toEqual(['deploy/Containerfile', 'llm-service/Containerfile']);
  for (const { context, file } of images)
    expect([existsSync(join(ROOT, context)), existsSync(join(ROOT, file))]).toEqual([true, true]);
});

// A package or tool of a job can use everything that the job may do.
test('jobs that may sign or publish run no package of npm or Python', () => {
  const jobs = WORKFLOWS.flatMap((path) => Object.values(workflow(path).jobs));
  const writing = jobs.filter(({ permissions = {} }) => permissions['id-token'] || permissions.packages);
  expect(writing).toHaveLength(1);
  const commands = writing.flatMap(({ steps = [] }) => steps.flatMap(({ run = [] }) => run));
  expect(commands.filter((command) => /\b(?:npm|npx|node|pip|pipx|python)\b/.test(command))).toEqual([]);
});

test('a release has the Helm chart', () => {
  const steps = workflow('.github/workflows/images.yaml').jobs.release?.steps ?? [];
  const commands = steps.flatMap(({ run = '' }) => run);
  expect(commands).toContainEqual(expect.stringMatching(/^helm package deploy\/helm --destination release$/));
  expect(commands.at(-1)).toMatch(/^gh release create .* release\/\*\.tgz /);
});

test('advisories are looked up for every npm package, and a Python package without an answer fails', () => {
  const steps = workflow('.github/workflows/security.yaml').jobs.advisories?.steps ?? [];
  const [npm, python] = steps.flatMap(({ run = [] }) => run);
  expect(npm).toBe('npm audit');
  expect(python).toContain('pip-audit --strict ');
  expect(python).toMatch(/ -r llm-service\/requirements-all\.lock$/);
});

// A tag of an action can be moved to other code; a commit cannot.
test.each(WORKFLOWS)('%s names actions by commit', (path) => {
  const jobs = Object.values(workflow(path).jobs);
  const actions = jobs.flatMap(({ uses, steps = [] }) => [uses, ...steps.map((step) => step.uses)]);
  const foreign = actions.filter((action) => action !== undefined && !action.startsWith('./'));
  expect(foreign.length).toBeGreaterThan(0);
  expect(foreign.filter((action) => !/@[0-9a-f]{40}$/.test(action!))).toEqual([]);
});

test.each(WORKFLOWS)('%s may only read by default and runs scripts that exist', (path) => {
  expect(workflow(path).permissions).toEqual({ contents: 'read' });
  const scripts = Object.keys((JSON.parse(read('package.json')) as { scripts: object }).scripts);
  const named = [...read(path).matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!);
  expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
});
