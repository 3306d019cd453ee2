export type Labels = Readonly<Record<string, string>>;

interface Labelled {
  readonly title: string;
  /** JSON of the API: text by name. */
  readonly labels: unknown;
}

function labelsOf({ labels }: Pick<Labelled, 'labels'>): Labels {
  return labels as Labels;
}

/** The labels that all alerts have, with the same value. */
export function commonLabels(alerts: readonly Pick<Labelled, 'labels'>[]): Labels {
  const [first, ...others] = alerts.map(labelsOf);
  return Object.fromEntries(
    Object.entries(first ?? {}).filter(([name, value]) =>
      others.every((labels) => Object.hasOwn(labels, name) && labels[name] === value),
    ),
  );
}

/** The labels of one alert that are not common to all. */
export function ownLabels(alert: Pick<Labelled, 'labels'>, common: Labels): Labels {
  return Object.fromEntries(Object.entries(labelsOf(alert)).filter(([name]) => !Object.hasOwn(common, name)));
}

// What the server takes.
const MAX_MATCHERS = 20;
const MAX_LENGTH = 1_000;

// Without these it would hold for quite other alerts, too: they stand first, where nothing is cut off.
const FIRST: readonly string[] = ['alertname', 'source'];

/** Matchers, in Alertmanager's syntax, that hold for all of these alerts of a source, and for as little else as can be said. */
export function matchersFor(source: string, alerts: readonly Labelled[]): string[] {
  const titles = new Set(alerts.map(({ title }) => title));
  const name = titles.size === 1 ? { alertname: [...titles][0]! } : {};
  const wanted = { ...name, ...commonLabels(alerts), source };
  const isFirst = ([label]: [string, string]): number => Number(FIRST.includes(label));
  return Object.entries(wanted)
    .sort((one, other) => isFirst(other) - isFirst(one))
    .map(([label, value]) => `${nameOf(label)}=${quoted(value)}`)
    .filter((matcher) => matcher.length <= MAX_LENGTH)
    .slice(0, MAX_MATCHERS);
}

const nameOf = (label: string): string => (/^[^{}!=~,\\"'`\s]+$/u.test(label) ? label : quoted(label));

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
