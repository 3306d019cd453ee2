import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { OpenSpan, TraceAttributes, Tracing } from '../engine/api/observer.ts';
import { statusOfFailure } from '../engine/common/interruptions.ts';
import { createRoutes } from '../outgoing/agents.ts';

/** Time limit (ms) of one export, including the last one during a stop. */
const EXPORT_LIMIT_MS = 5_000;

/**
 * Starts sending traces to a collector. This module is loaded only if one is configured.
 * @param options.url endpoint for OTLP traces over HTTP; the exporter reads OTLP variables for headers and compression
 */
export function openTracing(options: { url: string; serviceName: string; version: string }): {
  tracing: Tracing;
  /** Sends the remaining spans, then ends tracing. */
  close(): Promise<void>;
} {
  const { agent } = createRoutes({ keepAlive: true })(new URL(options.url));
  const exporter = new OTLPTraceExporter({
    url: options.url,
    timeoutMillis: EXPORT_LIMIT_MS,
    httpAgentOptions: () => agent,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.version,
    }),
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: EXPORT_LIMIT_MS })],
  });
  return { tracing: createTracing(provider.getTracer('tarsy')), close: () => provider.shutdown() };
}

/** Parents for new spans: the span of the current session, stage or agent, and of the agent's iteration, if one runs. */
interface Scope {
  context: Context;
  iteration: { number: number; span: Span; context: Context } | null;
}

/**
 * Creates nested spans: session → stage → agent → iteration → model and tool calls. The trace id is the session id, so
 * that an investigation resumed by another process continues the same trace.
 */
function createTracing(tracer: Tracer): Tracing {
  const scopes = new AsyncLocalStorage<Scope>();

  /** Runs `work` in a span. The span records an error code but no error text, which may contain alert data. */
  const within = async <T>(
    name: string,
    parent: Context,
    facts: TraceAttributes,
    work: () => Promise<T>,
  ): Promise<T> => {
    const span = tracer.startSpan(name, { attributes: { ...facts } }, parent);
    const scope: Scope = { context: trace.setSpan(parent, span), iteration: null };
    let failure: string | null = null;
    try {
      return await scopes.run(scope, work);
    } catch (error) {
      failure = statusOfFailure(error).toLowerCase();
      throw error;
    } finally {
      scope.iteration?.span.end();
      end(span, failure);
    }
  };
  const inner =
    (name: string) =>
    <T>(facts: TraceAttributes, work: () => Promise<T>) =>
      within(name, scopes.getStore()?.context ?? ROOT_CONTEXT, facts, work);
  const call = (name: string, facts: TraceAttributes, parent: Context): OpenSpan => {
    const span = tracer.startSpan(name, { attributes: { ...facts } }, parent);
    return {
      end(errorCode, more = {}) {
        span.setAttributes({ ...more });
        end(span, errorCode);
      },
    };
  };
  const iterationContext = (number: number | null): Context => {
    const scope = scopes.getStore();
    if (!scope) return ROOT_CONTEXT;
    if (number !== null && number !== scope.iteration?.number) {
      scope.iteration?.span.end();
      const attributes = { 'tarsy.iteration': number };
      const span = tracer.startSpan('iteration', { attributes }, scope.context);
      scope.iteration = { number, span, context: trace.setSpan(scope.context, span) };
    }
    return scope.iteration?.context ?? scope.context;
  };
  return {
    session: (sessionId, facts, work) =>
      within('session', traceOf(sessionId), { 'tarsy.session.id': sessionId, ...facts }, work),
    stage: inner('stage'),
    agent: inner('agent'),
    modelCall: (iteration, facts) => call('llm.call', facts, iterationContext(iteration)),
    toolCall: (facts) => call('tool.call', facts, iterationContext(null)),
  };
}

function end(span: Span, errorCode: string | null): void {
  if (errorCode !== null) {
    span.setAttribute('error.type', errorCode);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** Returns the trace context of a session: its parent span stands for the alert and is never sent. */
function traceOf(sessionId: string): Context {
  const spanId = createHash('sha256').update(sessionId).digest('hex').slice(0, 16);
  const traceId = sessionId.replaceAll('-', '').toLowerCase();
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}
