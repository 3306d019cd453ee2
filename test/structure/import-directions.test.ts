import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forbiddenImports, forbiddenIn, ROOMS } from '../../scripts/lib/import-directions.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the import directions', () => {
  it('hold', () => {
    expect(forbiddenImports(ROOT)).toEqual([]);
  });

  it.each([
    [
      'engine/worker/finish-session.ts',
      "import { startSlack } from '../../start/wiring/slack.ts';",
      '../../start/wiring/slack.ts',
    ],
    [
      'engine/worker/finish-session.ts',
      "import type {\n  A,\n  B,\n} from '../../jobs/work.ts';",
      '../../jobs/work.ts',
    ],
    ['engine/engine.ts', "import 'graphql';", 'graphql'],
    [
      'masking/a.ts',
      "import { a } from '../engine/worker/finish-session.ts';",
      '../engine/worker/finish-session.ts',
    ],
    ['engine/store/event-statement.ts', "import { a } from '../agent/loop.ts';", '../agent/loop.ts'],
    ['config/load.ts', "const { open } = await import('../db/pool.ts');", '../db/pool.ts'],
    ['db/pool.ts', "export { a } from '../engine/engine.ts';", '../engine/engine.ts'],
    ['jobs/work.ts', "import x from 'graphile-worker-of-another';", 'graphile-worker-of-another'],
    ['cli/view.ts', "import { a } from '../config/load.ts';", '../config/load.ts'],
  ])('forbid in %s: %s', (file, text, target) => {
    expect(forbiddenIn(file, text)).toEqual([`src/${file}: ${target}`]);
  });

  it.each([
    [
      'jobs/work.ts',
      "import { run } from 'graphile-worker/dist/run';\nimport { a } from '../engine/worker/lease-holder.ts';",
    ],
    [
      'db/migrator.ts',
      "import { MikroORM } from '@mikro-orm/postgresql';\nimport { join } from 'node:path';",
    ],
    ['engine/index.ts', "import { a } from './masking/masking.ts';"],
    ['engine/engine.ts', "const text = 'graphql'; // import { a } from 'graphql'"],
  ])('allow in %s: %s', (file, text) => {
    expect(forbiddenIn(file, text)).toEqual([]);
  });

  it('report a file outside all rooms', () => {
    expect(forbiddenIn('attic/a.ts', '')).toEqual([expect.stringContaining('src/attic/a.ts is in no room')]);
  });

  it('name only existing rooms', () => {
    const named = Object.values(ROOMS).flatMap(({ rooms }) => rooms);
    expect(named.filter((name) => !(name in ROOMS) && !name.endsWith('.ts'))).toEqual([]);
  });
});
