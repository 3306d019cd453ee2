import type { TimeZone } from './time-zone.ts';

/** Formats a time for `<input type="datetime-local">` in the viewer's zone; '' for null. */
export function toInput(time: string | null, zone: TimeZone): string {
  if (time === null) return '';
  const moment = new Date(time);
  const shift = zone === 'utc' ? 0 : moment.getTimezoneOffset() * 60_000;
  return new Date(moment.getTime() - shift).toISOString().slice(0, 16);
}

/**
 * Parses the value of `<input type="datetime-local">` to an RFC 3339 time in UTC; null if the value is
 * incomplete.
 */
export function fromInput(text: string, zone: TimeZone): string | null {
  const time = Date.parse(zone === 'utc' ? `${text}Z` : text);
  return text === '' || Number.isNaN(time) ? null : new Date(time).toISOString();
}
