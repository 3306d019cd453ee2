import type { Manifest } from './render.ts';

/** Matches a variable in a compose file as Compose interpolates it: `${NAME}`, `${NAME:-default}`, `${NAME:?message}`. */
const VARIABLE = /\$\{(\w+)(?::-([^}]*)|:\?([^}]*))?\}/g;

/** Interpolates variables as `docker compose config` does. @throws Error for a required variable that is not set */
export function interpolate(value: Manifest, env: Readonly<Record<string, string>>): Manifest {
  if (Array.isArray(value)) return value.map((item) => interpolate(item, env));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, env)]));
  if (typeof value !== 'string') return value;
  return value.replaceAll(VARIABLE, (_, name: string, usual?: string, message?: string) => {
    const given = env[name] ?? '';
    if (given === '' && message !== undefined) throw new Error(`${name}: ${message}`);
    return given === '' ? (usual ?? '') : given;
  });
}

/** Returns the names of the services whose environment contains the text. */
export function receivers(compose: Manifest, text: string): string[] {
  return Object.entries<Manifest>(compose.services)
    .filter(([, { environment = {} }]) =>
      Object.values(environment).some((value) => String(value).includes(text)),
    )
    .map(([name]) => name);
}
