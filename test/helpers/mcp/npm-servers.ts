import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { McpServerSettings } from '../../../src/mcp/types.ts';

const require = createRequire(import.meta.url);
const folderOf = (packageJson: string) => dirname(require.resolve(packageJson));

/** Programs of third-party MCP servers, as npm installed them. */
export const NPM_SERVERS = {
  everything: join(folderOf('@modelcontextprotocol/server-everything/package.json'), 'dist/index.js'),
  filesystem: join(folderOf('@modelcontextprotocol/server-filesystem/package.json'), 'dist/index.js'),
  memory: join(folderOf('@modelcontextprotocol/server-memory/package.json'), 'dist/index.js'),
  kubernetes: join(folderOf('kubernetes-mcp-server/package.json'), 'bin/index.js'),
} as const;

/** Settings of a third-party server over stdio; its id is its name. */
export function npmServer(
  name: keyof typeof NPM_SERVERS,
  args: string[] = [],
  env: Record<string, string> = {},
): McpServerSettings {
  return {
    id: name,
    transport: { type: 'stdio', command: process.execPath, args: [NPM_SERVERS[name], ...args], env },
  };
}

const PATHS = { http: '/mcp', sse: '/sse' } as const;

export interface HttpEverything {
  settings: McpServerSettings;
  close(): Promise<void>;
}

/** Starts server-everything as its own process, over streamable HTTP or SSE, on a free loopback port. */
export async function startEverything(type: keyof typeof PATHS): Promise<HttpEverything> {
  const mode = type === 'http' ? 'streamableHttp' : 'sse';
  const preload = resolve(import.meta.dirname, 'loopback-preload.ts');
  const server = spawn(process.execPath, ['--import', preload, NPM_SERVERS.everything, mode], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const exited = once(server, 'exit');
  const [{ port }] = (await Promise.race([
    once(server, 'message'),
    exited.then(() => Promise.reject(new Error('server-everything did not start'))),
  ])) as [{ port: number }];
  return {
    settings: { id: 'everything', transport: { type, url: `http://127.0.0.1:${port}${PATHS[type]}` } },
    async close() {
      server.kill('SIGKILL');
      await exited;
    },
  };
}
