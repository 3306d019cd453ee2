import { expect, test } from 'vitest';
import { loadText } from '../../test/fixtures/config/load-text.ts';

const warningsOf = async (yaml: string, env: Record<string, string> = {}, providers?: string) =>
  (await loadText(shell(yaml), env, providers && shell(providers))).warnings;

/** Writes `@{` as the opening of a variable in a shell. */
const shell = (text: string) => text.replaceAll('@{', ['$', '{'].join(''));
const stdio = (keys: string) => `mcp_servers: { tickets: { transport: { type: stdio, ${keys} } } }\n`;

test('warns about a variable in the form of a shell, and names the form that is replaced', async () => {
  const yaml = stdio('command: npx, args: ["--token", "@{TICKETS}"], env: { URL: "http://@{HOST:-x}/" }');
  expect(await warningsOf(yaml, { TICKETS: 'secret' })).toEqual(
    [
      'mcp_servers.tickets.transport.args[1] contains @{TICKETS}, which is not replaced; write "{{.TICKETS}}" instead',
      'mcp_servers.tickets.transport.env.URL contains @{HOST}, which is not replaced; write "{{.HOST}}" instead, and set the variable HOST',
    ].map(shell),
  );
});

test('does not warn about a value of the environment that contains such a form', async () => {
  const yaml = stdio('command: npx, args: ["{{.TICKETS}}"]');
  expect(await warningsOf(yaml, { TICKETS: shell('a@{B}c d') })).toEqual([]);
});

test('does not warn where a shell, a model or the LLM service reads the form', async () => {
  expect(await warningsOf(stdio('command: /bin/sh, args: ["-c", "exec server --token @{TICKETS}"]'))).toEqual(
    [],
  );
  expect(await warningsOf('agents: { A: { custom_instructions: "Look for @{VAR} in scripts" } }\n')).toEqual(
    [],
  );
  const provider =
    'llm_providers: { p: { type: openai, model: m, base_url: "http://x", headers: { A: "@{KEY}" } } }\n';
  expect(await warningsOf('{}\n', {}, provider)).toEqual([]);
  const address = 'llm_providers: { p: { type: openai, model: m, base_url: "http://@{GATEWAY}/v1" } }\n';
  expect(await warningsOf('{}\n', {}, address)).toEqual(
    [
      'llm_providers.p.base_url contains @{GATEWAY}, which is not replaced; write "{{.GATEWAY}}" instead, and set the variable GATEWAY',
    ].map(shell),
  );
});

test('warns about a whole command line in the command of a server', async () => {
  expect(await warningsOf(stdio('command: npx -y @example/tickets'))).toEqual([
    'mcp_servers.tickets.transport.command is a whole command line; write command: npx, and the other 2 words as a list in args',
  ]);
  expect(await warningsOf(stdio('command: npx'))).toEqual([]);
});
