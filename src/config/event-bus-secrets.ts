import type { EnvironmentRecord } from './env.ts';
import type { ConfigIssue } from './errors.ts';
import type { TarsyFile } from './schema.ts';
import type { SourceFile } from './source-file.ts';

/** Keys that name the variable of a login, with the form of its value. */
const LOGINS = [
  { key: 'password_env', name: 'passwordEnv', form: /^/, expected: '' },
  { key: 'token_env', name: 'tokenEnv', form: /^/, expected: '' },
  {
    key: 'nkey_env',
    name: 'nkeyEnv',
    form: /^SU[A-Z2-7]{56}$/,
    expected: 'the seed of a user’s NKey: SU and 56 further characters',
  },
  {
    key: 'credentials_env',
    name: 'credentialsEnv',
    form: /BEGIN NATS USER JWT[\s\S]+BEGIN USER NKEY SEED[\s\S]+END USER NKEY SEED/,
    expected: 'the text of a credentials file, with JWT and NKey seed',
  },
] as const;

/** Returns an issue for each variable of `events.nats` that is missing or unusable. Never shows a value. */
export function checkEventBusSecrets(
  { source, value }: { source: SourceFile | null; value: TarsyFile | null },
  env: EnvironmentRecord,
): ConfigIssue[] {
  const { bus = 'postgres', nats = null } = value?.events ?? {};
  if (source === null || nats === null || bus !== 'nats') return [];
  return LOGINS.flatMap(({ key, name, form, expected }) => {
    const variable = nats[name];
    if (variable === null) return [];
    const written = env[variable]?.trim();
    const problem = !written
      ? `environment variable ${variable} is not set`
      : form.test(written)
        ? null
        : `environment variable ${variable} is not ${expected}`;
    return problem === null ? [] : [source.issue(['events', 'nats', key], problem)];
  });
}
