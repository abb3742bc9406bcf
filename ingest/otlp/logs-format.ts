/**
 * The format of `POST …/otlp/v1/logs`: log records of error severity become events, all others are
 * only counted.
 */
import { setImmediate } from 'node:timers/promises'
import { otlpBodyBytesMax } from '#schemas/wire/otlp-log.ts'
import type { IngestContext } from '../context.ts'
import { replyFailure, replyTooLarge } from '../http/replies.ts'
import type { BodyFormat, RefusedBody, Sender } from '../intake/body-format.ts'
import { refuseBody } from '../intake/count-rejected.ts'
import { LogsPlan } from './logs-plan.ts'
import { jsonEncoding, type OtlpEncoding, protobufEncoding } from './otlp-encoding.ts'
import { failureInOtlp } from './otlp-replies.ts'

/** @param userAgent names the exporter of a body that cannot be read. */
export function otlpLogsFormat(contentType: string, userAgent = ''): BodyFormat {
  switch (contentType.split(';', 1)[0]!.trim().toLowerCase()) {
    case 'application/x-protobuf':
    case 'application/protobuf':
      return formatOf(protobufEncoding, userAgent)
    case 'application/json':
      return formatOf(jsonEncoding, userAgent)
    default:
      return unknownFormat
  }
}

const replyUnknownType = replyFailure(415, 'the Content-Type is not one of OTLP', [
  'use application/x-protobuf or application/json',
])

const unknownFormat: BodyFormat = {
  mayHoldDsn: false,
  plan: () => ({ kind: 'refused', reply: replyUnknownType }),
  translate: (reply) => failureInOtlp(jsonEncoding, reply),
}

function formatOf(encoding: OtlpEncoding, userAgent: string): BodyFormat {
  return {
    mayHoldDsn: false,
    plan(ctx, { key, client }, bytes) {
      const sender = { key, client: client || userAgent }
      const plan = beginPlan(ctx, sender, encoding, bytes)
      if ('kind' in plan) return plan
      const end = (state: 'done' | 'malformed') =>
        state === 'done' ? plan.planned() : refuseMalformed(ctx, sender, encoding, insideRecord)
      const state = plan.advance()
      return state === 'more'
        ? { kind: 'unfinished', finish: (kept) => oneByOne(() => finish(plan, kept, end)) }
        : end(state)
    },
    translate: (reply) => failureInOtlp(encoding, reply),
  }
}

function beginPlan(
  ctx: IngestContext,
  sender: Sender,
  encoding: OtlpEncoding,
  bytes: Buffer,
): LogsPlan | RefusedBody {
  if (otlpBodyBytesMax < bytes.length) {
    const reply = replyBodyTooLarge
    return refuseBody(ctx, sender, { reason: 'too_large', category: 'log_item', reply })
  }
  const found = encoding.scan(bytes)
  if (found.kind === 'malformed') return refuseMalformed(ctx, sender, encoding, found.cause)
  return new LogsPlan(ctx, sender.key, { encoding, found, bytes })
}

const insideRecord = 'a message inside a log record is cut short'
const replyBodyTooLarge = replyTooLarge('decompressed request body', otlpBodyBytesMax)

/**
 * Settles when the last large batch is planned. They are planned one at a time, so that only one of
 * them holds decoded events. A batch that waits holds its body, which is counted.
 */
let latest: Promise<unknown> = Promise.resolve()

function oneByOne<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = latest.then(work, work)
  latest = done
  return done
}

async function finish<Result>(
  plan: LogsPlan,
  bytes: Buffer,
  end: (state: 'done' | 'malformed') => Result,
): Promise<Result> {
  plan.continueWith(bytes)
  for (;;) {
    await setImmediate()
    const state = plan.advance()
    if (state !== 'more') return end(state)
  }
}

function refuseMalformed(
  ctx: IngestContext,
  sender: Sender,
  encoding: OtlpEncoding,
  cause: string,
): RefusedBody {
  const reply = replyFailure(400, 'the log records cannot be read', [cause])
  return refuseBody(ctx, sender, { reason: encoding.malformedReason, category: 'log_item', reply })
}
