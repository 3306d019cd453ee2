import { z } from 'zod';
import { accessSchema } from './schema/access.ts';
import { agentSchema } from './schema/agents.ts';
import { authSchema } from './schema/auth.ts';
import { chainSchema } from './schema/chains.ts';
import { count, ENTRY_NAME, flag, namedEntries, SERVER_NAME, text } from './schema/common.ts';
import { budgetsSchema, modelPricesSchema } from './schema/costs.ts';
import { defaultsSchema } from './schema/defaults.ts';
import { eventsSchema } from './schema/events.ts';
import { intakeSchema } from './schema/intake.ts';
import { mcpServerSchema } from './schema/mcp.ts';
import { notificationsSchema } from './schema/notifications.ts';
import { providerSchema } from './schema/providers.ts';
import { queueSchema } from './schema/queue.ts';
import { scheduleSchema } from './schema/schedules.ts';
import { mapping } from './schema/settings.ts';
import { systemSchema } from './schema/system.ts';

const apiSchema = mapping({
  introspection: flag(
    'Allow clients to query the schema; default: true in development (NODE_ENV), else false',
  ).optional(),
  graphiql: flag(
    'Serve an editor for browsers at /graphql; default: true in development (NODE_ENV), else false',
  ).optional(),
  documents: z
    .enum(['any', 'persisted'])
    .describe(
      'Answered documents: any, or persisted = those of the dashboard and of the files documents/*.graphql in the configuration folder',
    )
    .prefault('any'),
}).describe('GraphQL API');

const auditSchema = mapping({
  retention_days: count(1, 36_500)
    .describe('Days that audit entries are kept and ended API tokens are listed')
    .prefault(730),
}).describe('Audit log');

const labelSchema = mapping({
  description: text('When the label applies, for the model that writes the report'),
}).describe('A label that reports set');

/** Schema of tarsy.yaml. references.ts checks the references between its sections. */
export const tarsySchema = z.strictObject({
  queue: queueSchema.prefault({}),
  system: systemSchema.prefault({}),
  auth: authSchema.prefault({}),
  access: accessSchema.prefault({}),
  audit: auditSchema.prefault({}),
  api: apiSchema.prefault({}),
  events: eventsSchema.prefault({}),
  defaults: defaultsSchema.prefault({}),
  intake: intakeSchema.prefault({}),
  notifications: notificationsSchema.prefault({}),
  schedules: namedEntries(ENTRY_NAME, scheduleSchema, 'Schedules by name'),
  model_prices: modelPricesSchema,
  budgets: budgetsSchema,
  labels: namedEntries(ENTRY_NAME, labelSchema, 'Labels by name'),
  mcp_servers: namedEntries(SERVER_NAME, mcpServerSchema, 'MCP servers by name'),
  agents: namedEntries(ENTRY_NAME, agentSchema, 'Agents by name'),
  agent_chains: namedEntries(ENTRY_NAME, chainSchema, 'Chains by name'),
});

export const providersSchema = z.strictObject({
  llm_providers: namedEntries(ENTRY_NAME, providerSchema, 'LLM providers by name'),
});

export type TarsySource = z.input<typeof tarsySchema>;
export type TarsyFile = z.output<typeof tarsySchema>;
export type ProvidersSource = z.input<typeof providersSchema>;
export type ProvidersFile = z.output<typeof providersSchema>;
