import { type Change, changeId, isWithin, type Window } from '../change.ts';
import {
  type KubeObject,
  nameOf,
  namespaceOf,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  timeAt,
  valueAt,
} from '../kubernetes/fields.ts';
import type { Snapshot } from '../kubernetes/snapshot.ts';
import type { Target } from '../target.ts';

/** A sync that an Argo CD Application keeps in its history. */
export interface Sync {
  id: number;
  time: number;
  /** Revisions of the Application's sources, in their order. */
  revisions: readonly string[];
  sources: readonly KubeObject[];
  by: string | null;
}

/** Returns the syncs of an Application, oldest first. */
export function syncsOf(application: KubeObject): Sync[] {
  return objectsAt(application, 'status', 'history')
    .flatMap((entry): Sync[] => {
      const [id, time] = [numberAt(entry, 'id'), timeAt(entry, 'deployedAt')];
      if (id === null || time === null) return [];
      const several = objectsAt(entry, 'sources');
      const revision = textAt(entry, 'revision');
      const revisions = valueAt(entry, 'revisions');
      return [
        {
          id,
          time,
          revisions: Array.isArray(revisions) ? revisions.map(String) : revision === null ? [] : [revision],
          sources: several.length > 0 ? several : [objectAt(entry, 'source')],
          by: initiator(objectAt(entry, 'initiatedBy')),
        },
      ];
    })
    .sort((a, b) => a.time - b.time);
}

function initiator(by: KubeObject): string | null {
  return textAt(by, 'username') ?? (by.automated === true ? 'argocd (automated sync)' : null);
}

/** Returns the syncs of Argo CD Applications, and a sync that failed. */
export function findSyncs(
  snapshot: Snapshot,
  { namespace, window, target }: { namespace: string | null; window: Window; target: Target },
): Change[] {
  return snapshot
    .objects('applications')
    .filter((application) => namespace === null || touches(application, namespace))
    .flatMap((application) => {
      const syncs = syncsOf(application);
      const nearness = isOwn(application, target) ? 'own' : 'other';
      const object = `Application ${namespaceOf(application)}/${nameOf(application)}`;
      const id = (what: string | number) =>
        changeId('argo', namespaceOf(application), nameOf(application), what);
      const done = syncs.flatMap((sync, at): Change[] => {
        if (!isWithin(sync.time, window)) return [];
        const before = syncs[at - 1];
        return [
          {
            id: id(sync.id),
            time: sync.time,
            kind: 'argo',
            object,
            summary: summaryOf(before, sync),
            by: sync.by,
            nearness,
          },
        ];
      });
      const state = objectAt(application, 'status', 'operationState');
      const [phase, time] = [
        textAt(state, 'phase'),
        timeAt(state, 'finishedAt') ?? timeAt(state, 'startedAt'),
      ];
      if (!/^(?:Failed|Error)$/.test(phase ?? '') || !isWithin(time, window)) return done;
      const revision = shortRevision(textAt(state, 'syncResult', 'revision') ?? 'unknown revision');
      const summary = `sync to ${revision} ended ${phase}: ${textAt(state, 'message')?.slice(0, 200) ?? ''}`;
      const by = initiator(objectAt(state, 'operation', 'initiatedBy'));
      return [...done, { id: id('operation'), time, kind: 'argo', object, summary, by, nearness }];
    });
}

function summaryOf(before: Sync | undefined, sync: Sync): string {
  const after = sync.revisions.map(shortRevision).join(', ') || 'unknown revision';
  const source = textAt(sync.sources[0], 'repoURL');
  const from = source === null ? '' : ` of ${withoutUser(source)}`;
  if (before === undefined) return `synced ${after}${from}; the sync before it is no longer kept`;
  const old = before.revisions.map(shortRevision).join(', ');
  return old === after ? `synced ${after} again${from}` : `synced ${old} → ${after}${from}`;
}

/** Shortens a commit; other revisions, such as versions of charts, stay whole. */
export const shortRevision = (revision: string): string =>
  revision.replace(/\b([0-9a-f]{12})[0-9a-f]{28,52}\b/g, '$1');

/** Returns a URL without the user name and password in it. */
export const withoutUser = (url: string): string => url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1');

function touches(application: KubeObject, namespace: string): boolean {
  return (
    textAt(application, 'spec', 'destination', 'namespace') === namespace ||
    objectsAt(application, 'status', 'resources').some((each) => textAt(each, 'namespace') === namespace)
  );
}

function isOwn(application: KubeObject, target: Target): boolean {
  return objectsAt(application, 'status', 'resources').some((each) =>
    target.is(
      (textAt(each, 'kind') ?? '').toLowerCase(),
      textAt(each, 'namespace') ?? '',
      textAt(each, 'name') ?? '',
    ),
  );
}
