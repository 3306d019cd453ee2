import { createContext, useContext } from 'react';

/** Time zone of displayed times: the browser's, or UTC as in logs. */
export type TimeZone = 'local' | 'utc';
export const TIME_ZONES: readonly TimeZone[] = ['local', 'utc'];

// A context, because a timeline shows thousands of times and each would otherwise read the stored choice.
const TimeZoneContext = createContext<TimeZone>('local');
export const TimeZoneProvider = TimeZoneContext.Provider;

export function useTimeZone(): TimeZone {
  return useContext(TimeZoneContext);
}
