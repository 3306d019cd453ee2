import type { ServerWritableStream } from '@grpc/grpc-js';
import type { GenerateRequest, GenerateResponse } from '../../../src/engine/model/gen/llm_service.ts';
import { freePort } from '../free-port.ts';
import { createGates } from './gates.ts';
import { type PlayContext, play } from './play.ts';
import { createScripts, type Match, type Scripts, systemPrompt } from './scripts.ts';
import type { ScriptedCall, ScriptedResponse, Step } from './steps.ts';
import { openWire } from './wire.ts';

export type { Match } from './scripts.ts';
export type { ScriptedCall } from './steps.ts';
export { type ScriptedResponse, type Step, toolCall } from './steps.ts';

/**
 * An LLM service that answers as the test scripts it, over real gRPC on a real TCP port. Point the engine (or
 * LLM_SERVICE_ADDR of another process) at `address`.
 *
 *   const llm = await startScriptedLlm();
 *   llm.script([{ thinking: 'hm' }, toolCall('host.disk_usage', { path: '/' })], { text: ['all ', 'done'] });
 *   llm.route('KubernetesAgent', [{ gate: 'k8s' }, { text: 'fine' }], { error: { code: 'rate_limited' } });
 *   llm.script((request) => ({ text: `${request.messages.length} messages` }));
 *   …
 *   llm.assertNoUnusedScripts();
 *   await llm.close();
 *
 * A call takes the next response of the first route that matches it and has responses left. Otherwise it
 * takes the next one of `script`, otherwise that of `otherwise`. Without any, the call fails with the code
 * `unscripted_call`.
 */
export interface ScriptedLlm {
  /** Address as host:port. */
  address: string;
  port: number;
  /** Responses for the calls that no route takes, in order. */
  script(...responses: ScriptedResponse[]): void;
  /** Responses for the calls that match, in order. */
  route(match: Match, ...responses: ScriptedResponse[]): void;
  /** Sets the response for every call that no script matches. This response may stay unused. */
  otherwise(response: ScriptedResponse): void;
  /** Every decoded request, in order of arrival. */
  readonly requests: readonly GenerateRequest[];
  readonly calls: readonly ScriptedCall[];
  /** Resolves with the call of this index (0-based) once it has arrived. */
  call(index: number): Promise<ScriptedCall>;
  /** Resolves once `count` calls (default 1) have reached the gate. */
  reached(gate: string, count?: number): Promise<void>;
  /** Opens the gate for current and later calls. */
  open(gate: string): void;
  /** @throws Error naming every unused script and every unscripted call */
  assertNoUnusedScripts(): void;
  /** Cuts every connection and frees the port. */
  close(): Promise<void>;
}

/** @param options.port a fixed port, for a server that restarts; default: any free port */
export async function startScriptedLlm(options: { port?: number } = {}): Promise<ScriptedLlm> {
  const scripts = createScripts();
  const gates = createGates();
  const calls: ScriptedCall[] = [];
  const requests: GenerateRequest[] = [];
  const faults: string[] = [];
  const arrivals: { index: number; resolve: (call: ScriptedCall) => void }[] = [];
  let toolCalls = 0;
  const context: PlayContext = {
    gates,
    newCallId: () => `call_${++toolCalls}`,
    cutConnection: (stream) => wire.cutConnection(stream),
  };

  const wire = await openWire(options.port ?? (await freePort()), (stream) => {
    const { call, settle } = acceptCall(stream, calls.length);
    calls.push(call);
    requests.push(call.request);
    for (const { index, resolve } of arrivals) if (index === call.index) resolve(call);
    settle(play(stepsFor(call, scripts, faults), stream, call, context));
  });

  return {
    address: `127.0.0.1:${wire.port}`,
    port: wire.port,
    script: scripts.script,
    route: scripts.route,
    otherwise: scripts.otherwise,
    requests,
    calls,
    call(index) {
      const here = calls[index];
      if (here !== undefined) return Promise.resolve(here);
      const { promise, resolve } = Promise.withResolvers<ScriptedCall>();
      arrivals.push({ index, resolve });
      return promise;
    },
    reached: gates.reached,
    open: gates.open,
    assertNoUnusedScripts() {
      const problems = [...scripts.unused().map((line) => `unused responses: ${line}`), ...faults];
      if (problems.length > 0) throw new Error(`Scripted LLM:\n  ${problems.join('\n  ')}`);
    },
    close: wire.close,
  };
}

/**
 * Returns the steps to play for a call. A scripting error is added to `faults` and returned to the caller.
 */
function stepsFor(call: ScriptedCall, scripts: Scripts, faults: string[]): readonly Step[] {
  const fail = (code: string, message: string): Step[] => {
    faults.push(message);
    return [{ error: { code, message } }];
  };
  const response = scripts.take(call.request);
  if (response === null) {
    return fail('unscripted_call', `call ${call.index} has no script: ${describe(call.request)}`);
  }
  try {
    const steps = typeof response === 'function' ? response(call.request, call) : response;
    return 'length' in steps ? steps : [steps];
  } catch (error) {
    return fail('script_failed', `call ${call.index}: the script threw ${String(error)}`);
  }
}

function acceptCall(stream: ServerWritableStream<GenerateRequest, GenerateResponse>, index: number) {
  const cancelled = new AbortController();
  stream.on('cancelled', () => cancelled.abort());
  const { promise: ended, resolve: settle } = Promise.withResolvers<Awaited<ScriptedCall['ended']>>();
  const traceparent = stream.metadata.get('traceparent')[0]?.toString() ?? null;
  const { request } = stream;
  const call: ScriptedCall = { index, request, traceparent, signal: cancelled.signal, sent: 0, ended };
  return { call, settle };
}

function describe(request: GenerateRequest): string {
  const last = request.messages.at(-1);
  const system = systemPrompt(request).slice(0, 120);
  return `${request.messages.length} messages, system "${system}", last ${last?.role}: "${last?.content.slice(0, 120)}"`;
}
