/** True if a word looks like a name (a digit, an inner sign or an inner capital) and is no known prose. */
export function isName(word: string): boolean {
  if (word.length < 2 || word.length > MAX_NAME) return false;
  if (/\d/.test(word)) return /[\p{L}./:_@-]/u.test(word);
  if (!/[a-zA-Z]/.test(word)) return false;
  if (PLAIN.has(word) || PLAIN.has(word.toLowerCase())) return false;
  if (/[/.:_@]/.test(word)) return !isPlainCompound(word, /[/.:_@]/);
  if (word.includes('-')) return !isPlainCompound(word, /-/);
  return /^[A-Z]{2,}$/.test(word) ? !ACRONYMS.has(word) : /.[A-Z]/.test(word) && !PLURAL_ACRONYM.test(word);
}

const PLURAL_ACRONYM = /^[A-Z]{2,}s$|^(?:I|[A-Z]{2,})'/;

const MAX_NAME = 300;

/** True if a name can have figures: `web-1` is an entity, but `CrashLoopBackOff` a state and `v1.2.3` a version. */
export function isEntityName(name: string): boolean {
  return /[\d/.:_@-]/.test(name) && !/^\d+xx$/i.test(name) && !/^[pP]\d{2,3}$|^v\d/.test(name);
}

/** Returns the names that a token matches: itself, its parts, its short host name, a version without `v`. */
export function nameForms(token: string): string[] {
  const forms = [token];
  if (/[/:@]/.test(token)) {
    for (const part of token.split(/[/:@]+/)) if (part !== '') forms.push(part);
    const colon = token.lastIndexOf(':');
    if (colon >= 0 && colon < token.length - 1) forms.push(token.slice(0, colon));
    const path = token.split('/');
    for (let at = 1; at < Math.min(path.length, 8); at++) forms.push(path.slice(at).join('/'));
  }
  for (const form of [...forms]) {
    if (/^v\d/.test(form)) forms.push(form.slice(1));
    const [, className] = /\.([A-Z]\w+)$/.exec(form) ?? [];
    if (className) forms.push(className);
    const host = /^([a-zA-Z0-9-]+)((?:\.[a-zA-Z0-9-]+){2,})$/.exec(form);
    if (host && /[a-zA-Z]$/.test(form) && /[a-zA-Z]/.test(host[1]!)) forms.push(host[1]!);
    const kind = KINDS.get(form.toLowerCase());
    if (kind) forms.push(kind);
  }
  return forms;
}

/** True if the forms contain a claimed name. @param options `exactly`: a pod, a full hash or a status does not match */
export function isNameAmong(
  name: string,
  forms: ReadonlySet<string>,
  options: { exactly: boolean },
): boolean {
  const [first = '', ...rest] = name;
  const spellings = [name, name.replace(/^v(?=\d)/, ''), first.toLowerCase() + rest.join('')];
  if (spellings.some((spelling) => forms.has(spelling))) return true;
  const kind = KINDS.get(name.toLowerCase());
  if (kind && forms.has(kind)) return true;
  const parts = name.split('/');
  if (parts.length > 1 && parts.every((part) => part !== '' && forms.has(part))) return true;
  if (options.exactly) return false;
  for (const form of forms)
    if (isPodOf(form, name) || isWholeHash(form, name) || isInClass(form, name)) return true;
  return false;
}

/** Characters of generated Kubernetes suffixes: no vowels, no look-alikes. */
const SUFFIX = '[bcdfghjklmnpqrstvwxz2456789]';
const POD_SUFFIX = new RegExp(
  `^(?:-${SUFFIX}{6,10}-${SUFFIX}{5}|-${SUFFIX}{8,10}|-${SUFFIX}{5}|-\\d{1,4}|-\\d{8,10}(?:-${SUFFIX}{5})?)$`,
);

function isPodOf(token: string, workload: string): boolean {
  return (
    token.length > workload.length &&
    token.startsWith(workload) &&
    /^[a-z][a-z0-9.-]*[a-z0-9]$/.test(workload) &&
    !/-\d{1,4}$/.test(workload) &&
    POD_SUFFIX.test(token.slice(workload.length))
  );
}

function isWholeHash(token: string, name: string): boolean {
  return /^[0-9a-f]{7,}$/.test(name) && token.startsWith(name) && /^[0-9a-f]{12,64}$/.test(token);
}

/** True if the name is the class of the token: `5xx` of `503`, `p99` of the quantile `0.99`. */
function isInClass(token: string, name: string): boolean {
  const status = /^([1-5])xx$/i.exec(name);
  if (status) return token.length === 3 && /^\d{3}$/.test(token) && token[0] === status[1];
  const quantile = /^p(\d{2,3})$/i.exec(name);
  return quantile !== null && (token === `0.${quantile[1]}` || token.toLowerCase() === name.toLowerCase());
}

/** True for compounds of prose: common words, capitalized parts (`Pod-Neustart`) or letters beyond ASCII. */
function isPlainCompound(word: string, separator: RegExp): boolean {
  const parts = word.split(separator);
  if (separator.source === '-') {
    if (!/^[!-~]+$/.test(word) || parts.some((part) => /^[A-Z](?:[a-z]+|[A-Z]+)$/.test(part))) return true;
    if (PREFIXES.has(parts[0]!.toLowerCase()) || SUFFIXES.has(parts.at(-1)!.toLowerCase())) return true;
  }
  return parts.every((part) => part === '' || COMMON.has(part.toLowerCase()) || ACRONYMS.has(part));
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const ACRONYMS =
  words(`AI API AWS AZ CA CD CI CLI CNI CPU CRD CSI DB DNS DR EC FD FS GB GC GCP GPU HA HDD HPA HTTP HTTPS ID IO IP IT JSON JVM
  K8S KB LB LLM MB MCP ML MTU NAT NFS NIC NTP NVME OK OOM OS PDB PID PR PVC PV QA QPS RAM RBAC RCA REST RPC RPS RTT SDK SLA SLI SLO SMTP SQL SRE
  SSD SSH SSL SSO TCP TLS TSDB TTL UDP UI UID URI URL UTC UUID VM VPA VPC VPN WAL XML YAML US EU I/O ALERT NOT AND OR NO ALL ONLY ANY IS BUT`);

const PLAIN =
  words(`e.g i.e e.g. i.e. etc. vs. a.m p.m a.m. p.m. z.b z.b. d.h d.h. u.a p.ej and/or und/oder et/ou y/o n/a i/o w/o tcp/ip client/server read/write
  yes/no on/off up/down true/false cpu/memory input/output either/or his/her he/she`);

const PREFIXES =
  words(`non pre post self multi cross re un over under sub super semi anti co ex mid well so auto ultra inter intra micro one two three four
  five six high low long short first second third fast slow near full half all single double`);
const SUFFIXES =
  words(`based related only wide level specific side time bound induced triggered driven like free ready aware safe facing term running
  scale heavy light less able down up out off in away over long old day hour minute second week month term to on by per`);
const COMMON =
  words(`a access active after alert all an and any app application as at availability back backed bad balancer based before behind bottleneck
  bottom build by cache call cascading case cause check client cluster code cold config configuration connection container control cpu crash crashing
  current data database day deadlock death default delay deploy deployment depth disk down downstream due early edge end error event exhaustion existing
  fail failed failing failover failure far fetch file first fix flight follow for free from front full garbage good grained growth hand handshake health heap
  high host hot hour image in incident index instance io is job key kill killed killer kind known last latency layer lead leak less level life limit line
  liveness load local lock log long loop looping low machine main max mean memory metric min minute miss month mostly multi name namespace near network new
  next no node not now of off old on one only open or order out over owner page partial peak per plane pod pool pressure probe process production proxy
  pull queue quota rate read readiness real remote replica request required resource response restart restarts retry right rollback rolling root round run
  runner running s scale scheduled second secret server service set short shut side single size slow soft source space spike stage start startup state
  step stop storage store stuck swap system table task test the thread throttling through time timeout to tool top traffic trip try type under unit up
  update upstream usage use user value volume wait warm warning web week well wide with work worker workload write year yet zone mail ins add plug`);

const KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    StatefulSet: 'sts statefulset statefulsets statefulset.apps statefulsets.apps',
    DaemonSet: 'ds daemonset daemonsets daemonset.apps daemonsets.apps',
    ReplicaSet: 'rs replicaset replicasets replicaset.apps replicasets.apps',
    CronJob: 'cj cronjob cronjobs cronjob.batch cronjobs.batch',
    ConfigMap: 'cm configmap configmaps',
    PersistentVolumeClaim: 'pvc persistentvolumeclaim persistentvolumeclaims',
    PersistentVolume: 'pv persistentvolume persistentvolumes',
    ServiceAccount: 'sa serviceaccount serviceaccounts',
    NetworkPolicy: 'netpol networkpolicy networkpolicies',
    HorizontalPodAutoscaler: 'hpa horizontalpodautoscaler horizontalpodautoscalers',
    PodDisruptionBudget: 'pdb poddisruptionbudget poddisruptionbudgets',
    ResourceQuota: 'resourcequota resourcequotas',
    LimitRange: 'limitrange limitranges',
  }).flatMap(([kind, forms]) => forms.split(' ').map((form) => [form, `kind:${kind}`] as const)),
);
