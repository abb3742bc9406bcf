/**
 * The format of `POST …/otlp/v1/traces`. Traces are not stored. Batches are answered with success
 * all the same, because exporters log a warning for every batch that is refused.
 */
import { sdkLabel } from '../envelope/sdk-label.ts'
import type { BodyFormat } from '../intake/body-format.ts'
import { jsonEncoding, protobufEncoding } from './otlp-encoding.ts'
import { failureInOtlp, replyExported } from './otlp-replies.ts'

/** A body counts as one item: its spans are not counted. */
const spanType = 'otel_span'

/** @param userAgent names the exporter, because the body is not read. */
export function otlpTracesFormat(contentType: string, userAgent: string): BodyFormat {
  const isProtobuf = contentType.startsWith(protobufEncoding.contentType)
  const encoding = isProtobuf ? protobufEncoding : jsonEncoding
  return {
    mayHoldDsn: false,
    plan(ctx, { key }, bytes) {
      const reason = ctx.unsupportedTypes.reasonFor(key.projectId, spanType)
      const outcomes = [{ outcome: 'unsupported', reason, category: 'span', quantity: 1 }] as const
      return {
        kind: 'planned',
        bytes,
        plan: {
          events: [],
          freeItems: [],
          outcomes,
          envelopeId: undefined,
          sentAt: undefined,
          sdk: sdkLabel(userAgent, undefined),
          reply: replyExported(encoding, 0, ''),
        },
      }
    },
    translate: (reply) => failureInOtlp(encoding, reply),
  }
}
