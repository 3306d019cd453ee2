/** Starts a server that ignores signals, prints the server's pid, and runs until it is killed itself. */
import { callTool, hostileServer, openExecutor } from './executor.ts';

const executor = await openExecutor([hostileServer('odd', ['--stubborn'])]);
console.log((await callTool(executor, 'odd.pid', {}, { timeoutMs: 60_000 })).content);
setInterval(() => {}, 1_000);
