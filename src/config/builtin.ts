import { resolve } from 'node:path';
import type { EnvironmentRecord } from './env.ts';
import { BUILTIN_MODELS } from './models.ts';
import type { ProvidersSource, TarsySource } from './schema.ts';

/**
 * Alert type of the built-in chain. The chain investigates TARSy's own machine, so that a first start needs no cluster.
 */
export const BUILTIN_ALERT_TYPE = 'host';

/** Environment variables that give a pod its cluster's address. The MCP server uses them if KUBECONFIG is not set. */
const IN_CLUSTER = ['KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT'];

/** Environment variables of the host MCP server; mcp-servers/host/config.ts documents them. */
const HOST_SETTINGS = ['LOG_DIRS', 'WALK_DIRS', 'PROBE_TARGETS', 'CLEAN_DIR', 'PROC'].map(
  (name) => `HOST_MCP_${name}`,
);

/** Environment variables of the changes MCP server; mcp-servers/changes/config.ts documents them. */
const CHANGES_SETTINGS = [
  'KUBECONFIG',
  ...IN_CLUSTER,
  ...['GIT_REPOSITORIES', 'GIT_TOKEN', 'TIMEOUT_SECONDS'].map((name) => `CHANGES_MCP_${name}`),
];

/** Returns the built-in entries in the format of the configuration files. */
export function builtinSource(env: EnvironmentRecord): TarsySource & ProvidersSource {
  return {
    mcp_servers: mcpServers(env),
    agents: AGENTS,
    agent_chains: {
      host: {
        alert_types: [BUILTIN_ALERT_TYPE],
        description: 'Investigates an alert about the machine that TARSy runs on',
        stages: [{ name: 'investigation', agents: [{ name: 'HostAgent' }] }],
      },
      kubernetes: {
        alert_types: ['kubernetes'],
        description: 'Investigates an alert about a Kubernetes or OpenShift cluster',
        stages: [{ name: 'analysis', agents: [{ name: 'KubernetesAgent' }] }],
      },
    },
    llm_providers: BUILTIN_MODELS,
  };
}

const AGENTS: NonNullable<TarsySource['agents']> = {
  HostAgent: {
    description: 'Examines the machine that TARSy runs on: disks, memory, processes, ports, logs',
    mcp_servers: ['host'],
    custom_instructions: [
      'You investigate one machine with read-only tools.',
      'Measure first what the alert claims, then look for what causes it: the largest consumer, the',
      'process that holds it, the log lines of that time. Quote the figures you base a conclusion on.',
    ].join('\n'),
  },
  KubernetesAgent: {
    description: 'Examines a Kubernetes or OpenShift cluster',
    mcp_servers: ['changes', 'kubernetes-server'],
    custom_instructions: [
      'You investigate a Kubernetes or OpenShift cluster with read-only tools.',
      'First ask what changed: call changes.list_changes with the start of the alert, its namespace and its workload,',
      'then changes.show_change for each change that may be the cause. A change is a cause only if the symptom follows',
      'from it and began after it. If nothing changed, or part of it could not be seen, state that.',
      'Then examine the object the alert names, and follow its owners, its events, its pods and their logs,',
      'and the nodes below them. Separate observations from conclusions.',
    ].join('\n'),
  },
  ChatAgent: {
    description: 'Answers follow-up questions about a finished investigation',
    custom_instructions: [
      'If the investigation has the answer, use it, and say so.',
      'Use tools when the question needs newer or other data.',
    ].join('\n'),
  },
  SynthesisAgent: {
    description: 'Combines the results of agents that worked in parallel',
    custom_instructions: [
      'Weigh the investigations by the evidence they quote, not by how confident they sound.',
      'Name contradictions. Keep a finding of a single agent if its evidence holds.',
    ].join('\n'),
  },
};

function mcpServers(env: EnvironmentRecord): NonNullable<TarsySource['mcp_servers']> {
  return {
    host: {
      transport: {
        type: 'stdio',
        command: process.execPath,
        args: [resolve(import.meta.dirname, '../mcp-servers/host.ts')],
        inherit_env: HOST_SETTINGS,
      },
      // Without HOST_MCP_CLEAN_DIR the server lacks this tool, and a policy pattern that matches no tool raises a
      // warning.
      policy: env.HOST_MCP_CLEAN_DIR
        ? [{ tools: ['remove_old_files'], action: 'ask', dry_run: 'dry_run' }]
        : [],
      instructions:
        'View of the machine that TARSy runs on. Figures show the moment of the call; results are cut at a fixed size.',
      reuse: true,
      data_masking: { pattern_groups: ['security'], patterns: ['kubernetes_secret'] },
    },
    changes: {
      transport: {
        type: 'stdio',
        command: process.execPath,
        args: [resolve(import.meta.dirname, '../mcp-servers/changes.ts')],
        inherit_env: CHANGES_SETTINGS,
      },
      instructions:
        'Changes in the cluster and its repositories, most likely cause first. Start with list_changes.',
      reuse: true,
      data_masking: { pattern_groups: ['security'], patterns: ['kubernetes_secret'] },
    },
    'kubernetes-server': {
      transport: {
        type: 'stdio',
        command: 'npx',
        // The version is pinned so that no start runs unreviewed code.
        args: ['-y', 'kubernetes-mcp-server@0.0.66', '--read-only', '--disable-destructive'].concat(
          env.KUBECONFIG ? ['--kubeconfig', env.KUBECONFIG] : [],
        ),
        inherit_env: IN_CLUSTER,
      },
      instructions:
        'Read-only view of a Kubernetes or OpenShift cluster. Narrow lists by namespace and label: whole-cluster lists are long.',
      reuse: true,
      data_masking: { pattern_groups: ['security'], patterns: ['kubernetes_secret'] },
    },
  };
}

/** Runbook for alerts without one, unless `defaults.runbook` is configured. */
export const DEFAULT_RUNBOOK = `# General investigation

1. Establish what is failing, since when, and for whom; check that the alert is still true.
2. Look for what changed shortly before: releases, configuration, load, dependencies.
3. Follow the failing part to what it depends on until the evidence stops at a cause.
4. Conclude: the most likely cause with its evidence, your confidence, what to do now, and what to check next.
`;
