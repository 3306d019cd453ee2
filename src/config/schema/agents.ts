import { z } from 'zod';
import { NATIVE_TOOLS, type NativeTool } from '../enums.ts';
import { agentToolPattern, overrideKeys } from './common.ts';
import { orchestrator } from './orchestrator.ts';
import { settings } from './settings.ts';

/** Tools that Google's models run themselves, on or off. */
export const nativeTools = z
  .partialRecord(z.enum(NATIVE_TOOLS), z.boolean())
  .describe('Tools that Google’s models run themselves; each is off unless it says true');

/** They send what is asked to the web and cost extra, so nobody gets them without having said so. */
export const NO_NATIVE_TOOLS: Readonly<Record<NativeTool, boolean>> = {
  google_search: false,
  code_execution: false,
  url_context: false,
};

export const agentSchema = settings(
  z
    .strictObject({
      description: z.string().describe('For people, and for agents that may give it tasks').prefault(''),
      custom_instructions: z.string().describe('For the model, about this agent’s work').prefault(''),
      native_tools: nativeTools.prefault({}),
      tools: z
        .array(agentToolPattern)
        .describe(
          'Of the tools of its MCP servers it has these, as server.tool, * stands for any text; default: all',
        )
        .optional(),
      skills: z
        .array(z.string().min(1))
        .describe('Skills of the folder skills/ that it may load; default: all; [] = none')
        .optional(),
      required_skills: z
        .array(z.string().min(1))
        .describe('Skills whose texts it always gets with its instructions')
        .prefault([]),
      orchestrator: orchestrator.optional(),
      ...overrideKeys,
    })
    .describe('An agent'),
);
