/** Sizes of a run, from environment variables. The defaults take about two minutes. */
export const OPTIONS = {
  apis: count('SCALE_APIS', 2),
  workers: count('SCALE_WORKERS', 3),
  subscribers: count('SCALE_SUBSCRIBERS', 300),
  sessions: count('SCALE_SESSIONS', 30),
  /** Pause between two pieces of a text that a model writes (ms). */
  pieceMs: count('SCALE_PIECE_MS', 50),
  /** Time for which all sessions write (s). */
  seconds: count('SCALE_SECONDS', 30),
  /** Carries the announcements; NATS needs nats-server. */
  bus: bus(),
};

/** Length of a piece of text (characters). */
export const PIECE_LENGTH = 24;
/** Number of pieces that a model writes before it calls a tool: for about 10 s, but at least 6. */
export const TURN_PIECES = Math.max(6, Math.round(10_000 / OPTIONS.pieceMs));

function count(variable: string, fallback: number): number {
  const value = Number(process.env[variable] || fallback);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${variable}: expected a number from 1`);
  return value;
}

function bus(): 'postgres' | 'nats' {
  const value = process.env.SCALE_BUS || 'postgres';
  if (value !== 'postgres' && value !== 'nats') throw new Error('SCALE_BUS: expected postgres or nats');
  return value;
}
