export interface ToolName {
  server: string;
  tool: string;
}

/** Replaces the dot in function names, because providers do not allow dots. */
const FUNCTION_SEPARATOR = '__';
/** The lowest limit of all providers for a function name. */
const MAX_FUNCTION_NAME = 64;
const PART = /^[A-Za-z0-9_-]{1,64}$/;

export function canonicalName(name: ToolName): string {
  return `${name.server}.${name.tool}`;
}

/** Returns the name for function-calling models, `server__tool`. */
export function toFunctionName(canonical: string): string {
  return canonical.replace('.', FUNCTION_SEPARATOR);
}

/** Splits `server.tool` at its first dot, else `server__tool` at its first double underscore; `null` if invalid. */
export function parseToolName(text: string): ToolName | null {
  const name = text.trim();
  const separator = name.includes('.') ? '.' : FUNCTION_SEPARATOR;
  const at = name.indexOf(separator);
  if (at < 0) return null;
  const server = name.slice(0, at);
  const tool = name.slice(at + separator.length);
  return PART.test(server) && PART.test(tool) ? { server, tool } : null;
}

/** Returns the reason why a tool of this name cannot be offered to every model; `null` if it can. */
export function toolNameProblem(name: ToolName): string | null {
  if (!PART.test(name.tool)) return 'the name is not made of 1 to 64 letters, digits, _ and -';
  return toFunctionName(canonicalName(name)).length > MAX_FUNCTION_NAME
    ? `the names of server and tool together are longer than ${MAX_FUNCTION_NAME} characters`
    : null;
}

/** Lists the first `max` names and the number of the others. */
export function listNames(names: readonly string[], max: number): string {
  return names.slice(0, max).join(', ') + (names.length > max ? ` and ${names.length - max} more` : '');
}
