import { basename } from 'node:path';
import { MachineError } from './errors.ts';
import { installCommand, type PythonInterpreter } from './python.ts';

const NO_VENV = /ensurepip is not\s+available|No module named '?(venv|ensurepip)/i;
/** Matches network errors, also pip's message if it has neither network nor a cached package. */
const NO_ROUTE =
  /NewConnectionError|ConnectTimeout|ReadTimeout|ConnectionError|ProxyError|SSLError|name resolution|Name or service not known|Network is unreachable|Connection refused|Could not fetch URL|from versions: none/i;
const WRONG_HASH = /DO NOT MATCH THE HASHES/i;

export function venvProblem(output: string, interpreter: PythonInterpreter): MachineError {
  if (NO_VENV.test(output)) return venvMissing(interpreter);
  return packagesFailed(`The Python environment could not be created: ${lastLine(output)}`);
}

export function venvMissing({ command, version }: PythonInterpreter): MachineError {
  // Debian names the venv package after its interpreter, such as python3.12-venv.
  const name = /^python3(\.\d+)?$/.test(basename(command)) ? basename(command) : `python${version}`;
  return new MachineError(
    'PYTHON_VENV_MISSING',
    `Python ${version} lacks its venv module: run ${installCommand(`${name}-venv`)}`,
  );
}

export function pipProblem(output: string): MachineError {
  if (WRONG_HASH.test(output)) {
    return packagesFailed(
      'A Python package differs from the one in llm-service/requirements.lock, and was refused: clear the cache (python3 -m pip cache purge) and start again',
    );
  }
  if (NO_ROUTE.test(output)) {
    return new MachineError(
      'PACKAGE_REGISTRY_UNREACHABLE',
      'The Python packages cannot be fetched, because no package registry is reachable or none has them for this Python: check the network, or run export HTTPS_PROXY=… (or PIP_INDEX_URL=…), and start again',
    );
  }
  return packagesFailed(`The Python packages could not be installed: ${lastLine(output)}`);
}

const packagesFailed = (message: string) => new MachineError('PYTHON_PACKAGES_FAILED', message);

/**
 * Returns pip's last line that starts with ERROR, else its last line. Removes URLs, because they may contain passwords.
 */
function lastLine(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const line =
    lines.findLast((candidate) => candidate.startsWith('ERROR')) ??
    lines.findLast((candidate) => candidate !== '');
  return (line ?? 'no reason given').replace(/\b[a-z+]+:\/\/\S+/gi, '<address>').slice(0, 500);
}
