import { startHttpMcp } from './http-server.ts';

/** An MCP server over HTTP in a process of its own, which can be frozen; tells where it listens. */
const server = await startHttpMcp('right');
process.on('disconnect', () => process.exit());
process.send?.({ url: server.url });
