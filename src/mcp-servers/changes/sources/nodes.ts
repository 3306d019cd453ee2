import { type Change, changeId, isWithin, type Window } from '../change.ts';
import {
  createdAt,
  type KubeObject,
  nameOf,
  namespaceOf,
  objectsAt,
  textAt,
  timeAt,
} from '../kubernetes/fields.ts';
import type { Snapshot } from '../kubernetes/snapshot.ts';
import type { Target } from '../target.ts';
import { eventTimes } from './scaling.ts';

/** Reasons of events about nodes that tell of a change. Others report a state again and again. */
const REASONS = new Set([
  'NodeNotReady',
  'NodeNotSchedulable',
  'NodeSchedulable',
  'Rebooted',
  'RemovingNode',
  'Shutdown',
]);
/** Conditions whose transition tells that a node became worse or better. */
const CONDITIONS = new Set(['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable']);

const CORDONED = 'node.kubernetes.io/unschedulable';

/** A condition and an event within this time (ms) report the same change. */
const SAME_CHANGE_MS = 60_000;

/** Returns the changes of nodes: added, not ready, cordoned, tainted, rebooted, removed. */
export function findNodeChanges(snapshot: Snapshot, window: Window, target: Target): Change[] {
  const change = (
    node: string,
    { id, time, summary }: { id: string; time: number; summary: string },
  ): Change => ({
    id,
    time,
    kind: 'node',
    object: `Node ${node}`,
    summary: target.usesNode(node) ? `${summary} (pods of the workload are on it)` : summary,
    by: null,
    nearness: target.usesNode(node) ? 'near' : 'other',
  });
  const states = snapshot.objects('nodes').flatMap((node) =>
    statesOf(node)
      .filter(({ time }) => isWithin(time, window))
      .map(({ time, what, summary }) =>
        change(nameOf(node), { id: changeId('node', nameOf(node), what), time, summary }),
      ),
  );
  const events = snapshot.objects('events').flatMap((event): Change[] => {
    const times = eventTimes(event);
    const [reason, node] = [textAt(event, 'reason') ?? '', textAt(event, 'involvedObject', 'name')];
    if (textAt(event, 'involvedObject', 'kind') !== 'Node' || node === null || !REASONS.has(reason))
      return [];
    if (times === null || !isWithin(times.last, window)) return [];
    const id = changeId('event', namespaceOf(event), nameOf(event));
    return [change(node, { id, time: times.last, summary: `${reason}: ${textAt(event, 'message') ?? ''}` })];
  });
  const isKnown = (event: Change) =>
    states.some(
      ({ object, time }) => object === event.object && Math.abs(time - event.time) <= SAME_CHANGE_MS,
    );
  return [...states, ...events.filter((event) => !isKnown(event))];
}

interface NodeState {
  what: string;
  time: number;
  summary: string;
}

function statesOf(node: KubeObject): NodeState[] {
  const created = createdAt(node);
  const conditions = objectsAt(node, 'status', 'conditions').flatMap((condition): NodeState[] => {
    const [type, status, time] = [
      textAt(condition, 'type'),
      textAt(condition, 'status'),
      timeAt(condition, 'lastTransitionTime'),
    ];
    if (type === null || time === null || !CONDITIONS.has(type)) return [];
    // Conditions of a new node change while it starts.
    if (created !== null && time - created < SAME_CHANGE_MS * 5) return [];
    const reason = textAt(condition, 'reason');
    return [{ what: type, time, summary: `${type} became ${status}${reason ? ` (${reason})` : ''}` }];
  });
  const taints = objectsAt(node, 'spec', 'taints').flatMap((taint): NodeState[] => {
    const [key, time] = [textAt(taint, 'key'), timeAt(taint, 'timeAdded')];
    if (key === null || time === null) return [];
    // Kubernetes' own taints repeat conditions, except that of a cordoned node.
    if (key.startsWith('node.kubernetes.io/') && key !== CORDONED) return [];
    const summary = key === CORDONED ? 'cordoned' : `tainted ${key}:${textAt(taint, 'effect')}`;
    return [{ what: 'taint', time, summary }];
  });
  return [
    ...(created === null ? [] : [{ what: 'created', time: created, summary: 'joined the cluster' }]),
    ...conditions,
    ...taints,
  ];
}
