import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Tracing } from '../engine/api/observer.ts';
import { createTracing } from './tracing.ts';

/** Milliseconds for one export, also for the last one during a stop. */
const EXPORT_LIMIT_MS = 5_000;

/**
 * Starts sending traces to a collector. Load it only if one is configured, so that tracing otherwise costs nothing.
 * @param options.url endpoint for OTLP traces over HTTP; the exporter reads other OTLP variables (headers, compression)
 * itself
 */
export function openTracing(options: { url: string; serviceName: string; version: string }): {
  tracing: Tracing;
  /** Sends the remaining spans. */
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
