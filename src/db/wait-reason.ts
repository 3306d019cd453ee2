/** Why a session waits. Each value has its description, for the API. */
export const WAIT_REASON_MEANINGS = {
  SLOT: 'All slots for running sessions are in use, or no worker has begun the session yet.',
  BUDGET: 'A budget is used up.',
  APPROVAL: 'Approvers have to decide on a tool call.',
  MODEL_UNAVAILABLE: 'The model does not answer; the call is retried.',
  GROUP_WAIT: 'Further alerts of the same group may arrive.',
  TOOLS: 'The MCP servers of an agent do not connect.',
  DEPENDENCY: 'The worker of the session is lost; another one resumes it.',
} as const;
export type WaitReason = keyof typeof WAIT_REASON_MEANINGS;
