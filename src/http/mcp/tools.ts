import type { Tool } from './tool.ts';
import { listAlertGroups, submitAlert } from './tools/alerts.ts';
import { getInvestigation } from './tools/investigation.ts';
import { getOutput } from './tools/output.ts';
import { searchInvestigations } from './tools/search.ts';
import { addHint, askInvestigation, conclude } from './tools/steer.ts';

/** The tools in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [
  submitAlert,
  getInvestigation,
  searchInvestigations,
  askInvestigation,
  getOutput,
  listAlertGroups,
  addHint,
  conclude,
];
