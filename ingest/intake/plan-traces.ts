/** OTLP traces, which are not stored: an exporter that is told so once a batch would log a warning once a batch. */
import { jsonEncoding, protobufEncoding } from '../otlp/otlp-encoding.ts'
import { failureInOtlp, replyExported } from '../otlp/otlp-replies.ts'
import type { BodyFormat } from './body-format.ts'

/** Counted as one, and not looked into: how many spans a body holds nobody needs to know. */
const spanType = 'otel_span'

export function otlpTracesFormat(contentType: string): BodyFormat {
  const isProtobuf = contentType.startsWith(protobufEncoding.contentType)
  const encoding = isProtobuf ? protobufEncoding : jsonEncoding
  return {
    mayHoldDsn: false,
    plan(ctx, _head, key, bytes) {
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
          sdk: undefined,
          reply: replyExported(encoding, 0, ''),
        },
      }
    },
    inOwnWords: (reply) => failureInOtlp(encoding, reply),
  }
}
