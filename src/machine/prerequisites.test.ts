import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pipProblem, venvProblem } from './pip-errors.ts';
import { checkEmbeddedPostgres, checkPrerequisites } from './prerequisites.ts';
import { findPython } from './python.ts';

const SERVICE_DIR = join(import.meta.dirname, '../../llm-service');

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tarsy-pre-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function fakePython(name: string, version: string): string {
  const path = join(dir, name);
  writeFileSync(path, `#!/bin/sh\necho ${version}\n`);
  chmodSync(path, 0o755);
  return path;
}

it('takes the first Python that is new enough', async () => {
  fakePython('python3', '3.9');
  fakePython('python3.12', '3.12');
  expect(await findPython({ PATH: dir })).toMatchObject({ command: 'python3.12', version: '3.12' });
  const own = fakePython('mine', '3.14');
  expect(await findPython({ PATH: dir, PYTHON: own })).toMatchObject({ command: own, version: '3.14' });
});

it('says in one line what is wrong with Python and how to correct it', async () => {
  await expect(findPython({ PATH: dir })).rejects.toMatchObject({
    code: 'PYTHON_MISSING',
    message: expect.stringMatching(/^Python ≥ 3\.11 is missing: run .*, or set PYTHON to its path$/),
  });
  await expect(findPython({ PATH: dir, PYTHON: '/no/python' })).rejects.toMatchObject({
    code: 'PYTHON_MISSING',
  });
  fakePython('python3', '3.9');
  await expect(findPython({ PATH: dir })).rejects.toMatchObject({
    code: 'PYTHON_TOO_OLD',
    message: expect.stringMatching(/^Python ≥ 3\.11 is required, but python3 is 3\.9: run /),
  });
});

it('reports every problem at once', async () => {
  const file = join(dir, 'file');
  writeFileSync(file, '');
  const problems = await checkPrerequisites({
    home: join(file, 'home'),
    embeddedPostgres: false,
    serviceDir: SERVICE_DIR,
    env: { PATH: dir },
  });
  expect(problems.map(({ code }) => code)).toEqual(['HOME_NOT_WRITABLE', 'PYTHON_MISSING']);
  for (const { message } of problems) expect(message).not.toContain('\n');
  expect(await checkPrerequisites({ home: dir, embeddedPostgres: false, serviceDir: null })).toEqual([]);
});

it('names DATABASE_URL where there is no embedded PostgreSQL', () => {
  expect(() => checkEmbeddedPostgres('darwin', 'arm64')).toThrow(/DATABASE_URL/);
  expect(() => checkEmbeddedPostgres('linux', 'x64')).not.toThrow();
});

it.each([
  [
    'venv',
    'The virtual environment was not created successfully because ensurepip is not\navailable.',
    'PYTHON_VENV_MISSING',
  ],
  ['venv', 'OSError: [Errno 28] No space left on device', 'PYTHON_PACKAGES_FAILED'],
  ['venv', '/usr/bin/python3: No module named venv', 'PYTHON_VENV_MISSING'],
  ['pip', 'WARNING: Retrying after NewConnectionError(...)', 'PACKAGE_REGISTRY_UNREACHABLE'],
  [
    'pip',
    'ERROR: Could not find a version that satisfies the requirement x (from versions: none)',
    'PACKAGE_REGISTRY_UNREACHABLE',
  ],
  [
    'pip',
    'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.',
    'PYTHON_PACKAGES_FAILED',
  ],
  ['pip', 'ERROR: No space left on device', 'PYTHON_PACKAGES_FAILED'],
])('reads what %s says: %s', (what, output, code) => {
  const problem =
    what === 'venv'
      ? venvProblem(output, { command: 'python3', version: '3.11', hasVenv: false })
      : pipProblem(output);
  expect(problem.code).toBe(code);
  expect(problem.message).not.toContain('\n');
});

it('names the package of the interpreter in use', () => {
  const words = 'ensurepip is not available';
  expect(venvProblem(words, { command: 'python3', version: '3.11', hasVenv: false }).message).toMatch(
    /lacks its venv module: run /,
  );
  if (!existsSync('/usr/bin/apt-get')) return;
  expect(venvProblem(words, { command: 'python3', version: '3.11', hasVenv: false }).message).toMatch(
    /install -y python3-venv$/,
  );
  expect(venvProblem(words, { command: '/opt/py', version: '3.13', hasVenv: false }).message).toMatch(
    /install -y python3\.13-venv$/,
  );
});

it('keeps URLs out of its messages', () => {
  const { message } = pipProblem(
    'ERROR: HTTP error 404 while getting https://user:secret@mirror.example/simple/x.whl',
  );
  expect(message).toBe(
    'The Python packages could not be installed: ERROR: HTTP error 404 while getting <address>',
  );
});
