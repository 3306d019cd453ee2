import { join } from 'node:path';

/** Command of an MCP server over stdio with the tool `echo`, which starts in milliseconds. */
export const QUICK_MCP = ['python3', '-S', join(import.meta.dirname, 'quick-server.py')];
