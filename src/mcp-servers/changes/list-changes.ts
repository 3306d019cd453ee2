import { z } from 'zod';
import { maskMessage } from '../../masking/messages.ts';
import { ToolFailure } from '../tool/failure.ts';
import { truncateLine } from '../tool/output.ts';
import type { ServerTool } from '../tool/tool.ts';
import { type Change, formatTime, rank, type Window } from './change.ts';
import { type Collected, collectChanges, type Sources } from './collect.ts';
import { describeWorkload } from './target.ts';

const HOUR_MS = 3_600_000;
/** Time before the alert that is searched by default (ms). */
const DEFAULT_SPAN_MS = 24 * HOUR_MS;
const DEFAULT_LIMIT = 25;
/** Maximum length of a change's line (characters). */
const MAX_LINE = 600;

const namespaceInput = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
/** A workload's name, with its kind if known. */
const nameInput = z
  .string()
  .max(300)
  .regex(/^(?:[A-Za-z]{1,40}\/)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/);
const time = z.iso.datetime({ offset: true });
const input = z.strictObject({
  alert_time: time.optional().describe('The start of the alert, such as 2026-11-28T10:00:00Z. Default: now.'),
  since: time.optional().describe('Start of the time span. Default: 24 hours before alert_time.'),
  until: time.optional().describe('End of the time span. Default: now.'),
  namespace: namespaceInput
    .optional()
    .describe('Kubernetes namespace. Default: all, which is slow in large clusters.'),
  workload: nameInput
    .optional()
    .describe(
      'The alerted workload: checkout, deployment/checkout, or the name of a pod. Changes of this workload come first.',
    ),
  limit: z.int().min(1).max(100).default(DEFAULT_LIMIT).describe('Maximum number of changes.'),
});
type Input = z.output<typeof input>;

export function listChangesTool(sources: Sources): ServerTool<typeof input> {
  return {
    name: 'list_changes',
    title: 'What changed?',
    description:
      'Changes before an alert: rollouts and rollbacks of Deployments, StatefulSets and DaemonSets, new image behind the same tag, ' +
      'ConfigMaps and Secrets (by name only), scaling, nodes, Helm releases, Argo CD syncs, Flux reconciliations, git commits. ' +
      'Most likely cause first. Says what it could not see. Call this tool first, with the time of the alert, namespace and workload.',
    input,
    openWorld: true,
    run: async (args, signal) => {
      const window = windowOf(args, Date.now());
      const scope = { namespace: args.namespace ?? null, workload: args.workload ?? null };
      const collected = await collectChanges(sources, { ...scope, window, signal });
      if (!collected.hasSources)
        throw new ToolFailure('FAILED', `Nothing could be read: ${collected.problems.join('; ')}`);
      return maskMessage(render(collected, window, args));
    },
  };
}

function windowOf({ alert_time, since, until }: Input, now: number): Window {
  const alertStart = alert_time === undefined ? now : Date.parse(alert_time);
  const window = {
    alertStart,
    since: since === undefined ? alertStart - DEFAULT_SPAN_MS : Date.parse(since),
    until: until === undefined ? Math.max(now, alertStart) : Date.parse(until),
  };
  if (window.since >= window.until)
    throw new ToolFailure(
      'BAD_INPUT',
      `since (${formatTime(window.since)}) must be before until (${formatTime(window.until)}).`,
    );
  return window;
}

function render(collected: Collected, window: Window, { workload, limit }: Input): string {
  const changes = rank(collected.changes, window.alertStart);
  const span = `between ${formatTime(window.since)} and ${formatTime(window.until)}`;
  const lines = [`Changes ${span}; start of the alert: ${formatTime(window.alertStart)}.`];
  if (workload !== undefined) lines.push(workloadLine(workload, collected));
  if (changes.length === 0) lines.push('', `Nothing changed ${span} in what I can see.`);
  else
    lines.push(
      orderLine(workload !== undefined),
      '',
      ...changes.slice(0, limit).map((each, at) => changeLines(each, at + 1, window)),
    );
  if (changes.length > limit)
    lines.push(
      `[${changes.length - limit} more changes not shown; use a higher limit, a shorter time span or a namespace]`,
    );
  lines.push('', ...limitLines(collected));
  return lines.join('\n');
}

function workloadLine(workload: string, { target }: Collected): string {
  return target.workloads.length === 0
    ? `No Deployment, StatefulSet, DaemonSet or pod named "${workload}" is visible, so no change is marked as its own.`
    : `Alerted workload: ${target.workloads.map(describeWorkload).join(', ')}.`;
}

function orderLine(hasWorkload: boolean): string {
  const groups = hasWorkload
    ? "first [own] (the workload itself, its configuration, the release that deploys it), then [near] (scaling, its nodes, commits that name it), then [other]; in each group the nearest before the alert's start first"
    : "the nearest before the alert's start first";
  return `Order: ${groups}. Changes after the start come last; they cannot be its cause.`;
}

function changeLines(change: Change, number: number, { alertStart }: Window): string {
  const { time: at, kind, object, summary, by, nearness, id } = change;
  const line = `${number}. ${formatTime(at)} (${distance(at, alertStart)}) [${nearness}] ${kind} ${object}: ${summary}${by === null ? '' : `; by ${by}`}`;
  return `${truncateLine(line.replace(/\s*\n\s*/g, ' '), MAX_LINE)}\n   id: ${id}`;
}

/** Formats the distance to the alert's start: `9 min before`. */
function distance(at: number, alertStart: number): string {
  const seconds = Math.round(Math.abs(alertStart - at) / 1000);
  const side = at > alertStart ? 'AFTER the start' : 'before';
  if (seconds < 120) return `${seconds} s ${side}`;
  return seconds < 7200
    ? `${Math.round(seconds / 60)} min ${side}`
    : `${(seconds / 3600).toFixed(1)} h ${side}`;
}

function limitLines({ seen, problems, absent, limits }: Collected): string[] {
  const missing =
    problems.length === 0
      ? []
      : ['I could not see:', ...problems.map((problem) => `- ${truncateLine(problem, MAX_LINE)}`)];
  return [
    `I looked at: ${seen.join(', ')}.`,
    ...missing,
    ...(absent.length === 0 ? [] : [`Not in this cluster: ${absent.join(', ')}.`]),
    `Limits: ${limits.join(' ')}`,
  ];
}
