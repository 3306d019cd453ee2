import type { TimeZone } from './time-zone.ts';

/** A moment as `<input type="datetime-local">` takes it, in the reader's zone; empty for none. */
export function toInput(time: string | null, zone: TimeZone): string {
  if (time === null) return '';
  const moment = new Date(time);
  const shift = zone === 'utc' ? 0 : moment.getTimezoneOffset() * 60_000;
  return new Date(moment.getTime() - shift).toISOString().slice(0, 16);
}

/** What was typed there, as a moment in UTC; null while it is none. */
export function fromInput(text: string, zone: TimeZone): string | null {
  const time = Date.parse(zone === 'utc' ? `${text}Z` : text);
  return text === '' || Number.isNaN(time) ? null : new Date(time).toISOString();
}
