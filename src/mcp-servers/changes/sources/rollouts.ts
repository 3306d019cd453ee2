import { type Change, changeId, isWithin, type Window } from '../change.ts';
import { nameOf, namespaceOf } from '../kubernetes/fields.ts';
import type { Snapshot } from '../kubernetes/snapshot.ts';
import { authorOf, type Revision, revisionsOf } from '../revisions.ts';
import { describeWorkload, type Target, type Workload, workloadsOf } from '../target.ts';
import { summarizeTemplates } from '../templates.ts';

/** Returns the rollouts of Deployments, StatefulSets and DaemonSets: each time that a workload got another pod template. */
export function findRollouts(snapshot: Snapshot, window: Window, target: Target): Change[] {
  return workloadsOf(snapshot).flatMap((workload) => {
    const revisions = revisionsOf(workload, snapshot);
    return revisions.flatMap((revision, at) => {
      const { time } = revision;
      if (!isWithin(time, window)) return [];
      const [namespace, name] = [namespaceOf(workload.object), nameOf(workload.object)];
      const by = [authorOf(workload.object, time), revision.cause && `change-cause "${revision.cause}"`];
      return [
        {
          id: changeId('rollout', namespace, workload.kind, name, revision.number),
          time,
          kind: 'rollout',
          object: describeWorkload(workload),
          summary: summaryOf(revision, revisions[at - 1] ?? null),
          by: by.filter(Boolean).join(', ') || null,
          nearness: target.is(workload.kind, namespace, name) ? 'own' : 'other',
        } satisfies Change,
      ];
    });
  });
}

/** Formats a revision's number. A number that Kubernetes forgot is not invented. */
export const revisionLabel = ({ number }: Revision): string =>
  Number.isInteger(number) ? `revision ${number}` : 'an earlier revision';

function summaryOf(revision: Revision, previous: Revision | null): string {
  if (previous === null)
    return revision.number <= 1
      ? 'first revision (created)'
      : `${revisionLabel(revision)}; the revision before it is no longer kept`;
  const what = `${revisionLabel(previous)} → ${revisionLabel(revision)}`;
  const kind = revision.isReturn ? ' (rolled back to an earlier template)' : '';
  return `${what}${kind}: ${summarizeTemplates(previous.template, revision.template)}`;
}

/** Returns a revision and the one before it; `null` if the revision is no longer kept. */
export function findRevision(
  workload: Workload,
  snapshot: Snapshot,
  number: number,
): { revision: Revision; previous: Revision | null } | null {
  const revisions = revisionsOf(workload, snapshot);
  const at = revisions.findIndex((each) => each.number === number);
  return at < 0 ? null : { revision: revisions[at]!, previous: revisions[at - 1] ?? null };
}
