import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';
import { lowestRoleWith, type Right } from '../access/rights.ts';
import type { Viewer } from '../access/viewer.ts';
import { isVisible } from '../access/visibility.ts';
import { ForbiddenError } from '../common/errors.ts';
import { TOKEN_SCOPES } from '../db/enums.ts';
import { type AccessRule, isNodeType, NODE_RULES, OPEN, ROOT_RULES } from './access-rules.ts';
import type { Context } from './context.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      accessRules: AccessRulesPlugin<Types>;
    }
  }
}

/** Scopes that the scope-auth plugin checks, one per right. ANY is true for a viewer with at least one right. */
export type AuthScopes = Record<Right | 'ANY', boolean>;

export function scopesOf({ rights }: Viewer): AuthScopes {
  const held = TOKEN_SCOPES.map((right) => [right, rights.has(right)]);
  return { ...Object.fromEntries(held), ANY: rights.size > 0 };
}

export function mayLookInto({ rights }: Viewer, type: string): boolean {
  return isNodeType(type) && NODE_RULES[type].some((right) => rights.has(right));
}

/** Gives each field its access rule, which the scope-auth plugin enforces. */
class AccessRulesPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const rule = ruleOf(field.parentType, field.name);
    if (rule === null) return field;
    // Checks the team of a session too, because a sender receives its session even if another team owns it.
    const isTeams = field.parentType === 'Session';
    const error = (object: Owned, _args: unknown, { viewer }: Context) =>
      isTeams && !isVisible(viewer.teams, object.team)
        ? new ForbiddenError(OTHER_TEAM, null)
        : forbidden(viewer, rule);
    const scopes = scopeMapOf(rule);
    const options = {
      ...field.pothosOptions,
      authScopes: isTeams
        ? (object: Owned, _args: unknown, { viewer }: Context) =>
            isVisible(viewer.teams, object.team) && scopes
        : scopes,
      unauthorizedError: error,
      // A refused mutation returns the error as a member of its result; if the result is a list, as its only item.
      ...(field.parentType === 'Mutation' && {
        unauthorizedResolver: (_root: unknown, _args: unknown, { viewer }: Context) => {
          const refusal = { declared: forbidden(viewer, rule) };
          return field.type.kind === 'List' ? [refusal] : refusal;
        },
      }),
    };
    return { ...field, pothosOptions: options } as unknown as PothosOutputFieldConfig<Types>;
  }

  /** @throws if a root field or node type has no rule, or a rule has no field or type */
  override afterBuild(schema: GraphQLSchema): GraphQLSchema {
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const fields = roots.flatMap((type) =>
      type ? Object.keys(type.getFields()).map((name) => `${type.name}.${name}`) : [],
    );
    const node = schema.getType('Node');
    const types = isInterfaceType(node) ? schema.getPossibleTypes(node).map(({ name }) => name) : [];
    const open = fieldsOf(OPEN);
    const existing = open.filter((field) => {
      const [typeName, fieldName] = field.split('.') as [string, string];
      const type = schema.getType(typeName);
      return isObjectType(type) && fieldName in type.getFields();
    });
    const there = new Set([...fields, ...types, ...existing]);
    const named = new Set([...fieldsOf(ROOT_RULES), ...Object.keys(NODE_RULES), ...open]);
    const missing = [...there.difference(named)].join(', ');
    const unknown = [...named.difference(there)].join(', ');
    if (missing || unknown)
      throw new Error(
        `src/schema/access-rules.ts: no rule for ${missing || 'none'}; unknown names: ${unknown || 'none'}`,
      );
    return schema;
  }
}
SchemaBuilder.registerPlugin('accessRules', AccessRulesPlugin);

function fieldsOf(rules: Readonly<Record<string, object>>): string[] {
  return Object.entries(rules).flatMap(([type, of]) =>
    (Array.isArray(of) ? of : Object.keys(of)).map((name) => `${type}.${name}`),
  );
}

function ruleOf(type: string, field: string): AccessRule | null {
  const rules = ROOT_RULES[type];
  if (rules !== undefined) return rules[field] ?? null;
  return field === 'id' || OPEN[type]?.includes(field) || !isNodeType(type) ? null : NODE_RULES[type];
}

interface Owned {
  team?: string | null;
}

const OTHER_TEAM = 'This belongs to a team that you are not in.';

/** Scopes of each rule. One object per rule, because the scope-auth plugin caches results by object. */
const scopeMaps = new Map<AccessRule, Partial<AuthScopes>>();

function scopeMapOf(rule: AccessRule): Partial<AuthScopes> {
  const known = scopeMaps.get(rule);
  if (known !== undefined) return known;
  const map = Object.fromEntries((rule === 'ANY' ? [rule] : rule).map((right) => [right, true]));
  scopeMaps.set(rule, map);
  return map;
}

function forbidden({ role, via, rights }: Viewer, rule: AccessRule): ForbiddenError {
  if (via === 'TOKEN') {
    const wanted = rule === 'ANY' ? 'any scope' : `the scope ${rule.join(' or ')}`;
    return new ForbiddenError(
      `This needs a token with ${wanted}; this one has ${[...rights].join(', ')}.`,
      null,
    );
  }
  const needed = lowestRoleWith(rule === 'ANY' ? ['READ'] : rule);
  const has = role === null ? 'you have none' : `yours is ${role}`;
  return new ForbiddenError(`This needs the role ${needed}; ${has}.`, needed);
}
