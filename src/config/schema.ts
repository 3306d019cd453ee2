import { z } from 'zod';
import { accessSchema } from './schema/access.ts';
import { agentSchema } from './schema/agents.ts';
import { apiSchema } from './schema/api.ts';
import { auditSchema } from './schema/audit.ts';
import { authSchema } from './schema/auth.ts';
import { chainSchema } from './schema/chains.ts';
import { ENTRY_NAME, namedEntries, SERVER_NAME } from './schema/common.ts';
import { budgetsSchema, modelPricesSchema } from './schema/costs.ts';
import { defaultsSchema } from './schema/defaults.ts';
import { intakeSchema } from './schema/intake.ts';
import { mcpServerSchema } from './schema/mcp.ts';
import { providerSchema } from './schema/providers.ts';
import { queueSchema } from './schema/queue.ts';
import { systemSchema } from './schema/system.ts';

/** `tarsy.yaml`: strict, every key optional. Names between sections are checked by references.ts. */
export const tarsySchema = z.strictObject({
  queue: queueSchema.prefault({}),
  system: systemSchema.prefault({}),
  auth: authSchema.prefault({}),
  access: accessSchema.prefault({}),
  audit: auditSchema.prefault({}),
  api: apiSchema.prefault({}),
  defaults: defaultsSchema.prefault({}),
  intake: intakeSchema.prefault({}),
  model_prices: modelPricesSchema,
  budgets: budgetsSchema,
  mcp_servers: namedEntries(SERVER_NAME, mcpServerSchema, 'MCP servers by name'),
  agents: namedEntries(ENTRY_NAME, agentSchema, 'Agents by name'),
  agent_chains: namedEntries(ENTRY_NAME, chainSchema, 'Chains by name'),
});

/** `llm-providers.yaml`. */
export const providersSchema = z.strictObject({
  llm_providers: namedEntries(ENTRY_NAME, providerSchema, 'LLM providers by name'),
});

export type TarsySource = z.input<typeof tarsySchema>;
export type TarsyFile = z.output<typeof tarsySchema>;
export type ProvidersSource = z.input<typeof providersSchema>;
export type ProvidersFile = z.output<typeof providersSchema>;
