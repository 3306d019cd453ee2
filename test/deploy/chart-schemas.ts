import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { RE2JS } from 're2js';
import { parse } from 'yaml';
import { CUSTOM_RESOURCES } from './chart.ts';
import type { Manifest } from './render.ts';

/** True if the schemas of custom resources are here. */
export const HAS_CUSTOM_RESOURCES = existsSync(join(CUSTOM_RESOURCES, 'keda.sh_scaledobjects.yaml'));

/** Kinds that Kubernetes itself does not have, so that only custom resources describe them. */
export const CUSTOM_KINDS = ['HTTPRoute', 'PrometheusRule', 'ScaledObject', 'ServiceMonitor'];

/** Compiles a pattern as the API server does, which is written in Go. */
const goRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text: string) => compiled.matcher(text).find() };
  },
  { code: 'goRegExp' },
);

/** Returns what in these custom resources their definitions do not allow; also keys that a cluster would drop. */
export function customProblems(manifests: readonly Manifest[]): string[] {
  const definitions = globSync('*.yaml', { cwd: CUSTOM_RESOURCES }).map((file) =>
    parse(readFileSync(join(CUSTOM_RESOURCES, file), 'utf8')),
  );
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    formats: { 'date-time': true, int32: true, int64: true },
    code: { regExp: goRegExp },
  });
  return manifests.flatMap((manifest) => {
    const definition = definitions.find(({ spec }) => spec.names.kind === manifest.kind);
    const version = definition?.spec.versions.find(
      ({ name }: Manifest) => manifest.apiVersion === `${definition.spec.group}/${name}`,
    );
    if (!version) return [`${manifest.kind}: no definition of ${manifest.apiVersion}`];
    const { metadata: _, ...properties } = version.schema.openAPIV3Schema.properties;
    const check = ajv.compile(
      closed({ ...version.schema.openAPIV3Schema, properties: { ...properties, metadata: {} } }),
    );
    return check(manifest)
      ? []
      : check.errors!.map(({ instancePath, message, params }) =>
          [manifest.kind, instancePath, message, JSON.stringify(params)].join(' '),
        );
  });
}

/** Returns the schema with no further keys in any object that names its keys. */
function closed(schema: Manifest): Manifest {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  if (inner['x-kubernetes-int-or-string'] === true) return { type: ['integer', 'string'] };
  const isObject = schema.type === 'object' && schema.properties !== undefined;
  return isObject && schema.additionalProperties === undefined
    ? { ...inner, additionalProperties: false }
    : inner;
}
