/** The quantity that a figure measures; `count` is a bare number. Figures of different dimensions are never equal. */
type Dimension =
  | 'count'
  | 'bytes'
  | 'bytes/s'
  | 'bits'
  | 'bits/s'
  | 'seconds'
  | 'percent'
  | 'cores'
  | 'hertz'
  | 'degrees'
  | 'money';

export interface Unit {
  dimension: Dimension;
  factor: number;
  /** Base of an ambiguous prefix: `MB` is 1000² or 1024² bytes. Two such figures are compared in the same base. */
  base?: 10 | 2;
}

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

/** Units by name. A name may have several meanings: `500m` is half a core or 500 minutes. */
const UNITS = new Map<string, Unit[]>();

function define(dimension: Dimension, units: Readonly<Record<string, number>>, base?: 10 | 2): void {
  for (const [names, factor] of Object.entries(units)) {
    for (const name of names.split(' '))
      UNITS.set(name, [
        ...(UNITS.get(name) ?? []),
        base ? { dimension, factor, base } : { dimension, factor },
      ]);
  }
}

for (const [at, prefix] of ['k', 'm', 'g', 't', 'p'].entries()) {
  const upper = prefix.toUpperCase();
  const words = [
    'kilobyte kilobytes',
    'megabyte megabytes',
    'gigabyte gigabytes',
    'terabyte terabytes',
    'petabyte',
  ][at]!;
  for (const base of [10, 2] as const) {
    const factor = (base === 10 ? 1000 : 1024) ** (at + 1);
    define(
      'bytes',
      { [`${upper}B ${prefix}b ${upper} ${words}${prefix === 'k' ? ' kB k' : ''}`]: factor },
      base,
    );
    define('bytes/s', { [`${upper}B/s ${prefix}B/s ${upper}Bps`]: factor }, base);
  }
  define('bytes', {
    [`${upper}i ${upper}iB ${prefix}ib${prefix === 'k' ? ' ki kiB' : ''}`]: 1024 ** (at + 1),
  });
  define('bytes/s', { [`${upper}iB/s`]: 1024 ** (at + 1) });
  define('bits/s', { [`${upper}bps ${upper}bit/s ${upper}b/s`]: 1000 ** (at + 1) });
}
define('bytes', { 'B byte bytes Bytes': 1 });
define('bytes/s', { 'B/s bytes/s': 1 });
define('bits', { 'bit bits': 1 });
define('bits/s', { 'bit/s bits/s bps': 1 });
define('count', { 'k K thousand': 1e3, 'M million': 1e6, 'G bn billion': 1e9 });
define('seconds', {
  'ns nanosecond nanoseconds': 1e-9,
  'us µs microsecond microseconds': 1e-6,
  'ms msec millisecond milliseconds millis': 1e-3,
  's sec secs second seconds': 1,
  'm min mins minute minutes': MINUTE,
  'h hr hrs hour hours': HOUR,
  'd day days': DAY,
  'w week weeks': 7 * DAY,
  'y year years': 365 * DAY,
});
define('percent', { '% percent pct': 1 });
define('cores', {
  'm millicore millicores mcores': 1e-3,
  'n nanocores': 1e-9,
  'core cores cpu cpus vCPU vCPUs': 1,
});
define('hertz', { Hz: 1, kHz: 1e3, MHz: 1e6, GHz: 1e9 });
define('degrees', { '°C': 1 });
define('money', { '$ USD': 1 });

/**
 * Returns the possible meanings of a unit's name; none if it is unknown. Case matters in names of at most
 * three letters.
 */
export function findUnits(word: string): readonly Unit[] {
  return UNITS.get(word) ?? (word.length > 3 ? UNITS.get(word.toLowerCase()) : undefined) ?? [];
}

/** Units that the name of a field or metric implies. */
const BY_NAME: readonly [RegExp, string][] = [
  [/(?:_|^)bytes(?:_total)?$|Bytes$|\(bytes\)$/i, 'bytes'],
  [/_mb$|MB$/, 'MB'],
  [/(?:_|^)kb$|KB$|^1K-blocks$/, 'KiB'],
  [/(?:_|^)(?:milliseconds|millis|ms)$|(?:Ms|Millis|Milliseconds)$/, 'ms'],
  [/(?:_|^)(?:seconds|secs|sec|s)(?:_total|_sum)?$|(?:Seconds|Secs)$|(?:_|^)seconds_/i, 's'],
  [/(?:_|^)minutes$|Minutes$/, 'minutes'],
  [/(?:_|^)hours$|Hours$/, 'hours'],
  [/(?:_|^)days$|Days$/, 'days'],
  [/%|(?:_|^)(?:percent|percentage|pct)$|(?:Percent|Percentage|Pct)$/, '%'],
  [/(?:_|^)(?:cpu|cores)$|Cores$|\(cores\)$/i, 'cores'],
  // Fields whose unit is known from their protocol or command.
  [/^(?:retry-after|age|max-age|uptime|rt|urt|uct|request_time)$|^Time$/i, 's'],
  [/^(?:RSS|VSZ)$/, 'KiB'],
];

export function unitsFromName(name: string): readonly Unit[] {
  const unit = BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
  return unit === undefined ? [] : findUnits(unit);
}
