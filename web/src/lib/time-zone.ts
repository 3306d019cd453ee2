import { createContext, useContext } from 'react';

/** Time zone of displayed times: the browser's, or UTC as in logs. */
export type TimeZone = 'local' | 'utc';
export const TIME_ZONES: readonly TimeZone[] = ['local', 'utc'];

// The chosen time zone. A context, because thousands of displayed times would otherwise each read the stored choice.
const TimeZoneContext = createContext<TimeZone>('local');
export const TimeZoneProvider = TimeZoneContext.Provider;

export function useTimeZone(): TimeZone {
  return useContext(TimeZoneContext);
}
