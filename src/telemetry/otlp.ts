import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Tracing } from '../engine/api/observer.ts';
import { createTracing } from './tracing.ts';

/** Milliseconds for one export, and so for the last one at a stop. */
const EXPORT_LIMIT_MS = 5_000;

/**
 * Sends traces to a collector. Loaded only when one is configured: without, tracing costs nothing.
 * @param options.url takes OTLP traces over HTTP. What else the OTLP variables of the environment say (headers,
 * compression) the exporter reads itself.
 */
export function openTracing(options: { url: string; serviceName: string; version: string }): {
  tracing: Tracing;
  /** Sends what is not sent yet. */
  close(): Promise<void>;
} {
  const exporter = new OTLPTraceExporter({ url: options.url, timeoutMillis: EXPORT_LIMIT_MS });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.version,
    }),
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: EXPORT_LIMIT_MS })],
  });
  return {
    tracing: createTracing(provider.getTracer('tarsy')),
    close: () => provider.shutdown(),
  };
}
