/** Writes NOTICE: the packages that TARSy ships, with their licences. A test compares the file with the packages. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './lib/dev-python.ts';
import { renderNotice } from './lib/notice.ts';

await writeFile(join(ROOT, 'NOTICE'), await renderNotice());
