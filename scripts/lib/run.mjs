import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** What shells answer when a program cannot be started. */
const CANNOT_START = 126;

/**
 * Becomes `path` with `args`: replaces this process where Node can, which leaves nobody in between to pass signals on;
 * otherwise runs it as a child and ends as it ends.
 */
export function become(path, args, env) {
  if (typeof process.execve === 'function') process.execve(path, [path, ...args], env);
  runAsChild(path, args, env);
}

/** The way of a Node that has no execve. */
function runAsChild(path, args, env) {
  const child = spawn(path, args, { env, stdio: 'inherit' });
  const forward = (signal) => {
    // The terminal has sent its Ctrl-C to the child as well; a second one could read as "at once".
    if (signal === 'SIGINT' && inForeground()) return;
    child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  child.once('error', (error) => {
    console.error(`Node could not be started: ${error.message}`);
    process.exit(CANNOT_START);
  });
  child.once('exit', (code, signal) => {
    for (const name of FORWARDED) process.removeListener(name, forward);
    if (signal === null) process.exit(code);
    // End the same way, so that whoever waits for us sees the signal. Should it be ignored here, the shells' number.
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 200);
  });
}

/** Whether a Ctrl-C at a terminal reaches our whole process group, the child included. */
function inForeground() {
  try {
    // Fields after the name: state ppid pgrp session tty_nr tpgid
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[5]) > 0 && fields[5] === fields[2];
  } catch {
    return process.stdin.isTTY === true;
  }
}
