import { fileURLToPath } from 'node:url';

/** Which of its tools the server annotates as read-only or changing. */
export type Declares = 'all' | 'half' | 'nothing';

export const READING_TOOLS = ['disk_usage', 'node_status'];

export const CHANGING_TOOLS = [
  'cordon',
  'drain',
  'uncordon',
  'taint',
  'cleanup',
  'prune',
  'wipe',
  'purge',
  'silence',
  'acknowledge',
  'failover',
  'switchover',
  'resolve',
  'page',
  'escalate',
  'restart',
  'reboot',
  'scale',
  'rollback',
  'evict',
  'kill_process',
  'truncate_log',
  'vacuum',
  'flush_cache',
  'rotate_log',
  'resize_disk',
  'disable_alert',
  'mute',
  'run_playbook',
  'disk_usage_reset',
];

const SERVER = fileURLToPath(new URL('./changing-server.ts', import.meta.url));

/** Configuration of the server in changing-server.ts. @param toolLog file that gets a line for each call */
export function changingServer(declares: Declares, toolLog: string, rules: Record<string, unknown> = {}) {
  const args = ['--disable-warning=ExperimentalWarning', SERVER, declares];
  return {
    transport: { type: 'stdio', command: process.execPath, args, env: { TOOL_LOG: toolLog } },
    ...rules,
  };
}
