import { existsSync } from 'node:fs';
import { join } from 'node:path';

const MIN_MAJOR = 24;

/** Paths of glibc's loader by architecture. Without it, as on musl systems, the npm package's Node cannot run. */
const LOADERS = { x64: '/lib64/ld-linux-x86-64.so.2', arm64: '/lib/ld-linux-aarch64.so.1' };

/**
 * Returns the Node to run TARSy with: the installed npm package, otherwise the current Node if it is recent enough.
 * @param {string} root the project's folder
 * @param {{ platform: string, arch: string, version: string, execPath: string }} current
 * @returns {{ path: string } | { problem: string }}
 */
export function chooseNode(
  root,
  current = {
    platform: process.platform,
    arch: process.arch,
    version: process.versions.node,
    execPath: process.execPath,
  },
) {
  if (!existsSync(join(root, 'node_modules')))
    return { problem: 'The packages are not installed: run npm ci' };
  if (current.platform === 'linux') {
    const pinned = join(root, 'node_modules', `node-linux-${current.arch}`, 'bin', 'node');
    if (existsSync(pinned) && existsSync(LOADERS[current.arch] ?? '')) return { path: pinned };
  }
  if (Number(current.version.split('.')[0]) >= MIN_MAJOR) return { path: current.execPath };
  const mend =
    current.platform === 'linux' && current.arch in LOADERS && existsSync(LOADERS[current.arch])
      ? 'run npm ci (without --omit=optional), which brings it'
      : `install Node ${MIN_MAJOR} (for example: nvm install ${MIN_MAJOR})`;
  return { problem: `TARSy needs Node ${MIN_MAJOR} or newer and this is ${current.version}: ${mend}` };
}
