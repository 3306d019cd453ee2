/** Channels of the database's NOTIFY. Payloads stay under its limit of 8000 bytes. */
export const CHANNELS = {
  /** `<session id>:<seq>:<type>`: a persisted event is in the log. */
  event: 'tarsy_event',
  /** A piece of streaming text, as JSON. */
  chunk: 'tarsy_chunk',
  /** `<session id>` or `<score id>`: whoever runs this session, or makes this score, shall stop. */
  cancel: 'tarsy_cancel',
} as const;

/** A row as the database prints it in JSON (column names, ISO times) → the entity's shape. */
export function decodeRow<T>(row: Record<string, unknown>): T {
  const decoded: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    const isMoment = column.endsWith('_at') && typeof value === 'string';
    decoded[propertyName(column)] = isMoment ? new Date(value) : value;
  }
  return decoded as T;
}

const propertyNames = new Map<string, string>();

/** `stage_id` → `stageId` */
export function propertyName(column: string): string {
  let name = propertyNames.get(column);
  if (name === undefined) {
    name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    propertyNames.set(column, name);
  }
  return name;
}
