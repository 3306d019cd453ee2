import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const OWN_BUILD = resolve(import.meta.dirname, '../../.tarsy/tools/oauth2-proxy');

/**
 * Path of oauth2-proxy: from OAUTH2_PROXY, from the PATH, or the build of `.ci/run`. `null` if there is none.
 */
export function findOauth2Proxy(): string | null {
  const candidates = [process.env.OAUTH2_PROXY ?? '', 'oauth2-proxy', OWN_BUILD];
  const answers = (program: string) => spawnSync(program, ['--version']).status === 0;
  return (
    candidates.find((each) => each !== '' && (!each.startsWith('/') || existsSync(each)) && answers(each)) ??
    null
  );
}

export interface Oauth2Proxy {
  url: string;
  /** Logs a user in with the form that a browser sends. @returns the Cookie header of the login */
  login(user: string, password: string): Promise<string>;
  stop(): Promise<void>;
}

const DEPLOY = resolve(import.meta.dirname, '../../deploy');
/** Settings of oauth2-proxy in the shipped deployments. */
const CONFIGS = {
  compose: join(DEPLOY, 'compose/oauth2-proxy.cfg'),
  kustomize: join(DEPLOY, 'kustomize/base/config/oauth2-proxy.cfg'),
};

export interface Oauth2ProxyOptions {
  /** Deployment whose settings apply, or the text of such settings. Default: compose. */
  settings?: keyof typeof CONFIGS | { text: string };
  /** Path below which the proxy serves, as the settings have it. Default: the root. */
  subPath?: string;
  /** Lifetime of a sign-in, such as `20s`. Default: a week. */
  cookieExpire?: string;
}

/** Starts oauth2-proxy in front of `upstream`, with a deployment's settings and test users. */
export async function startOauth2Proxy(
  program: string,
  upstream: string,
  users: Record<string, string>,
  { settings = 'compose', subPath = '', cookieExpire = '168h' }: Oauth2ProxyOptions = {},
): Promise<Oauth2Proxy> {
  const dir = mkdtempSync(join(tmpdir(), 'tarsy-oauth2-'));
  const passwords = Object.entries(users).map(([user, password]) => `${user}:{SHA}${sha1(password)}`);
  if (typeof settings === 'object') writeFileSync(join(dir, 'settings.cfg'), settings.text);
  const config = typeof settings === 'object' ? join(dir, 'settings.cfg') : CONFIGS[settings];
  writeFileSync(join(dir, 'users'), `${passwords.join('\n')}\n`);
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const child = spawn(
    program,
    [
      `--config=${config}`,
      `--custom-templates-dir=${join(DEPLOY, 'kustomize/base/sign-in')}`,
      `--cookie-expire=${cookieExpire}`,
      '--cookie-refresh=0',
      '--provider=github',
      `--http-address=${address}`,
      `--upstream=${upstream}`,
      `--htpasswd-file=${join(dir, 'users')}`,
      `--cookie-secret=${'0123456789abcdef'.repeat(2)}`,
      '--cookie-secure=false',
      '--client-id=unused',
      '--client-secret=unused',
      '--email-domain=*',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const exited = once(child, 'exit');
  await untilListening(child, url);
  return {
    url,
    async login(user, password) {
      const form = new URLSearchParams({ username: user, password, rd: '/' });
      const response = await fetch(`${url}${subPath}/oauth2/sign_in`, {
        method: 'POST',
        body: form,
        redirect: 'manual',
      });
      const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]!);
      if (response.status !== 302) throw new Error(`the login was answered ${response.status}`);
      return cookies.join('; ');
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(dir, { recursive: true });
    },
  };
}

/** Returns the htpasswd form of a password that every version accepts. Test passwords need no strong hash. */
function sha1(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}

/** Time between connection attempts (ms), because oauth2-proxy does not report when it listens. */
const TRY_EVERY_MS = 50;

async function untilListening(child: ChildProcess, url: string): Promise<void> {
  const said: string[] = [];
  for (const stream of [child.stdout!, child.stderr!])
    createInterface({ input: stream }).on('line', (line) => said.push(line));
  for (;;) {
    if (child.exitCode !== null) throw new Error(`oauth2-proxy at ${url} ended:\n${said.join('\n')}`);
    const answer = await fetch(`${url}/ping`).catch(() => null);
    if (answer?.ok) return;
    await delay(TRY_EVERY_MS);
  }
}
