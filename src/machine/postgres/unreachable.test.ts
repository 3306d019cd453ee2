import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import {
  IS_ROOT,
  makeCleanup,
  makeHome,
  query,
  removeHome,
} from '../../../test/fixtures/machine/postgres/harness.ts';
import { startEmbeddedPostgres } from '../embedded-postgres.ts';
import { chooseAccount } from './account.ts';
import { locateBinaries, provideBinaries } from './binaries.ts';

const logger = pino({ level: 'silent' });
const cleanup = makeCleanup();
afterEach(() => cleanup.run(), 60_000);

/** Returns a new folder that only root can enter, like /root, because mkdtemp sets mode 0700. */
function closedFolder(): string {
  const dir = mkdtempSync('/tmp/tarsy-closed-');
  cleanup.add(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

describe.runIf(IS_ROOT)('where the account of PostgreSQL cannot enter', { timeout: 60_000 }, () => {
  it('keeps the data elsewhere, finds it again, and without its link too', async () => {
    const home = join(closedFolder(), '.tarsy');
    const first = await startEmbeddedPostgres({ home, logger, port: 0 });
    cleanup.add(() => first.stop());
    const link = join(home, 'postgres');
    const real = realpathSync(link);
    cleanup.add(() => rmSync(join(real, '..'), { recursive: true, force: true }));
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();

    unlinkSync(link);
    const second = await startEmbeddedPostgres({ home, logger, port: 0 });
    cleanup.add(() => second.stop());
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(realpathSync(link)).toBe(real);
  });

  it('copies the programs, with the links that npm may have left out', () => {
    const { native, version } = locateBinaries();
    const closed = join(closedFolder(), 'native');
    cpSync(native, closed, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() });
    const place = makeHome();
    cleanup.add(() => removeHome(place));
    const account = chooseAccount(undefined);

    const { postgres } = provideBinaries(place, account, { native: closed, version });
    expect(postgres.startsWith(place)).toBe(true);
    expect(readdirSync(place)).toEqual([`postgres-programs-${version}`]);
    expect(provideBinaries(place, account, { native: closed, version }).postgres).toBe(postgres);
  });
});

it('makes missing links in place', () => {
  const { native, version } = locateBinaries();
  const dir = makeHome();
  cleanup.add(() => removeHome(dir));
  const bare = join(dir, 'native');
  cpSync(native, bare, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() });
  expect(existsSync(join(bare, 'lib', 'libicuuc.so.60'))).toBe(false);
  const { postgres } = provideBinaries(dir, chooseAccount(undefined), { native: bare, version });
  expect(postgres).toBe(join(bare, 'bin', 'postgres'));
  expect(existsSync(join(bare, 'lib', 'libicuuc.so.60'))).toBe(true);
});
