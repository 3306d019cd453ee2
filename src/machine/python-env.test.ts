import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pythonVersion } from './prerequisites.ts';
import { ensurePythonEnv } from './python-env.ts';

const logger = pino({ level: 'silent' });
let home: string;
let serviceDir: string;

/** An empty list needs no registry: the way is real, only nothing is fetched. */
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
  /** Knows its version, makes an "environment" that holds itself, and counts that. Real ones take seconds each. */
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
  ])('builds again from zero when %s', async (_why, spoil) => {
    const { ensure, made } = pretender();
    const first = await ensure();
    spoil(first.python);
    const second = await ensure();
    expect(second).not.toEqual(first);
    expect(made()).toBe(2);
    expect(environments()).toHaveLength(1);
    expect(await ensure()).toEqual(second);
  });

  it('gives up when told to, and leaves nothing half-made', async () => {
    const { ensure } = pretender();
    await expect(ensure({ signal: AbortSignal.abort(new Error('stopping')) })).rejects.toThrow('stopping');
    expect(environments()).toEqual([]);
  });
});

it('makes a real environment', { timeout: 120_000 }, async () => {
  const { python } = await ensurePythonEnv({ home, serviceDir, logger });
  expect(await pythonVersion(python)).toMatch(/^3\./);
});

it('says that there is no route, and leaves nothing half-made', { timeout: 120_000 }, async () => {
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
