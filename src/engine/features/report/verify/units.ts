/** The quantity that a figure measures; `count` is a bare number. Figures of different dimensions are never equal. */
export type Dimension =
  | 'count'
  | 'bytes'
  | 'bits'
  | 'bytes/s'
  | 'bits/s'
  | 'seconds'
  | 'percent'
  | 'cores'
  | 'hertz'
  | 'degrees'
  | 'dollars'
  | 'euros'
  | 'pounds';

export interface Unit {
  dimension: Dimension;
  factor: number;
}

const [K, M, G, T] = [1e3, 1e6, 1e9, 1e12];
const [KI, MI, GI, TI] = [2 ** 10, 2 ** 20, 2 ** 30, 2 ** 40];
const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

/** Units by name. A name may have several readings: `500m` is half a core or 500 minutes, `1.5G` a count or bytes. */
const UNITS = new Map<string, Unit[]>();

function define(dimension: Dimension, units: Readonly<Record<string, number>>): void {
  for (const [names, factor] of Object.entries(units)) {
    for (const name of names.split(' ')) UNITS.set(name, [...(UNITS.get(name) ?? []), { dimension, factor }]);
  }
}

for (const prefix of 'kKMGTP') {
  const power = 'KMGTP'.indexOf(prefix.toUpperCase()) + 1;
  const [decimal, binary] = [1000 ** power, 1024 ** power];
  define('count', { [prefix]: decimal });
  define('bytes', { [prefix]: decimal });
  define('bytes', { [prefix]: binary });
  define('bytes', { [`${prefix}B ${prefix}o`]: decimal, [`${prefix}i ${prefix}iB`]: binary });
  define('bytes/s', { [`${prefix}B/s ${prefix}Bps`]: decimal, [`${prefix}iB/s ${prefix}i/s`]: binary });
  define('bits', { [`${prefix}b ${prefix}bit`]: decimal });
  define('bits/s', { [`${prefix}bps ${prefix}bit/s ${prefix}b/s ${prefix}bits/s`]: decimal });
}
define('bytes', {
  'B byte bytes Byte Bytes octet octets octetos': 1,
  'kilobyte kilobytes Kilobyte': K,
  'megabyte megabytes Megabyte mégaoctets megabytes': M,
  'gigabyte gigabytes Gigabyte gigaoctets': G,
  'terabyte terabytes Terabyte': T,
  'kibibyte kibibytes': KI,
  'mebibyte mebibytes': MI,
  'gibibyte gibibytes': GI,
  'tebibyte tebibytes': TI,
});
define('bits', { 'bit bits': 1 });
define('bytes/s', { 'B/s bytes/s': 1 });
define('bits/s', { 'bit/s bits/s bps': 1 });
define('count', {
  'thousand Tausend tausend mille mil': K,
  'million millions Million Millionen millón millones mln Mio': M,
  'billion billions Milliarde Milliarden milliard milliards B bn': G,
});
define('seconds', {
  'ns nanosecond nanoseconds': 1e-9,
  'us µs microsecond microseconds': 1e-6,
  'ms msec msecs millisecond milliseconds millis Millisekunden Millisekunde millisecondes milisegundos 毫秒 ミリ秒': 1e-3,
  's sec secs second seconds Sekunde Sekunden seconde secondes segundo segundos secondi 秒 秒間 сек секунд': 1,
  'm min mins minute minutes Minute Minuten minuto minutos minuti 分 分钟 分間 мин минут': MINUTE,
  'h hr hrs hour hours Stunde Stunden Std heure heures hora horas ore 小时 時間 时 час часов часа': HOUR,
  'd day days Tag Tage Tagen jour jours día días dia dias giorni 天 日 日間 дней дня день': DAY,
  'w week weeks Woche Wochen semaine semaines semana semanas 周 週間': 7 * DAY,
});
define('percent', { '% percent pct Prozent pourcent процентов': 1, '%CPU %MEM': 1 });
define('cores', {
  'm mCPU millicore millicores mcores': 1e-3,
  'n nanocores': 1e-9,
  'core cores Kern Kerne Kernen cœurs núcleos CPU CPUs cpu cpus vCPU vCPUs': 1,
});
define('hertz', { Hz: 1, kHz: K, MHz: M, GHz: G });
define('degrees', { '°C': 1 });
define('dollars', { '$ USD': 1 });
define('euros', { '€ EUR': 1 });
define('pounds', { '£ GBP': 1 });

/** Returns the readings of a unit; `undefined` if it is unknown. Case matters in units of at most three letters. */
export function findUnits(word: string): readonly Unit[] | undefined {
  return UNITS.get(word) ?? (word.length > 3 ? UNITS.get(word.toLowerCase()) : undefined);
}

const BY_NAME: readonly [RegExp, Unit][] = [
  [/(?:_|^)bytes(?:_total)?$|Bytes$/, { dimension: 'bytes', factor: 1 }],
  [/(?:_|^)(?:milliseconds|millis|ms)$|(?:Ms|Millis|Milliseconds)$/, { dimension: 'seconds', factor: 1e-3 }],
  [
    /(?:_|^)(?:seconds|secs|sec)(?:_total|_sum|_count)?$|(?:Seconds|Secs)$/,
    { dimension: 'seconds', factor: 1 },
  ],
  [/(?:_|^)minutes$|Minutes$/, { dimension: 'seconds', factor: MINUTE }],
  [/(?:_|^)hours$|Hours$/, { dimension: 'seconds', factor: HOUR }],
  [/(?:_|^)days$|Days$/, { dimension: 'seconds', factor: DAY }],
  [/(?:_|^)(?:percent|percentage|pct)$|(?:Percent|Percentage|Pct)$/, { dimension: 'percent', factor: 1 }],
  [/(?:_|^)(?:cpu|cores)$|Cores$/, { dimension: 'cores', factor: 1 }],
];

export function unitFromFieldName(name: string): Unit | undefined {
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
}
