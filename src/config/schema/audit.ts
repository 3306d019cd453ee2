import { z } from 'zod';
import { count } from './common.ts';
import { settings } from './settings.ts';

/** Who changed what. */
export const auditSchema = settings(
  z
    .strictObject({
      retention_days: count(
        'Days that is kept who changed what, and that ended tokens are listed',
        1,
        36_500,
      ).prefault(730),
    })
    .describe('Who changed what'),
);
