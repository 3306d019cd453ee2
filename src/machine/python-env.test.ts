import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pythonVersion } from './python.ts';
import { ensurePythonEnv } from './python-env.ts';

const logger = pino({ level: 'silent' });
let home: string;
let serviceDir: string;

/** The lock file is empty, so that the real steps run without a download. */
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tarsy-python-'));
  serviceDir = join(home, 'service');
  mkdirSync(serviceDir);
  writeList('# none\n');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const writeList = (text: string) => writeFileSync(join(serviceDir, 'requirements.lock'), text);
const environments = () => readdirSync(join(home, 'python')).filter((name) => name.startsWith('env-'));

describe('with an interpreter that only pretends to install', () => {
  /** Fake interpreter that reports its version, copies itself into an "environment" and counts environments. */
  function pretender() {
    const path = join(home, 'pretender');
    const count = join(home, 'made');
    writeFileSync(count, '');
    writeFileSync(
      path,
      `#!/bin/sh
case "$*" in
  *version_info*) echo 3.12 ;;
  *venv*) echo made >> "${count}"; mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
esac
`,
    );
    chmodSync(path, 0o755);
    const env = { PATH: process.env.PATH, PYTHON: path };
    return {
      env,
      made: () => readFileSync(count, 'utf8').split('\n').length - 1,
      ensure: (more = {}) => ensurePythonEnv({ home, serviceDir, logger, env, ...more }),
    };
  }

  it('builds once', async () => {
    const { ensure, made } = pretender();
    const first = await ensure();
    expect(await ensure()).toEqual(first);
    expect(made()).toBe(1);
  });

  it.each<[string, (python: string) => void]>([
    ['the list changed', () => writeList('# none, differently\n')],
    ['it was broken off before its stamp', () => rmSync(join(home, 'python', 'current.json'))],
    ['its interpreter is gone', (python) => rmSync(python)],
    ['its interpreter has another version', (python) => writeFileSync(python, '#!/bin/sh\necho 3.13\n')],
  ])('rebuilds from scratch when %s', async (_why, spoil) => {
    const { ensure, made } = pretender();
    const first = await ensure();
    spoil(first.python);
    const second = await ensure();
    expect(second).not.toEqual(first);
    expect(made()).toBe(2);
    expect(environments()).toHaveLength(1);
    expect(await ensure()).toEqual(second);
  });

  it('stops when cancelled, and leaves nothing incomplete', async () => {
    const { ensure } = pretender();
    await expect(ensure({ signal: AbortSignal.abort(new Error('stopping')) })).rejects.toThrow('stopping');
    expect(environments()).toEqual([]);
  });
});

it('creates a real environment', { timeout: 120_000 }, async () => {
  const { python } = await ensurePythonEnv({ home, serviceDir, logger });
  expect(await pythonVersion(python)).toMatch(/^3\./);
});

/** Creates a package without code in a folder that pip reads. @returns its line for a lock file */
function wheel(folder: string, name: string, version: string, needs = ''): string {
  const info = join(folder, `${name}-${version}.dist-info`);
  mkdirSync(info, { recursive: true });
  const metadata = `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${needs}`;
  writeFileSync(join(info, 'METADATA'), metadata);
  writeFileSync(join(info, 'WHEEL'), 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n');
  writeFileSync(join(info, 'RECORD'), '');
  const file = join(folder, `${name}-${version}-py3-none-any.whl`);
  execFileSync('python3', ['-m', 'zipfile', '-c', file, info]);
  return `${name}==${version} --hash=sha256:${createHash('sha256').update(readFileSync(file)).digest('hex')}\n`;
}

/** Returns settings that make pip read packages from the folder only. */
const onlyFrom = (folder: string) => ({
  PATH: process.env.PATH,
  PIP_CONFIG_FILE: '/dev/null',
  PIP_NO_INDEX: '1',
  PIP_FIND_LINKS: folder,
});

// Without --no-deps, pip would install the newest "needed" for needed[more], whose hash is not in the lock file.
it('installs the pinned version despite newer releases', { timeout: 120_000 }, async () => {
  const needed = wheel(home, 'needed', '1.0', 'Provides-Extra: more\n');
  wheel(home, 'needed', '1.1', 'Provides-Extra: more\n');
  writeList(wheel(home, 'asking', '1.0', 'Requires-Dist: needed[more]>=1\n') + needed);
  const { python } = await ensurePythonEnv({ home, serviceDir, logger, env: onlyFrom(home) });
  const installed = execFileSync(python, ['-m', 'pip', 'freeze'], { encoding: 'utf8' });
  expect(installed.trim().split('\n')).toEqual(['asking==1.0', 'needed==1.0']);
});

// A build would run the package's own code, and fetch build tools whose hashes are not in the lock file.
it('never builds a package from source', { timeout: 120_000 }, async () => {
  const source = join(home, 'source-1.0');
  mkdirSync(source);
  writeFileSync(join(source, 'PKG-INFO'), 'Metadata-Version: 2.1\nName: source\nVersion: 1.0\n');
  writeFileSync(
    join(source, 'pyproject.toml'),
    '[build-system]\nrequires = []\nbuild-backend = "build"\nbackend-path = ["."]\n',
  );
  const built = join(home, 'built');
  writeFileSync(join(source, 'build.py'), `open(${JSON.stringify(built)}, "w").close()\n`);
  const file = `${source}.tar.gz`;
  execFileSync('tar', ['-czf', file, '-C', home, 'source-1.0']);
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
  writeList(`source==1.0 --hash=sha256:${hash}\n`);
  await expect(ensurePythonEnv({ home, serviceDir, logger, env: onlyFrom(home) })).rejects.toMatchObject({
    code: 'PACKAGE_REGISTRY_UNREACHABLE',
  });
  expect(existsSync(built)).toBe(false);
});

it('refuses a package that differs from its hash in the lock file', { timeout: 120_000 }, async () => {
  wheel(home, 'needed', '1.0');
  writeList(`needed==1.0 --hash=sha256:${'a'.repeat(64)}\n`);
  await expect(ensurePythonEnv({ home, serviceDir, logger, env: onlyFrom(home) })).rejects.toThrow(
    'differs from the one in llm-service/requirements.lock',
  );
  expect(environments()).toEqual([]);
});

it('reports an unreachable registry, and leaves nothing incomplete', { timeout: 120_000 }, async () => {
  writeList(`no-such-package==1.0 --hash=sha256:${'a'.repeat(64)}\n`);
  const env = {
    PATH: process.env.PATH,
    PIP_CONFIG_FILE: '/dev/null',
    PIP_INDEX_URL: 'http://127.0.0.1:9/simple',
    PIP_RETRIES: '0',
  };
  await expect(ensurePythonEnv({ home, serviceDir, logger, env })).rejects.toMatchObject({
    code: 'PACKAGE_REGISTRY_UNREACHABLE',
  });
  expect(environments()).toEqual([]);
  expect(() => readFileSync(join(home, 'python', 'current.json'))).toThrow('ENOENT');
});
