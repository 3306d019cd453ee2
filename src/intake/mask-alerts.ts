import { maskArgumentsText } from '../masking/arguments.ts';
import type { Masking } from '../masking/masking.ts';
import type { IncomingAlert, SourceRef, TextMap } from './delivery.ts';
import { keyOf } from './keys.ts';
import type { FindRuling, Ruling } from './rules.ts';
import { safeWebAddress } from './text-limits.ts';

type MaskAlert = Pick<Masking, 'maskAlert'>;

/** The texts of an alert that may contain a secret. */
type Texts = Pick<IncomingAlert, 'title' | 'labels' | 'annotations' | 'url'>;

/** Masks alerts and finds their rulings. Rules match the unmasked alerts, but no secret remains in the result. */
export function maskAndRule(
  { masking, findRuling }: { masking: MaskAlert; findRuling: FindRuling },
  alerts: readonly IncomingAlert[],
  source: SourceRef,
): { alert: IncomingAlert; ruling: Ruling }[] {
  // Masks all alerts as one text: a label's name helps to recognize its value, and one text costs less than many.
  const together = texts(masking, alerts.map(textsOf));
  const ruled = alerts.map((alert) => ({ alert, ruling: findRuling(alert, source) }));
  const keyed = createMaskedKeys(
    masking,
    ruled.flatMap(({ alert, ruling }) => [alert.fingerprint, alert.groupKey ?? '', ruling.groupKey]),
  );
  return ruled.map(({ alert, ruling }, index) => ({
    alert: {
      ...alert,
      ...(together?.[index] ?? texts(masking, [textsOf(alert)])?.[0] ?? maskSeparately(masking, alert)),
      fingerprint: keyed(alert.fingerprint),
      groupKey: alert.groupKey === null ? null : keyed(alert.groupKey),
    },
    ruling: { ...ruling, groupKey: keyed(ruling.groupKey) },
  }));
}

function textsOf({ title, labels, annotations, url }: IncomingAlert): Texts {
  return { title, labels, annotations, url };
}

/** Masks the texts of alerts as one JSON text. Returns `null` if the masked JSON has another structure. */
function texts(masking: MaskAlert, of: readonly Texts[]): Texts[] | null {
  const masked: unknown = JSON.parse(maskArgumentsText(JSON.stringify(of), masking.maskAlert));
  if (!Array.isArray(masked) || masked.length !== of.length || !masked.every(isTexts)) return null;
  return masked.map((part) => ({ ...part, url: safeWebAddress(part.url) }));
}

function maskSeparately(masking: MaskAlert, alert: IncomingAlert): Texts {
  const map = (given: TextMap) =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [masking.maskAlert(name), masking.maskAlert(value)]),
    );
  return {
    title: masking.maskAlert(alert.title),
    labels: map(alert.labels),
    annotations: map(alert.annotations),
    url: safeWebAddress(alert.url === null ? null : masking.maskAlert(alert.url)),
  };
}

function isTexts(value: unknown): value is Texts {
  if (typeof value !== 'object' || value === null) return false;
  const { title, labels, annotations, url } = value as Record<string, unknown>;
  return (
    typeof title === 'string' &&
    isTextMap(labels) &&
    isTextMap(annotations) &&
    (url === null || typeof url === 'string')
  );
}

function isTextMap(value: unknown): value is TextMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((text) => typeof text === 'string')
  );
}

/**
 * Returns a function that hashes keys with secrets. Checks all keys as one text first, because most have no secrets.
 */
function createMaskedKeys(masking: MaskAlert, keys: readonly string[]): (key: string) => string {
  const all = [...new Set(keys)].join('\n');
  if (masking.maskAlert(all) === all) return (key) => key;
  return (key) => (masking.maskAlert(key) === key ? key : keyOf(key, null));
}
