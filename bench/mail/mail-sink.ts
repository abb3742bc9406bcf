/**
 * The receiving SMTP server as a process: it accepts every email, stores none, and reports their
 * number and time.
 */
import { SmtpSink } from '../../test/mailkill/smtp-sink.ts'

/** Questions of the parent process. */
export type SinkQuestion = 'count' | 'reset'
export interface SinkAnswer {
  readonly url?: string
  readonly taken: number
  /** Milliseconds from the first to the last email since the reset. */
  readonly spanMs: number
}

let firstMs = 0
let lastMs = 0
let count = 0

const sink = await SmtpSink.start({
  onEmail: () => {
    lastMs = performance.now()
    if (count === 0) firstMs = lastMs
    count += 1
  },
})

process.on('message', (question: SinkQuestion) => {
  if (question === 'reset') count = 0
  process.send?.({ taken: count, spanMs: lastMs - firstMs } satisfies SinkAnswer)
})
process.on('disconnect', () => process.exit(0))
process.send?.({ url: sink.url, taken: 0, spanMs: 0 } satisfies SinkAnswer)
