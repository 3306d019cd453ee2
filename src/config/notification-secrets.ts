import type { EnvironmentRecord } from './env.ts';
import type { ConfigIssue } from './errors.ts';
import type { TarsyFile } from './schema.ts';
import type { SourceFile } from './source-file.ts';

/** Sizes of a secret that Standard Webhooks allows (bytes). */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/** Returns an issue for each environment variable of a channel or write-back that is missing or unusable. Never shows a value. */
export function checkNotificationSecrets(
  { source, value }: { source: SourceFile | null; value: TarsyFile | null },
  env: EnvironmentRecord,
): ConfigIssue[] {
  if (source === null || value === null) return [];
  return [...checkChannels(source, value, env), ...checkWriteBacks(source, value, env)];
}

function checkWriteBacks(source: SourceFile, { intake }: TarsyFile, env: EnvironmentRecord): ConfigIssue[] {
  return Object.entries(intake.sources).flatMap(([name, { writeBack }]) => {
    const issue = (key: string, variable: string) => {
      const problem = missing(variable, env);
      return problem === null ? [] : [source.issue(['intake', 'sources', name, 'write_back', key], problem)];
    };
    if (writeBack === null) return [];
    return [
      ...issue('token_env', writeBack.tokenEnv),
      ...(writeBack.kind === 'datadog' ? issue('application_key_env', writeBack.applicationKeyEnv) : []),
    ];
  });
}

function checkChannels(source: SourceFile, value: TarsyFile, env: EnvironmentRecord): ConfigIssue[] {
  return Object.entries(value.notifications.channels).flatMap(([name, channel]) => {
    const issue = (key: string | number, problem: string | null, ...more: (string | number)[]) =>
      problem === null ? [] : [source.issue(['notifications', 'channels', name, key, ...more], problem)];
    if (channel.kind === 'email')
      return channel.passwordEnv === null ? [] : issue('password_env', missing(channel.passwordEnv, env));
    if (channel.kind === 'slack') return issue('token_env', missing(channel.tokenEnv, env));
    if (channel.kind === 'webhook')
      return channel.secretsEnv.flatMap((variable, index) =>
        issue('secrets_env', missing(variable, env) ?? secretProblem(variable, env), index),
      );
    return issue(
      'url_env',
      missing(channel.urlEnv, env) ?? urlProblem(channel.urlEnv, env, channel.allowPrivate),
    );
  });
}

function missing(variable: string, env: EnvironmentRecord): string | null {
  return env[variable] ? null : `environment variable ${variable} is not set`;
}

function secretProblem(variable: string, env: EnvironmentRecord): string | null {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(env[variable] ?? '') ?? [];
  const bytes = encoded === undefined ? 0 : Buffer.from(encoded, 'base64').length;
  return bytes >= MIN_SECRET_BYTES && bytes <= MAX_SECRET_BYTES
    ? null
    : `environment variable ${variable} is no secret of Standard Webhooks: expected whsec_ and ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes in base64, such as \`echo whsec_$(openssl rand -base64 32)\` prints`;
}

function urlProblem(variable: string, env: EnvironmentRecord, allowPrivate: boolean): string | null {
  const protocol = URL.parse(env[variable] ?? '')?.protocol;
  if (protocol === 'https:' || (protocol === 'http:' && allowPrivate)) return null;
  return protocol === 'http:'
    ? `the URL in environment variable ${variable} must begin with https://; http:// needs allow_private: true`
    : `environment variable ${variable} holds no URL that begins with https://`;
}
