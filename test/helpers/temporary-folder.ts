import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MachineError } from '../../src/machine/errors.ts';
import { type Account, canEnter, giveTo } from '../../src/machine/postgres/account.ts';

/** Creates a folder for the data of a server that runs under this account. @throws MachineError DATA_UNREACHABLE */
export function makeFolder(account: Account): string {
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    if (!canEnter(parent, account)) continue;
    const dir = mkdtempSync(join(parent, 'tarsy-postgres-'));
    giveTo(dir, account);
    chmodSync(dir, 0o700);
    return dir;
  }
  throw new MachineError(
    'DATA_UNREACHABLE',
    `no temporary folder that the account ${account.name} can enter`,
  );
}
