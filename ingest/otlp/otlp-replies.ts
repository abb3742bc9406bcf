/**
 * Replies of OTLP over HTTP: an export response for accepted requests, a `google.rpc.Status`
 * otherwise. Exporters retry on 429, 502, 503 and 504 only.
 */
import { plainReply, type Reply } from '../http/replies.ts'
import type { OtlpEncoding } from './otlp-encoding.ts'

const whole = new WeakMap<OtlpEncoding, Reply>()

/** @param rejectedCount records that were rejected and must not be resent. */
export function replyExported(
  encoding: OtlpEncoding,
  rejectedCount: number,
  message: string,
): Reply {
  if (rejectedCount > 0) {
    return plainReply(200, encoding.contentType, encoding.success(rejectedCount, message))
  }
  let reply = whole.get(encoding)
  if (reply === undefined) {
    reply = plainReply(200, encoding.contentType, encoding.success(0, ''))
    whole.set(encoding, reply)
  }
  return reply
}

/** Codes of `google.rpc.Code`. Statuses that are not listed are UNKNOWN. */
const codes: ReadonlyMap<number, number> = new Map([
  [400, 3],
  [401, 16],
  [403, 7],
  [404, 5],
  [405, 12],
  [413, 3],
  [415, 3],
  [429, 8],
  [500, 13],
  [503, 14],
])
const unknownCode = 2

const translated = new WeakMap<OtlpEncoding, WeakMap<Reply, Reply>>()

/** Translates a failure reply of ingest, with its headers. */
export function failureInOtlp(encoding: OtlpEncoding, reply: Reply): Reply {
  if (reply.status === 200) return reply
  let replies = translated.get(encoding)
  if (replies === undefined) {
    replies = new WeakMap()
    translated.set(encoding, replies)
  }
  let own = replies.get(reply)
  if (own === undefined) {
    own = translate(encoding, reply)
    replies.set(reply, own)
  }
  return own
}

function translate(encoding: OtlpEncoding, { status, head, body }: Reply): Reply {
  const headText = Buffer.from(head)
    .toString('latin1')
    .replace(/^Content-Type: .*$/m, `Content-Type: ${encoding.contentType}`)
  const code = codes.get(status) ?? unknownCode
  return {
    status,
    head: Buffer.from(headText, 'latin1'),
    body: encoding.failure(code, sentenceOf(Buffer.from(body).toString())),
  }
}

/** The text of `{"detail","causes"}`, the body of every failure reply of ingest. */
function sentenceOf(body: string): string {
  const { detail, causes } = JSON.parse(body) as { detail: string; causes: readonly string[] }
  return causes.length === 0 ? detail : `${detail}: ${causes.join('; ')}`
}
