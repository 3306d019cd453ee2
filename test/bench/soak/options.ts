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
};

/** Days that sessions and alerts are kept. After each hour, one day passes. */
export const KEPT_DAYS = 3;

/** Alerts of one delivery. */
export const ALERTS_EACH = 5;

function count(variable: string, fallback: number): number {
  const value = Number(process.env[variable] || fallback);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${variable}: expected a number from 1`);
  return value;
}
