/** UTF-16 code units of a text in which words are looked for: an alert may be a MiB. */
const MAX_UNITS = 12_000;

/** What engineers write short, and what the same is called elsewhere: whoever looks for one finds the other. */
const MEANINGS: Readonly<Record<string, string>> = {
  oom: 'out of memory',
  oomkilled: 'oom out of memory killed',
  k8s: 'kubernetes',
  kube: 'kubernetes',
  db: 'database',
  postgres: 'postgresql database',
  postgresql: 'postgres database',
  mysql: 'database',
  cert: 'certificate tls',
  certs: 'certificate tls',
  certificate: 'cert tls',
  ssl: 'tls certificate',
  x509: 'certificate tls',
  pvc: 'persistent volume claim',
  lb: 'load balancer',
  hpa: 'autoscaler',
  autoscaling: 'autoscaler',
  crashloop: 'crash loop restart',
  crashloopbackoff: 'crash loop back off restart',
  imagepullbackoff: 'image pull back off registry',
  errimagepull: 'image pull error registry',
  nxdomain: 'dns resolve name',
  econnrefused: 'connection refused',
  etimedout: 'timeout timed out',
  enospc: 'no space left disk full',
  ratelimit: 'rate limit throttle',
  throttling: 'throttle rate limit',
  repl: 'replication',
  mq: 'message queue',
  gc: 'garbage collection',
  fs: 'filesystem',
  fd: 'file descriptors',
  cfg: 'configuration',
  config: 'configuration',
  perf: 'performance',
  ntp: 'clock time',
};

/**
 * Text as memories are indexed and looked for: names split into their words (`KubePodCrashLooping` → kube pod crash looping),
 * short forms written out, nothing but words and figures.
 */
export function wordsOf(text: string): string {
  const plain = text
    .slice(0, MAX_UNITS)
    .normalize('NFKC')
    .replace(/(\p{Ll}|\p{Nd})(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
  const words = new Set([...plain.split(' '), ...joined(text)]);
  const meant = [...words].flatMap((word) => (Object.hasOwn(MEANINGS, word) ? [MEANINGS[word]!] : []));
  return [plain, ...meant].join(' ');
}

/** Names as one word, in whatever case their parts are: `OOMKilled`, `CrashLoopBackOff`. */
function joined(text: string): string[] {
  return (text.slice(0, MAX_UNITS).match(/\p{L}{3,40}/gu) ?? []).map((word) => word.toLowerCase());
}
