import { type Change, changeId, isWithin, type Nearness, type Window } from '../change.ts';
import { type KubeObject, nameOf, namespaceOf, objectAt, textAt, timeAt } from '../kubernetes/fields.ts';
import type { Snapshot } from '../kubernetes/snapshot.ts';
import type { Target } from '../target.ts';

/** Returns the time of an event's first and last occurrence; `null` if it has none. */
export function eventTimes(event: KubeObject): { first: number; last: number } | null {
  const first = timeAt(event, 'firstTimestamp') ?? timeAt(event, 'eventTime');
  const last = timeAt(event, 'series', 'lastObservedTime') ?? timeAt(event, 'lastTimestamp') ?? first;
  return first === null || last === null ? null : { first, last };
}

/** Returns the times that an autoscaler changed a workload's replicas. */
export function findScaling(snapshot: Snapshot, window: Window, target: Target): Change[] {
  const autoscalers = new Map(
    snapshot.objects('autoscalers').map((each) => [`${namespaceOf(each)}/${nameOf(each)}`, each]),
  );
  const byEvents = snapshot.objects('events').flatMap((event): Change[] => {
    const times = eventTimes(event);
    const [namespace, name] = [
      textAt(event, 'involvedObject', 'namespace'),
      textAt(event, 'involvedObject', 'name'),
    ];
    if (textAt(event, 'reason') !== 'SuccessfulRescale' || namespace === null || name === null) return [];
    if (times === null || !isWithin(times.last, window)) return [];
    return [
      {
        id: changeId('event', namespaceOf(event), nameOf(event)),
        time: times.last,
        kind: 'scaling',
        object: `HorizontalPodAutoscaler ${namespace}/${name}`,
        summary: `scaled by the autoscaler, without a change of the spec: ${textAt(event, 'message') ?? ''}`,
        by: 'horizontal-pod-autoscaler',
        nearness: nearnessOf(autoscalers.get(`${namespace}/${name}`) ?? {}, target),
      },
    ];
  });
  const seen = new Set(byEvents.map(({ object }) => object));
  return [
    ...byEvents,
    ...withoutEvents(autoscalers, window, target).filter(({ object }) => !seen.has(object)),
  ];
}

/** Returns the last scaling of autoscalers whose events have expired. */
function withoutEvents(
  autoscalers: ReadonlyMap<string, KubeObject>,
  window: Window,
  target: Target,
): Change[] {
  return [...autoscalers].flatMap(([place, autoscaler]): Change[] => {
    const time = timeAt(autoscaler, 'status', 'lastScaleTime');
    if (!isWithin(time, window)) return [];
    return [
      {
        id: changeId(
          'object',
          namespaceOf(autoscaler),
          'HorizontalPodAutoscaler',
          nameOf(autoscaler),
          Math.floor(time / 1000),
        ),
        time,
        kind: 'scaling',
        object: `HorizontalPodAutoscaler ${place}`,
        summary: `scaled by the autoscaler, without a change of the spec; now ${String(objectAt(autoscaler, 'status').desiredReplicas ?? 'an unknown number of')} replicas`,
        by: 'horizontal-pod-autoscaler',
        nearness: nearnessOf(autoscaler, target),
      },
    ];
  });
}

function nearnessOf(autoscaler: KubeObject, target: Target): Nearness {
  const scales = objectAt(autoscaler, 'spec', 'scaleTargetRef');
  const kind = (textAt(scales, 'kind') ?? '').toLowerCase();
  return target.is(kind, namespaceOf(autoscaler), textAt(scales, 'name') ?? '') ? 'near' : 'other';
}
