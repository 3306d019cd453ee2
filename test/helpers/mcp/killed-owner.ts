/** Starts a stubborn server, says its pid, and stays until it is killed. */
import { callTool, hostile, openExecutor } from './executor.ts';

const executor = await openExecutor([hostile('odd', ['--stubborn'])]);
console.log((await callTool(executor, 'odd.pid', {}, { timeoutMs: 60_000 })).content);
setInterval(() => {}, 1_000);
