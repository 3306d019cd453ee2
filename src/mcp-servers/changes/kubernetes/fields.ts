/** An object of the Kubernetes API. The server's answers are not trusted, so every field may be missing or malformed. */
export type KubeObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is KubeObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value at a path; `undefined` if a step of the path is missing. */
export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  let value = object;
  for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value;
}

/** Returns the text at a path; `null` if there is no text or an empty one. */
export function textAt(object: unknown, ...path: readonly string[]): string | null {
  const value = valueAt(object, ...path);
  return typeof value === 'string' && value !== '' ? value : null;
}

export function numberAt(object: unknown, ...path: readonly string[]): number | null {
  const value = valueAt(object, ...path);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Returns the objects of the list at a path; empty if there is no list. */
export function objectsAt(object: unknown, ...path: readonly string[]): KubeObject[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function objectAt(object: unknown, ...path: readonly string[]): KubeObject {
  const value = valueAt(object, ...path);
  return isObject(value) ? value : {};
}

/** Returns the time at a path (ms since 1970); `null` if there is none. */
export function timeAt(object: unknown, ...path: readonly string[]): number | null {
  const time = Date.parse(textAt(object, ...path) ?? '');
  return Number.isNaN(time) ? null : time;
}

export const nameOf = (object: KubeObject): string => textAt(object, 'metadata', 'name') ?? '';
export const namespaceOf = (object: KubeObject): string => textAt(object, 'metadata', 'namespace') ?? '';
export const createdAt = (object: KubeObject): number | null =>
  timeAt(object, 'metadata', 'creationTimestamp');
export const labelOf = (object: KubeObject, label: string): string | null =>
  textAt(object, 'metadata', 'labels', label);
export const annotationOf = (object: KubeObject, annotation: string): string | null =>
  textAt(object, 'metadata', 'annotations', annotation);

/** Returns the uid of the owner that controls an object; `null` if nothing controls it. */
export function controllerOf(object: KubeObject): { kind: string; name: string; uid: string } | null {
  const owner = objectsAt(object, 'metadata', 'ownerReferences').find(
    (each) => valueAt(each, 'controller') === true,
  );
  const [kind, name, uid] = [textAt(owner, 'kind'), textAt(owner, 'name'), textAt(owner, 'uid')];
  return kind === null || name === null || uid === null ? null : { kind, name, uid };
}

/** The last write of one manager to an object, as `metadata.managedFields` records it. */
export interface ManagedWrite {
  manager: string;
  time: number;
  /** `status`, `scale` and the like; `null` for the object itself. */
  subresource: string | null;
  /** The fields that the manager owns, in the API's format `f:spec`. */
  fields: KubeObject;
}

/** Returns the recorded writes to an object, oldest first. */
export function managedWrites(object: KubeObject): ManagedWrite[] {
  return objectsAt(object, 'metadata', 'managedFields')
    .flatMap((entry) => {
      const time = timeAt(entry, 'time');
      if (time === null) return [];
      return [
        {
          manager: textAt(entry, 'manager') ?? 'unknown',
          time,
          subresource: textAt(entry, 'subresource'),
          fields: objectAt(entry, 'fieldsV1'),
        },
      ];
    })
    .sort((a, b) => a.time - b.time);
}
