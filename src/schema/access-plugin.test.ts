import SchemaBuilder from '@pothos/core';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { expect, it } from 'vitest';
import './access-plugin.ts';

it('builds no schema with a root field that has no rule, or a rule for nothing', () => {
  const builder = new SchemaBuilder<{ AuthScopes: { READ: boolean } }>({
    plugins: ['accessRules', ScopeAuthPlugin],
    scopeAuth: { authScopes: () => ({ READ: true }) },
  });
  builder.queryType({ fields: (t) => ({ secrets: t.string({ resolve: () => 'x' }) }) });
  expect(() => builder.toSchema()).toThrow(
    /no rule for Query\.secrets; nothing is called .*Query\.sessions,/,
  );
});
