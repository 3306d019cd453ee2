import { WARNING_CATEGORIES, type Warnings } from '../warnings.ts';

/** Raises or clears the warning that alerts cannot be masked. Unmasked alerts are still investigated. */
export function reportAlertMasking(warnings: Warnings, works: boolean): Promise<void> {
  if (works) return warnings.clear(WARNING_CATEGORIES.alertMasking);
  return warnings.raise({
    category: WARNING_CATEGORIES.alertMasking,
    message: 'Secrets in alerts could not be masked.',
    details:
      'The last alert was stored, shown and sent to the model as it came. The log says when this began.',
  });
}
