import { basename } from 'node:path';
import { installCommand, PrerequisiteError, type PythonInterpreter } from './prerequisites.ts';

const NO_VENV = /ensurepip is not\s+available|No module named '?(venv|ensurepip)/i;
/** Also matches pip's message if it has neither network nor a cached package. */
const NO_ROUTE =
  /NewConnectionError|ConnectTimeout|ReadTimeout|ConnectionError|ProxyError|SSLError|name resolution|Name or service not known|Network is unreachable|Connection refused|Could not fetch URL|from versions: none/i;
const WRONG_HASH = /DO NOT MATCH THE HASHES/i;

/** Turns the output of `python -m venv` into a one-line error that says what to do. */
export function venvProblem(output: string, { command, version }: PythonInterpreter): PrerequisiteError {
  if (NO_VENV.test(output)) {
    // Debian names the package after the interpreter that it is for.
    const name = /^python3(\.\d+)?$/.test(basename(command)) ? basename(command) : `python${version}`;
    return new PrerequisiteError(
      'PYTHON_VENV_MISSING',
      `Python ${version} lacks its venv module: run ${installCommand(`${name}-venv`)}`,
    );
  }
  return new PrerequisiteError(
    'PYTHON_PACKAGES_FAILED',
    `The Python environment could not be made: ${lastLine(output)}`,
  );
}

/** Turns the output of pip into a one-line error that says what to do. */
export function pipProblem(output: string): PrerequisiteError {
  if (WRONG_HASH.test(output)) {
    return new PrerequisiteError(
      'PYTHON_PACKAGES_FAILED',
      'A Python package differs from the one in llm-service/requirements.lock, and was refused: clear the cache (python3 -m pip cache purge) and start again',
    );
  }
  if (NO_ROUTE.test(output)) {
    return new PrerequisiteError(
      'PACKAGE_REGISTRY_UNREACHABLE',
      'The Python packages cannot be fetched, there is no route to a package registry: check the network, or run export HTTPS_PROXY=… (or PIP_INDEX_URL=…), and start again',
    );
  }
  return new PrerequisiteError(
    'PYTHON_PACKAGES_FAILED',
    `The Python packages could not be installed: ${lastLine(output)}`,
  );
}

/** Returns the most telling line, without URLs, which may contain a mirror's password. */
function lastLine(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const line =
    lines.findLast((candidate) => candidate.startsWith('ERROR')) ??
    lines.findLast((candidate) => candidate !== '');
  return (line ?? 'no reason given').replace(/\b[a-z+]+:\/\/\S+/gi, '<address>').slice(0, 500);
}
