import { normalName } from '../engine/alert/members.ts';
import type { TextMap } from './delivery.ts';
import { safeWebAddress } from './text-limits.ts';

/** Normalized names of annotations and labels that hold the address of a runbook. */
const NAMES = new Set(['runbook', 'runbookurl', 'runbooklink']);

/**
 * Returns the address of the runbook that the first of these alerts names; `null` if none does. The address is checked
 * when the runbook is read, so that a forbidden address shows as a problem of the session.
 */
export function runbookOf(alerts: readonly { annotations: TextMap; labels: TextMap }[]): string | null {
  for (const { annotations, labels } of alerts)
    for (const [name, text] of [...Object.entries(annotations), ...Object.entries(labels)]) {
      const url = NAMES.has(normalName(name)) ? safeWebAddress(text.trim()) : null;
      if (url !== null) return url;
    }
  return null;
}
