// Loaded into a worker before all other code. Makes the name `database.test` resolve to this machine; while
// the file at NAME_OUTAGE exists, the name does not resolve.
import dns from 'node:dns';
import { existsSync } from 'node:fs';

const lookup = dns.lookup;
dns.lookup = (host, options, callback) => {
  const done = callback ?? options;
  if (host !== 'database.test') return lookup(host, options, callback);
  if (!existsSync(process.env.NAME_OUTAGE)) return lookup('127.0.0.1', options, callback);
  const error = new Error(`getaddrinfo EAI_AGAIN ${host}`);
  process.nextTick(done, Object.assign(error, { code: 'EAI_AGAIN', syscall: 'getaddrinfo', hostname: host }));
};
