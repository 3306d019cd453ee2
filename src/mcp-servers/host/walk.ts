import type { Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** The unit of stat's `blocks`, independent of the file system's block size. */
const STAT_BLOCK_BYTES = 512;
/** Number of entries examined at once. Keeps the thread pool busy without loading a huge directory into memory. */
const BATCH = 64;

interface WalkedDirectory {
  path: string;
  bytes: number;
  files: number;
  largestChild: number;
}

interface WalkedFile {
  path: string;
  bytes: number;
  modified: Date;
}

export interface WalkResult {
  directories: WalkedDirectory[];
  /** The largest files, at most `topFiles`, largest first. */
  files: WalkedFile[];
  entries: number;
  denied: number;
  /** The limit that ended the walk early, as text; `null` if the walk is complete. */
  stopped: string | null;
  /** Number of directories that were found but not reached before the limit. */
  unvisited: number;
  elapsedMs: number;
}

export interface WalkLimits {
  timeLimitMs: number;
  entryLimit: number;
  topFiles: number;
  signal: AbortSignal;
}

interface Node extends WalkedDirectory {
  parent: Node | null;
}

/** Walks a tree breadth first, without following links or entering other file systems. Hard links count once. */
export async function walk(root: string, limits: WalkLimits): Promise<WalkResult> {
  const started = performance.now();
  const device = (await lstat(root)).dev;
  const queue: Node[] = [newNode(root, null)];
  const nodes: Node[] = [];
  const files: WalkedFile[] = [];
  const linked = new Set<string>();
  const result = { entries: 0, denied: 0, stopped: null as string | null };

  const limitReached = () => {
    limits.signal.throwIfAborted();
    if (result.entries >= limits.entryLimit) return `${limits.entryLimit} entries`;
    return performance.now() - started >= limits.timeLimitMs ? `${limits.timeLimitMs / 1000} s` : null;
  };

  const account = (node: Node, path: string, stats: Stats) => {
    if (stats.isDirectory()) {
      if (stats.dev === device) queue.push(newNode(path, node));
      return;
    }
    if (stats.nlink > 1) {
      const id = `${stats.dev}:${stats.ino}`;
      if (linked.has(id)) return;
      linked.add(id);
    }
    const bytes = stats.blocks * STAT_BLOCK_BYTES;
    node.bytes += bytes;
    node.files += 1;
    if (stats.isFile()) keepLargest(files, { path, bytes, modified: stats.mtime }, limits.topFiles);
  };

  let head = 0;
  for (; head < queue.length && result.stopped === null; head += 1) {
    const node = queue[head];
    if (node === undefined) break;
    nodes.push(node);
    try {
      for await (const batch of batches(node.path)) {
        const stats = await Promise.all(batch.map((path) => lstat(path).catch(() => null)));
        batch.forEach((path, index) => {
          const entry = stats[index];
          if (entry) account(node, path, entry);
        });
        result.entries += batch.length;
        result.stopped = limitReached();
        if (result.stopped !== null) break;
      }
    } catch (error) {
      limits.signal.throwIfAborted();
      if (error instanceof Error) result.denied += 1;
    }
  }
  sumUp(nodes);
  return {
    ...result,
    directories: nodes,
    files,
    unvisited: queue.length - head,
    elapsedMs: performance.now() - started,
  };
}

function newNode(path: string, parent: Node | null): Node {
  return { path, parent, bytes: 0, files: 0, largestChild: 0 };
}

async function* batches(path: string): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const entry of await opendir(path, { bufferSize: BATCH })) {
    batch.push(join(path, entry.name));
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Adds sizes to parents in one pass from the end, because children come after parents in breadth-first order. */
function sumUp(nodes: readonly Node[]): void {
  for (const node of nodes.toReversed()) {
    if (node.parent === null) continue;
    node.parent.bytes += node.bytes;
    node.parent.files += node.files;
    node.parent.largestChild = Math.max(node.parent.largestChild, node.bytes);
  }
}

function keepLargest(files: WalkedFile[], file: WalkedFile, limit: number): void {
  const last = files.at(-1);
  if (files.length >= limit && last !== undefined && last.bytes >= file.bytes) return;
  const at = files.findIndex((other) => other.bytes < file.bytes);
  files.splice(at < 0 ? files.length : at, 0, file);
  if (files.length > limit) files.pop();
}
