/** Returns a duration as text, in its two largest units. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  if (first < 0) return '0 s';
  const parts = units.slice(first, first + 2).filter(([count]) => count > 0);
  return parts.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

export function formatAgo(ms: number): string {
  return `${formatDuration(ms)} ago`;
}
