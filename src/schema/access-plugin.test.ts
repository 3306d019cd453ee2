import SchemaBuilder from '@pothos/core';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { expect, it } from 'vitest';
import './access-plugin.ts';

it('refuses to build a schema with a root field without a rule, or a rule without a field', () => {
  const builder = new SchemaBuilder<{ AuthScopes: { READ: boolean } }>({
    plugins: ['accessRules', ScopeAuthPlugin],
    scopeAuth: { authScopes: () => ({ READ: true }) },
  });
  builder.queryType({ fields: (t) => ({ secrets: t.string({ resolve: () => 'x' }) }) });
  expect(() => builder.toSchema()).toThrow(/no rule for Query\.secrets; unknown names: .*Query\.sessions,/);
});
