import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { expect } from 'vitest';

/** A mail that the server accepted. */
export interface ReceivedMail {
  from: string;
  to: string[];
  isEncrypted: boolean;
  user: string | undefined;
  /** Header values by name in lower case, unfolded. */
  headers: Record<string, string>;
  /** Decoded parts by media type. */
  parts: Record<string, string>;
}

/** An SMTP server with STARTTLS, whose certificate this process trusts. User `tarsy` has the password `mail-secret`. */
export interface MailServer {
  port: number;
  mails: ReceivedMail[];
  nth(count: number): Promise<ReceivedMail>;
  close(): Promise<void>;
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    ...certificate(),
    authOptional: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'tarsy' && password === 'mail-secret'
        ? done(null, { user: username })
        : done(new Error('no such user')),
    onData(stream, { envelope, secure, user }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({
          from,
          to,
          isEncrypted: secure,
          user,
          ...parse(Buffer.concat(chunks).toString('latin1')),
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {}); // of connections that tests break
  const listening = server.listen(0, '127.0.0.1') as Server;
  await once(listening, 'listening');
  return {
    port: (listening.address() as AddressInfo).port,
    mails,
    async nth(count) {
      await expect.poll(() => mails.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
      return mails[count - 1]!;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Creates a certificate for `localhost` and 127.0.0.1, and trusts it in this process. */
function certificate(): { key: string; cert: string } {
  const dir = mkdtempSync(join(tmpdir(), 'tarsy-mail-'));
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const files = ['-keyout', 'key.pem', '-out', 'cert.pem'];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names, ...files];
  execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
  const [key, cert] = ['key.pem', 'cert.pem'].map((file) => readFileSync(join(dir, file), 'utf8'));
  rmSync(dir, { recursive: true });
  setDefaultCACertificates([...getCACertificates('default'), cert!]);
  return { key: key!, cert: cert! };
}

function parse(raw: string): Pick<ReceivedMail, 'headers' | 'parts'> {
  const { headers, body } = split(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return { headers, parts: {} };
  const sections = body.split(`--${boundary}`).slice(1, -1).map(split);
  const parts = sections.map((part) => [part.headers['content-type']!.split(';')[0]!, decode(part)] as const);
  return { headers, parts: Object.fromEntries(parts) };
}

function split(raw: string): { headers: Record<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .trim()
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: Object.fromEntries(headers), body: raw.slice(end + 4) };
}

function decode({ headers, body }: ReturnType<typeof split>): string {
  const encoding = headers['content-transfer-encoding']?.toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString();
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
