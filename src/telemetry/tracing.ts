import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent, TraceState } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import type { Ended, TracedRequest, Tracing } from '../engine/api/tracing.ts';
import { RunInterruptedError, statusOfFailure } from '../engine/common/interruptions.ts';
import { createRoutes } from '../outgoing/agents.ts';
import { createSpanIds, traceOf } from './session-trace.ts';
import {
  agentSpan,
  answerAttributes,
  conversationAttributes,
  modelEndAttributes,
  modelSpan,
  requestSpan,
  type SpanStart,
  toolEnd,
  toolSpan,
} from './span-attributes.ts';
import { createSpanContent, type MaskContent, NO_CONTENT, type SpanContent } from './span-content.ts';

/** Time limit (ms) of one export, including the last one during a stop. */
const EXPORT_LIMIT_MS = 5_000;
/** Numbers of spans that wait for an export, and of those in one, because a span with content has up to 100 kB. */
const CONTENT_BATCHES = { maxQueueSize: 256, maxExportBatchSize: 32 };

export interface TracingOptions {
  url: string;
  serviceName: string;
  version: string;
  maskContent: MaskContent | null;
}

/**
 * Starts sending traces to a collector. This module is loaded only if one is configured.
 * @param options.maskContent masks the content of spans; `null` if spans have no content
 * @param options.url endpoint for OTLP traces over HTTP; the exporter reads OTLP variables for headers and compression
 */
export function openTracing(options: TracingOptions): {
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
  const content = options.maskContent ? createSpanContent(options.maskContent) : NO_CONTENT;
  const ids = createSpanIds();
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.version,
    }),
    idGenerator: ids.generator,
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        exportTimeoutMillis: EXPORT_LIMIT_MS,
        ...(options.maskContent && CONTENT_BATCHES),
      }),
    ],
  });
  return {
    tracing: createTracing({ tracer: provider.getTracer('tarsy'), asRootOf: ids.asRootOf, content }),
    close: () => provider.shutdown(),
  };
}

/** Parents for new spans: the span of the current session, stage or agent, and of the agent's iteration, if one runs. */
interface Scope {
  sessionId: string;
  context: Context;
  iteration: { number: number; span: Span; context: Context } | null;
}

/** The current request, and the root spans of the sessions that it submitted. */
interface RunningRequest {
  request: TracedRequest;
  startedAt: number;
  roots: Span[];
}

interface TracingParts {
  tracer: Tracer;
  asRootOf: (sessionId: string, start: () => Span) => Span;
  content: SpanContent;
}

/** Creates nested spans: request → session → stage → agent → iteration → model and tool calls. */
function createTracing({ tracer, asRootOf, content }: TracingParts): Tracing {
  const scopes = new AsyncLocalStorage<Scope>();
  const requests = new AsyncLocalStorage<RunningRequest>();

  /** Runs `work` in a span. The span records an error code but no error text, which may contain alert data. */
  const within = async <T extends Ended>(
    { name, attributes }: SpanStart,
    parent: { sessionId: string; context: Context },
    work: () => Promise<T>,
  ): Promise<T> => {
    const span = tracer.startSpan(name, { attributes }, parent.context);
    const scope: Scope = { ...parent, context: trace.setSpan(parent.context, span), iteration: null };
    let failure: string | null = null;
    try {
      const ended = await scopes.run(scope, work);
      if (ended.status !== 'COMPLETED') failure = ended.status.toLowerCase();
      return ended;
    } catch (error) {
      if (error instanceof RunInterruptedError) span.setAttribute('tarsy.interrupted', true);
      else failure = statusOfFailure(error).toLowerCase();
      throw error;
    } finally {
      scope.iteration?.span.end();
      end(span, failure);
    }
  };
  const current = (sessionId: string | null) =>
    scopes.getStore() ?? {
      sessionId: sessionId ?? '',
      context: sessionId ? traceOf(sessionId) : ROOT_CONTEXT,
    };
  const iterationContext = (number: number | null, sessionId: string | null): Context => {
    const scope = scopes.getStore();
    if (!scope) return current(sessionId).context;
    if (number !== null && number !== scope.iteration?.number) {
      scope.iteration?.span.end();
      const attributes = { 'tarsy.iteration': number };
      const span = tracer.startSpan('iteration', { attributes }, scope.context);
      scope.iteration = { number, span, context: trace.setSpan(scope.context, span) };
    }
    return scope.iteration?.context ?? scope.context;
  };

  return {
    async request(request, work) {
      const running: RunningRequest = { request, startedAt: Date.now(), roots: [] };
      try {
        return await requests.run(running, work);
      } finally {
        const attributes = running.roots.length > 0 ? answerAttributes(request.status()) : {};
        for (const root of running.roots) endRequest(root, attributes);
      }
    },
    submitted(sessionId, facts) {
      const running = requests.getStore();
      const { name, attributes } = running
        ? requestSpan(running.request)
        : { name: 'submit', attributes: {} };
      const root = asRootOf(sessionId, () =>
        tracer.startSpan(
          name,
          {
            kind: running ? SpanKind.SERVER : SpanKind.INTERNAL,
            attributes: { ...attributes, ...sessionAttributes(sessionId), ...facts },
            ...(running && { startTime: running.startedAt, links: linksOf(running.request) }),
          },
          ROOT_CONTEXT,
        ),
      );
      if (running) running.roots.push(root);
      else root.end();
    },
    session: (sessionId, facts, work) =>
      within(
        { name: 'session', attributes: { ...sessionAttributes(sessionId), ...facts } },
        { sessionId, context: traceOf(sessionId) },
        work,
      ),
    stage: (facts, work) => within({ name: 'stage', attributes: { ...facts } }, current(null), work),
    agent: (agent, work) => within(agentSpan(agent), current(agent.sessionId), work),
    modelCall(call) {
      const { name, attributes } = modelSpan(call);
      const parent = iterationContext(call.iteration, call.sessionId);
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
      return {
        traceparent: traceparentOf(span),
        end(ended) {
          span.setAttributes({
            ...modelEndAttributes(ended),
            ...content.modelCall(call.messages, ended),
          });
          end(span, ended.errorCode);
        },
      };
    },
    toolCall({ id }) {
      const { name, attributes } = toolSpan(id, scopes.getStore()?.sessionId ?? null);
      const parent = iterationContext(null, null);
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
      return {
        traceparent: traceparentOf(span),
        end(ended) {
          const known = toolEnd(ended);
          span.updateName(known.name);
          span.setAttributes({ ...known.attributes, ...content.toolCall(ended) });
          end(span, ended.errorCode);
        },
      };
    },
  };
}

function sessionAttributes(sessionId: string): Attributes {
  return { 'tarsy.session.id': sessionId, ...conversationAttributes(sessionId) };
}

function end(span: Span, errorCode: string | null): void {
  if (errorCode !== null) {
    span.setAttribute(ATTR_ERROR_TYPE, errorCode);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function endRequest(span: Span, attributes: Attributes): void {
  span.setAttributes(attributes);
  if (ATTR_ERROR_TYPE in attributes) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Returns a link to the caller's span; none if its header is missing or malformed. */
function linksOf({ traceparent, tracestate }: TracedRequest): Link[] {
  const context = traceparent === null ? null : parseTraceParent(traceparent);
  if (!context) return [];
  return [
    {
      context: { ...context, isRemote: true, ...(tracestate && { traceState: new TraceState(tracestate) }) },
    },
  ];
}

/** Returns the W3C header of a span. There is no `tracestate`, because no other system took part in the trace before. */
function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
