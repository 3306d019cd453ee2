/** Maximum size of one tool result (bytes): about 8000 tokens, which fits a model's context several times. */
const MAX_OUTPUT_BYTES = 32 * 1024;

const ANSI_SEQUENCE = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, 'g');
const CONTROL_CHARACTER = /(?![\n\t])\p{Cc}/gu;

/** Removes colour codes, control characters and lone surrogates, which a model or the database cannot handle. */
export function cleanText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(ANSI_SEQUENCE, '')
    .replace(CONTROL_CHARACTER, '\u{FFFD}')
    .toWellFormed();
}

export function truncateLine(line: string, max: number): string {
  return line.length <= max
    ? line
    : `${line.slice(0, max).toWellFormed()}… [${line.length - max} characters cut]`;
}

/** Truncates a result to `maxBytes` of UTF-8, at a line boundary if possible. @param keep the end that is kept */
export function limitOutput(
  text: string,
  keep: 'head' | 'tail' = 'head',
  maxBytes = MAX_OUTPUT_BYTES,
): string {
  const clean = cleanText(text);
  const bytes = Buffer.from(clean);
  if (bytes.length <= maxBytes) return clean;
  const note = `[output cut: ${keep === 'head' ? 'first' : 'last'} ${formatBytes(maxBytes)} of ${formatBytes(bytes.length)} shown]`;
  const room = maxBytes - Buffer.byteLength(note) - 1;
  if (keep === 'head') {
    const part = bytes
      .subarray(0, room)
      .toString()
      .replace(/\u{FFFD}+$/u, '');
    const end = part.lastIndexOf('\n');
    return `${end > 0 ? part.slice(0, end) : part}\n${note}`;
  }
  const part = bytes
    .subarray(bytes.length - room)
    .toString()
    .replace(/^\u{FFFD}+/u, '');
  const start = part.indexOf('\n');
  return `${note}\n${start >= 0 && start < part.length - 1 ? part.slice(start + 1) : part}`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** Formats bytes in the largest binary unit with a value of at least 1: `12.3 GiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${Math.round(value)} B` : `${value.toFixed(1)} ${UNITS[unit]}`;
}

export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`;
  const minutes = Math.floor(seconds / 60);
  const days = Math.floor(minutes / 1440);
  const hours = Math.floor((minutes % 1440) / 60);
  const parts = [days > 0 ? `${days} d` : '', hours > 0 ? `${hours} h` : '', `${minutes % 60} min`];
  return parts.filter((part) => part !== '').join(' ');
}

/** Formats the first `max` rows as a table, followed by the number of rows not shown. */
export function table(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  max = rows.length,
): string {
  const all = [headers, ...rows.slice(0, max)];
  const widths = headers.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const lines = all.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  if (rows.length > max) lines.push(`[${rows.length - max} more not shown]`);
  return lines.join('\n');
}
