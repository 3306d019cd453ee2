import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** The exit code that shells use for a program that cannot be started. */
const CANNOT_START = 126;

/**
 * Runs the program `path` in place of this one. If Node has `execve`, replaces this process, so that no parent has to
 * forward signals. Otherwise runs a child process and exits as the child does.
 */
export function become(path, args, env) {
  if (typeof process.execve === 'function') process.execve(path, [path, ...args], env);
  runAsChild(path, args, env);
}

/** Runs the program as a child, for a Node without execve. */
function runAsChild(path, args, env) {
  const child = spawn(path, args, { env, stdio: 'inherit' });
  const forward = (signal) => {
    // The terminal sends Ctrl-C to the child too. The child could take a second signal as a request to stop
    // at once.
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
    // Ends by the child's signal, so that the parent sees the signal. If this process ignores that signal,
    // exits as a shell would.
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 200);
  });
}

/** Returns true if the terminal sends Ctrl-C to this process group, and so to the child. */
function inForeground() {
  try {
    // Fields of /proc/self/stat after the process name: state ppid pgrp session tty_nr tpgid
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[5]) > 0 && fields[5] === fields[2];
  } catch {
    return process.stdin.isTTY === true;
  }
}
