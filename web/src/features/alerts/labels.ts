export type Labels = Readonly<Record<string, string>>;

interface Labelled {
  readonly title: string;
  /** Label values by name, as untyped JSON of the API. */
  readonly labels: unknown;
}

function labelsOf({ labels }: Pick<Labelled, 'labels'>): Labels {
  return labels as Labels;
}

export function commonLabels(alerts: readonly Pick<Labelled, 'labels'>[]): Labels {
  const [first, ...others] = alerts.map(labelsOf);
  return Object.fromEntries(
    Object.entries(first ?? {}).filter(([name, value]) =>
      others.every((labels) => Object.hasOwn(labels, name) && labels[name] === value),
    ),
  );
}

export function ownLabels(alert: Pick<Labelled, 'labels'>, common: Labels): Labels {
  return Object.fromEntries(Object.entries(labelsOf(alert)).filter(([name]) => !Object.hasOwn(common, name)));
}

// The server's limits: matchers per silence, and characters per matcher.
const MAX_MATCHERS = 20;
const MAX_LENGTH = 1_000;

// Matchers of these labels come first, because a silence that lacks them would match unrelated alerts.
const ALWAYS_KEPT: readonly string[] = ['alertname', 'source'];

/** Returns Alertmanager matchers that fit all the given alerts of a source, and as few other alerts as possible. */
export function matchersFor(source: string, alerts: readonly Labelled[]): string[] {
  const titles = new Set(alerts.map(({ title }) => title));
  const name = titles.size === 1 ? { alertname: [...titles][0]! } : {};
  const labels = { ...name, ...commonLabels(alerts), source };
  const rank = ([label]: [string, string]): number => Number(ALWAYS_KEPT.includes(label));
  return Object.entries(labels)
    .sort((one, other) => rank(other) - rank(one))
    .map(([label, value]) => `${nameOf(label)}=${quoted(value)}`)
    .filter((matcher) => matcher.length <= MAX_LENGTH)
    .slice(0, MAX_MATCHERS);
}

const nameOf = (label: string): string => (/^[^{}!=~,\\"'`\s]+$/u.test(label) ? label : quoted(label));

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
