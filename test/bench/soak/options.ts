/** Sizes of a run, from environment variables. The defaults take about eight minutes. */
export const OPTIONS = {
  /** Simulated hours. Between two of them, the times of all stored rows move one day into the past. */
  hours: count('SOAK_HOURS', 6),
  /** Length of a simulated hour (s), without the time until all work has ended. */
  hourS: count('SOAK_HOUR_S', 60),
  /** Alerts, sessions and watchers of each hour. */
  alerts: count('SOAK_ALERTS', 330),
  sessions: count('SOAK_SESSIONS', 33),
  watchers: count('SOAK_WATCHERS', 150),
  /** How many times as long the first and the last hour are, so that their p99 has more samples. */
  calmTimes: count('SOAK_CALM_TIMES', 1),
};

/** True for the first and the last hour, which have no outage and are compared. @param hour number from 1 */
export const isCalm = (hour: number): boolean => hour === 1 || hour === OPTIONS.hours;

/** Returns length (s) and counts of an hour. @param hour number from 1 */
export function sizeOf(hour: number) {
  const times = isCalm(hour) ? OPTIONS.calmTimes : 1;
  const { hourS, alerts, sessions, watchers } = OPTIONS;
  return {
    ...{ hourS: hourS * times, alerts: alerts * times, sessions: sessions * times },
    watchers: watchers * times,
  };
}

/** Days that sessions and alerts are kept. After each hour, one day passes. */
export const KEPT_DAYS = 3;

/** Alerts of one delivery. */
export const ALERTS_EACH = 5;

function count(variable: string, fallback: number): number {
  const value = Number(process.env[variable] || fallback);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${variable}: expected a number from 1`);
  return value;
}
