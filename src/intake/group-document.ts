import type { AlertRow } from '../db/entities/index.ts';
import type { Severity } from '../db/enums.ts';
import type { TextMap } from './delivery.ts';
import { DOCUMENT_LISTED_ALERTS, DOCUMENT_WHOLE_ALERTS } from './tunables.ts';

export type DocumentAlert = Pick<
  AlertRow,
  'title' | 'severity' | 'state' | 'labels' | 'annotations' | 'startsAt' | 'endsAt' | 'url'
>;

export interface DocumentGroup {
  readonly title: string;
  readonly severity: Severity;
  readonly source: string;
  readonly alerts: readonly DocumentAlert[];
}

/**
 * Returns the text that agents receive about a group: the labels that all alerts share, then the rest of each alert.
 * Multi-line values are indented, so that no alert text looks like a heading of the document.
 */
export function groupDocument(group: DocumentGroup): string {
  const alerts = group.alerts;
  const firing = alerts.filter(({ state }) => state === 'FIRING');
  const since = new Date(Math.min(...alerts.map(({ startsAt }) => startsAt.getTime())));
  const shared = sharedLabels(alerts);
  const whole = alerts.slice(0, DOCUMENT_WHOLE_ALERTS);
  const listed = alerts.slice(DOCUMENT_WHOLE_ALERTS, DOCUMENT_LISTED_ALERTS);
  const rest = alerts.length - whole.length - listed.length;
  return [
    `# ${group.title}`,
    '',
    `Severity: ${group.severity}`,
    `State: ${firing.length} firing, ${alerts.length - firing.length} resolved`,
    `Since: ${since.toISOString()}`,
    `Source: ${group.source}`,
    ...section(alerts.length === 1 ? 'Labels' : 'Labels that all alerts share', shared),
    ...whole.flatMap((alert, index) => alertSection(alert, index, alerts.length, shared)),
    ...(listed.length > 0
      ? ['', '## Further alerts', '', ...listed.map((alert) => `- ${alertLine(alert, shared)}`)]
      : []),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
    '',
  ].join('\n');
}

function alertSection(alert: DocumentAlert, index: number, count: number, shared: TextMap): string[] {
  const lines = [
    `State: ${alert.state}, ${alert.severity}`,
    `Since: ${alert.startsAt.toISOString()}`,
    ...(alert.endsAt ? [`Until: ${alert.endsAt.toISOString()}`] : []),
    ...(alert.url ? [`Shown at: ${alert.url}`] : []),
  ];
  return [
    '',
    `## Alert ${index + 1}${count > 1 ? ` of ${count}` : ''}: ${alert.title}`,
    '',
    ...lines,
    ...section('Own labels', Object.fromEntries(ownLabels(alert, shared))),
    ...section('Annotations', alert.annotations),
  ];
}

function section(heading: string, map: TextMap): string[] {
  const entries = Object.entries(map);
  return entries.length === 0
    ? []
    : ['', `${heading}:`, ...entries.map(([name, value]) => `- ${oneLine(name)}: ${indented(value)}`)];
}

export function alertLine(
  alert: Pick<DocumentAlert, 'title' | 'severity' | 'state' | 'labels' | 'startsAt'>,
  shared: TextMap,
): string {
  const own = ownLabels(alert, shared);
  const labels = own.map(([name, value]) => `${oneLine(name)}=${oneLine(value)}`).join(', ');
  const state = `${alert.state}, ${alert.severity}, since ${alert.startsAt.toISOString()}`;
  return `${alert.title} (${state}) ${labels}`.slice(0, 500);
}

function ownLabels({ labels }: Pick<DocumentAlert, 'labels'>, shared: TextMap): [string, string][] {
  return Object.entries(labels).filter(([name, value]) => shared[name] !== value);
}

function sharedLabels([first, ...others]: readonly DocumentAlert[]): TextMap {
  const entries = Object.entries(first?.labels ?? {});
  return Object.fromEntries(
    entries.filter(([name, value]) =>
      others.every(({ labels }) => Object.hasOwn(labels, name) && labels[name] === value),
    ),
  );
}

export function oneLine(text: string): string {
  return text.replace(/[\s\u0085]+/g, ' ');
}

function indented(text: string): string {
  const lines = text.trim().split(/\r\n|[\r\n\v\f\u0085\u2028\u2029]/);
  return lines.length === 1 ? lines[0]! : `\n${lines.map((line) => `    ${line}`).join('\n')}`;
}
