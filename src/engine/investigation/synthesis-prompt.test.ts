import { expect, test } from 'vitest';
import type { TimelineEventRow } from '../../db/entities/index.ts';
import { type AgentInvestigation, synthesisUserPrompt } from './synthesis-prompt.ts';

const agent = (
  agentName: string,
  said: string,
  subAgents: AgentInvestigation[] = [],
): AgentInvestigation => ({
  ...{
    agentName,
    strategy: 'LANGCHAIN',
    llmProvider: null,
    status: 'COMPLETED',
    errorMessage: null,
    subAgents,
  },
  timeline: [
    {
      sequenceNumber: 1,
      type: 'FINAL_ANALYSIS',
      status: 'COMPLETED',
      content: said,
      metadata: null,
    } as TimelineEventRow,
  ],
});

test('puts the work of sub-agents below their parent', () => {
  const lead = agent('Lead', 'It is the disk.', [
    agent('Disk', 'Full.', [agent('Files', 'Logs.')]),
    agent('Log', 'Grows.'),
  ]);
  const prompt = synthesisUserPrompt({
    ...{ alertType: 't', alertData: 'x', runbook: null, runbookUrl: null, runbookProblem: null },
    ...{ stageName: 'look', customInstructions: '', investigations: [lead, agent('Other', 'Nothing.')] },
  });
  expect(prompt).toContain('Combine the results of 2 agents');
  expect(prompt.match(/^#{3,4} .*$/gm)).toEqual([
    '### Agent 1: Lead',
    '#### Sub-agent Disk of Lead',
    '#### Sub-agent Files of Disk',
    '#### Sub-agent Log of Lead',
    '### Agent 2: Other',
  ]);
  expect(prompt).toContain('-----BEGIN AGENT RESULT-----\n**Final analysis**\n\nLogs.');
});
