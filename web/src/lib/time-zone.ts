import { createContext, useContext } from 'react';

/** In which zone the pages tell the time: that of the reader's machine, or the one that logs are written in. */
export type TimeZone = 'local' | 'utc';
export const TIME_ZONES: readonly TimeZone[] = ['local', 'utc'];

// A context, not the store itself: a timeline has thousands of times.
const TimeZoneContext = createContext<TimeZone>('local');
export const TimeZoneProvider = TimeZoneContext.Provider;

/** The zone that the reader has chosen. */
export function useTimeZone(): TimeZone {
  return useContext(TimeZoneContext);
}
