import { z } from 'zod';
import { NATIVE_TOOLS, type NativeTool } from '../enums.ts';
import { agentToolPattern, overrideKeys } from './common.ts';
import { orchestrator } from './orchestrator.ts';
import { settings } from './settings.ts';

/** Switches for the native tools of Google's models. */
export const nativeTools = z
  .partialRecord(z.enum(NATIVE_TOOLS), z.boolean())
  .describe('Tools that Google’s models run themselves; each is off unless set to true');

/** All native tools are off by default, because they send questions to the web and cost extra. */
export const NO_NATIVE_TOOLS: Readonly<Record<NativeTool, boolean>> = {
  google_search: false,
  code_execution: false,
  url_context: false,
};

export const agentSchema = settings(
  z
    .strictObject({
      description: z
        .string()
        .describe('Description for users, and for agents that delegate tasks to this agent')
        .prefault(''),
      custom_instructions: z
        .string()
        .describe('Instructions for the model about this agent’s work')
        .prefault(''),
      native_tools: nativeTools.prefault({}),
      tools: z
        .array(agentToolPattern)
        .describe(
          'Tools of its MCP servers that the agent may use, as server.tool; * stands for any text. Default: all',
        )
        .optional(),
      skills: z
        .array(z.string().min(1))
        .describe('Skills in the folder skills/ that the agent may load; default: all; [] = none')
        .optional(),
      required_skills: z
        .array(z.string().min(1))
        .describe('Skills whose texts are always part of the agent’s instructions')
        .prefault([]),
      orchestrator: orchestrator.optional(),
      ...overrideKeys,
    })
    .describe('An agent'),
);
