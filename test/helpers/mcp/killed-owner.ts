/** Starts a stubborn server, prints its pid, and runs until it is killed. */
import { callTool, hostileServer, openExecutor } from './executor.ts';

const executor = await openExecutor([hostileServer('odd', ['--stubborn'])]);
console.log((await callTool(executor, 'odd.pid', {}, { timeoutMs: 60_000 })).content);
setInterval(() => {}, 1_000);
