/**
 * The receiving end as a process of its own: it takes every letter, keeps none, and tells how many
 * there were and since when.
 */
import { SmtpSink } from '../../test/mailkill/smtp-sink.ts'

/** What the parent may ask. */
export type SinkQuestion = 'count' | 'reset'
export interface SinkAnswer {
  readonly url?: string
  readonly taken: number
  /** From the first to the last letter since the reset. */
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
