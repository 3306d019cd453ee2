import { startHttpMcp } from './http-server.ts';

/**
 * An MCP server over HTTP in its own process, which can be frozen. Sends its address to the parent process.
 */
const server = await startHttpMcp('right');
process.on('disconnect', () => process.exit());
process.send?.({ url: server.url });
