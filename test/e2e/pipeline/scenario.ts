import type { TestConfigOptions } from '../../helpers/config.ts';
import type { HttpMcpServer } from '../../helpers/mcp/http-server.ts';
import { type ScriptedLlm, toolCall } from '../../helpers/scripted-llm/index.ts';

export const METRICS_TOKEN = 'metrics-token';

/**
 * Four stages: one agent; three parallel agents with different strategies; two replicas; one agent. Uses both
 * backends and two MCP servers (stdio and HTTP), with summaries of long results.
 */
export function pipelineConfig(metrics: HttpMcpServer): TestConfigOptions {
  const google = { llm_provider: 'scripted-google', iteration_strategy: 'native-thinking' };
  return {
    defaults: { runbook: '# Disks\n\nLook at /var first.' },
    tools: { instructions: 'Texts of the echo are exact.' },
    mcpServers: {
      metrics: {
        transport: { type: 'http', url: `${metrics.url}/mcp`, bearer_token: METRICS_TOKEN },
        allow_changes: true,
        instructions: 'Lines are one minute each.',
        summarization: { size_threshold_tokens: 100, summary_max_token_limit: 50 },
      },
    },
    agents: {
      TriageAgent: { mcp_servers: ['tools', 'metrics'], custom_instructions: 'Find what is affected.' },
      DiskAgent: { mcp_servers: ['tools'], max_iterations: 1 },
      SearchAgent: { ...google, mcp_servers: ['metrics'], native_tools: { code_execution: true } },
      TextAgent: { iteration_strategy: 'react', mcp_servers: ['tools'] },
      VerifyAgent: { ...google, mcp_servers: ['tools'] },
      AdviceAgent: { custom_instructions: 'Say what to do first.' },
    },
    stages: [
      { name: 'triage', agents: [{ name: 'TriageAgent' }] },
      { name: 'causes', agents: [{ name: 'DiskAgent' }, { name: 'SearchAgent' }, { name: 'TextAgent' }] },
      { name: 'verify', agents: [{ name: 'VerifyAgent' }], replicas: 2, ...google },
      { name: 'advice', agents: [{ name: 'AdviceAgent' }] },
    ],
    chain: { executive_summary_provider: 'scripted-google' },
  };
}

/** A result longer than the threshold of 100 tokens from which results of `metrics` are summarized. */
const LONG = 'cpu 12 % '.repeat(50).trim();

/** Scripts the model's responses to each agent. */
export function scriptPipeline(llm: ScriptedLlm): void {
  llm.route(
    'You are the agent TriageAgent',
    [
      { thinking: ['What is ', 'affected?'] },
      { text: 'Looking at both.' },
      toolCall('tools.echo', { text: '/var at 91 %' }, 'triage-1'),
      toolCall('metrics.echo', { text: LONG }, 'triage-2'),
    ],
    { text: 'The volume /var is affected.' },
  );
  llm.route('You shorten the result of the tool metrics.echo', { text: ['12 % CPU, ', 'fifty times.'] });
  scriptCauses(llm);
  scriptVerification(llm);
  llm.route('You are the agent AdviceAgent', { text: 'Rotate the log, then grow /var.' });
  llm.route('You compose the final analysis', {
    text: ['The log is not rotated. ', 'Rotate it, grow /var.'],
  });
  llm.route('You write the executive summary', { text: ['Log fills /var. ', 'Rotate it.'] });
  llm.route(
    'You are the agent ChatAgent',
    [{ text: 'I look.' }, toolCall('tools.echo', { text: '/var/log/app.log' }, 'chat-1')],
    { text: 'It is app.log.' },
    { text: 'Since Monday.' },
  );
}

function scriptCauses(llm: ScriptedLlm): void {
  llm.route(
    'You are the agent DiskAgent',
    [{ text: 'One look.' }, toolCall('tools.fail', {}, 'disk-1')],
    // A forced conclusion, because the agent has a single iteration.
    { text: 'I could not measure; the alert says 91 %.' },
  );
  llm.route('You are the agent SearchAgent', [
    { thinking: 'Growth per hour?' },
    { codeExecution: { code: 'print(60 * 2)' } },
    { codeExecution: { result: '120' } },
    { text: 'About 120 MB an hour.' },
    {
      grounding: {
        webSearchQueries: ['app.log growth'],
        groundingChunks: [{ uri: 'https://example.com/rotate', title: 'Rotation' }],
      },
    },
    { usage: { input: 100, output: 20, thinking: 7, cachedRead: 60, cacheWrite: 30 } },
  ]);
  llm.route(
    'You are the agent TextAgent',
    { text: ['Thought: Ask the echo.\nAction: tools.echo\n', 'Action Input: {"text": "log"}'] },
    { text: ['Thought: Enough.\nFinal ', 'Answer: The log ', 'is not rotated.'] },
  );
  llm.route(synthesisOf('causes'), { text: ['Not rotated, ', '120 MB an hour.'] });
}

function scriptVerification(llm: ScriptedLlm): void {
  llm.route(
    'You are the agent VerifyAgent-1',
    [toolCall('tools.echo', { text: 'no logrotate entry' }, 'verify-1')],
    { text: 'Confirmed: there is no entry.' },
  );
  // One of two replicas fails. The other one is enough, and the synthesis receives the failure.
  llm.route('You are the agent VerifyAgent-2', { error: { code: 'invalid_request', message: 'too long' } });
  llm.route(synthesisOf('verify'), { text: 'Confirmed by one of two.' });
}

const synthesisOf = (stage: string) => (request: { messages: { content: string }[] }) =>
  request.messages[1]?.content.includes(`agents of the stage "${stage}"`) ?? false;
