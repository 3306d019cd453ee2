import type { TimeZone } from './time-zone.ts';

/** Formats a time for `<input type="datetime-local">` in the viewer's zone; '' for null. */
export function toInput(time: string | null, zone: TimeZone): string {
  if (time === null) return '';
  const moment = new Date(time);
  if (zone === 'utc') return moment.toISOString().slice(0, 16);
  // Not by the zone's offset, which has no seconds, but had some long ago. A year is that old while it is typed.
  const [year, ...rest] = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()];
  const date = [digits(year, 4), ...rest.map((part) => digits(part))].join('-');
  return `${date}T${digits(moment.getHours())}:${digits(moment.getMinutes())}`;
}

/**
 * Parses the value of `<input type="datetime-local">` to an RFC 3339 time in UTC; null if the value is
 * incomplete.
 */
export function fromInput(text: string, zone: TimeZone): string | null {
  const time = Date.parse(zone === 'utc' ? `${text}Z` : text);
  return text === '' || Number.isNaN(time) ? null : new Date(time).toISOString();
}

const digits = (count: number, length = 2): string => String(count).padStart(length, '0');
