/** Vocabulary of the generated alerts. SQL picks words by their number. */
const SERVICES =
  words(`payments-api checkout-web order-service inventory-sync user-profile search-indexer billing-worker
  email-sender image-resizer auth-gateway session-store report-builder price-engine cart-service fraud-detector shipping-api
  catalog-sync ledger-writer webhook-relay feature-flags`);
const ALERTS =
  words(`PodCrashLooping NodeDiskPressure HighLatencyP99 CertificateExpiringSoon KafkaConsumerLag PVCAlmostFull
  NamespaceTerminating DeploymentReplicasMismatch`);
const PROBLEMS = lines(`
  the container was OOMKilled after its memory limit of 512Mi was exceeded
  connection refused by the primary database on port 5432
  the readiness probe failed with HTTP 503 for ten minutes
  the certificate of the ingress expires within three days
  consumer lag grows because one partition is stuck on a poison message
  the disk of the node is 97% full with container logs
  a finalizer blocks the deletion of the namespace
  DNS lookups time out against kube-dns since the last rollout
  the new image fails to start because an environment variable is missing
  requests queue up behind a slow query without an index`);
const THOUGHTS = lines(`
  I should look at the state of the pod before I draw any conclusion from the alert itself.
  The events show repeated restarts, so the next step is to read the log of the previous container.
  Memory usage climbed steadily before the restart; that points at a leak rather than at a spike.
  The deployment was changed shortly before the alert, which makes the rollout the first suspect.
  Nothing in the log explains the failure, therefore I compare the configuration with the last working revision.
  The node itself is healthy and has no pressure conditions, so the cause lies within the workload.`);
const CALLS =
  words(`kubernetes.get_pod kubernetes.list_events kubernetes.read_log prometheus.query_range host.disk_usage
  host.processes argocd.get_application loki.search`);
const RESULTS = lines(`
  NAME READY STATUS RESTARTS AGE; phase Running, container state waiting, reason CrashLoopBackOff, back-off 5m0s
  Warning BackOff kubelet restarting failed container; Warning Unhealthy readiness probe failed with statuscode 503
  level=error msg="dial tcp 10.96.0.12:5432: connect: connection refused" attempt=5 elapsed=30.2s
  container_memory_working_set_bytes rose from 310Mi to 511Mi over 42 minutes and fell to 12Mi at the restart
  Filesystem Size Used Avail Use% Mounted on /dev/nvme0n1p1 100G 97G 3.0G 97% /var/lib/containerd
  revision 41 changed image tag v2.14.0 to v2.15.1 and removed the variable CACHE_TTL from the deployment`);

const array = (list: string[]) =>
  `array[${list.map((text) => `'${text.replaceAll("'", "''")}'`).join(', ')}]`;
/** Returns SQL that picks a list item by number. */
const pick = (list: string[], by: string) => `(${array(list)})[1 + (${by}) % ${list.length}]`;

/** SQL of a text that only session n contains, because real data contains rare words. */
const POD = `${pick(SERVICES, 'k')} || '-' || substr(md5(n::text), 1, 9) || '-' || substr(md5(n::text), 11, 5)`;
const FINGERPRINT = `md5('f' || n)`;
export const UNIQUE = `concat_ws(' ', ${POD}, ${FINGERPRINT}, n)`;

/**
 * SQL of the alert of session n of kind k, in Alertmanager's form. Without n, the text that the kind shares.
 */
export const ALERT = `format(E'{\\n  "status": "firing",\\n  "labels": {\\n    "alertname": "%s",\\n    "namespace": "team-%s",\\n    "pod": "%s",\\n    "node": "ip-10-0-%s-%s.ec2.internal",\\n    "severity": "%s",\\n    "cluster": "prod-%s"\\n  },\\n  "annotations": {\\n    "summary": "%s on %s",\\n    "description": "Since %s minutes %s. See the dashboard before you act; usage is %s%%_of_limit.",\\n    "runbook_url": "https://runbooks.example.com/%s.md"\\n  },\\n  "generatorURL": "https://prometheus.example.com/graph?g0.expr=up&id=%s",\\n  "fingerprint": "%s"\\n}',
  ${pick(ALERTS, 'k % 3 * (k % 7)')}, k % 23, ${POD}, k % 31, k % 251, ${pick(words('critical warning warning info'), 'k / 3')}, k % 4,
  ${pick(ALERTS, 'k % 3 * (k % 7)')}, ${pick(SERVICES, 'k')}, 5 + k % 55, ${pick(PROBLEMS, 'k / 3')}, 50 + k % 50, ${pick(ALERTS, 'k % 3 * (k % 7)')},
  n, ${FINGERPRINT})`;

/** SQL of the analysis of session n of kind k: Markdown. */
export const ANALYSIS = `format(E'## Summary\\n\\nPod \`%s\` is failing because %s.\\n\\n## Evidence\\n\\n- %s\\n- %s\\n\\n## Cause\\n\\n%s\\n\\n## Recommendation\\n\\n1. Roll back the deployment of **%s** to the last working revision.\\n2. Raise the limit and watch for %s hours.\\n3. Add an alert for the earlier symptom.',
  ${POD}, ${pick(PROBLEMS, 'k / 3')}, ${pick(RESULTS, 'k')}, ${pick(RESULTS, 'k / 5')}, ${pick(THOUGHTS, 'k / 7')}, ${pick(SERVICES, 'k')}, 1 + k % 48)`;

/** SQL of the type of item s of timeline k. */
export const TYPE = pick(
  words('LLM_THINKING LLM_TOOL_CALL LLM_TOOL_CALL MCP_TOOL_SUMMARY LLM_RESPONSE'),
  's',
);

/** SQL of the text of item s of timeline k. */
export const CONTENT = `case s % 5
  when 0 then ${pick(THOUGHTS, 'k + s % 2')} || ' ' || ${pick(THOUGHTS, 'k / 7 + s % 3')}
  when 3 then 'Summary of the result: ' || ${pick(RESULTS, 'k + s % 2')} || '; ' || ${pick(PROBLEMS, 'k / 3')}
  when 4 then 'Next I check ' || ${pick(SERVICES, 'k + s % 4')} || ' because ' || ${pick(PROBLEMS, 'k / 3')} || '.'
  else ${pick(CALLS, 'k + s % 3')} || ' {"name":"' || ${pick(SERVICES, 'k')} || '-' || (k * 31 + s % 6) % 9973 || '"} ' || ${pick(RESULTS, 'k / 5 + s % 2')} end`;

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function lines(text: string): string[] {
  return text.trim().split(/\n\s*/);
}
