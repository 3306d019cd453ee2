/** An MCP server that lists what changed before an alert, over standard input and output: `node src/mcp-servers/changes.ts`. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { errorMessage } from '../common/error-message.ts';
import { trustCertificates } from '../outgoing/certificates.ts';
import { changesConfigFromEnv } from './changes/config.ts';
import { openRepositories } from './changes/git/repository.ts';
import { createKubernetesApi } from './changes/kubernetes/api.ts';
import { listChangesTool } from './changes/list-changes.ts';
import { showChangeTool } from './changes/show-change.ts';
import { addTool } from './tool/tool.ts';

// The server exits when its client disconnects, because running calls can no longer be answered.
process.stdin.once('end', () => process.exit(0));
process.stdin.once('close', () => process.exit(0));
process.stdout.once('error', () => process.exit(0));
// Exits by itself, so that the copies of repositories are removed.
process.once('SIGTERM', () => process.exit(0));

try {
  await createChangesServer().connect(new StdioServerTransport());
} catch (error) {
  process.stderr.write(`changes MCP server: ${errorMessage(error)}\n`);
  process.exit(1);
}

/** Creates the MCP server. The tools only read: GET requests to the Kubernetes API, and git in copies of its own. */
function createChangesServer(): McpServer {
  const { cluster, repositories, timeoutMs } = changesConfigFromEnv(process.env);
  trustCertificates(process.env);
  const sources = {
    api: cluster && createKubernetesApi(cluster, { env: process.env, timeoutMs }),
    repositories: openRepositories(repositories),
  };
  const server = new McpServer(
    { name: 'tarsy-changes', version: '1.0.0' },
    {
      instructions:
        'Changes in a Kubernetes cluster and its repositories. Start with list_changes; show_change returns the exact diff of one change. Read-only.',
    },
  );
  addTool(server, listChangesTool(sources));
  addTool(server, showChangeTool(sources));
  return server;
}
