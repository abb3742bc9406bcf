/**
 * The report of a client script, written as one line of JSON when its process ends: the status of
 * every response, the losses that the SDK reported, and the ids that it returned.
 */
import { writeSync } from 'node:fs'

/** Observes the SDK's transport without changing what is sent. */
export class Report {
  statuses = []
  itemTypes = []
  /** Losses that the SDK reports to the server, as `reason category`. */
  losses = []
  eventIds = []
  flushed = false

  constructor() {
    process.on('exit', () => writeSync(1, `${JSON.stringify(this)}\n`))
  }

  /** Wraps a transport of the SDK. */
  transport(make) {
    return (options) => {
      const inner = make(options)
      return {
        ...inner,
        send: async (envelope) => {
          for (const [{ type }, payload] of envelope[1]) {
            this.itemTypes.push(type)
            if (type === 'client_report') this.#readLosses(payload)
          }
          const answer = await inner.send(envelope)
          this.statuses.push(answer?.statusCode ?? 0)
          return answer
        },
      }
    }
  }

  #readLosses(payload) {
    for (const { reason, category } of payload.discarded_events) {
      this.losses.push(`${reason} ${category}`)
    }
  }
}
